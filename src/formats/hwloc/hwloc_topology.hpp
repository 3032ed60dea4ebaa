// SPDX-License-Identifier: Apache-2.0
//
// A hwloc topology made from XML text that hwloc_xml::rewrite() wrote, and from nothing else; and
// the text of the machine that is here.
#pragma once

#include <hwloc.h>

#include <memory>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse::hwloc_xml {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;

// Errors: invalid, if hwloc refuses the tree; it does not say why.
[[nodiscard]] Result<Topology> load(const std::string& text);

// What hwloc notes of an object under a name ("CPUModel"); empty if there is nothing.
[[nodiscard]] inline std::string_view info(hwloc_obj_t object, const char* name) {
  const char* value = hwloc_obj_get_info_by_name(object, name);
  return value == nullptr ? std::string_view() : value;
}

// The XML of the machine that this runs on, as hwloc finds it; for rewrite(). Errors: io.
[[nodiscard]] Result<std::string> local_xml();

}  // namespace copse::hwloc_xml
