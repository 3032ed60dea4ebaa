// SPDX-License-Identifier: Apache-2.0
//
// copse.ResourceSet: an R (RFC 20), with the names and operators of flux.resource.ResourceSet.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>

#include "rset/rset.hpp"

namespace copse::python {

class ResourceSetObject {
 public:
  explicit ResourceSetObject(RSet set) : set_(canonical(std::move(set))) {}
  // From a text, a dict or a ResourceSet; None: the empty set.
  [[nodiscard]] static ResourceSetObject of(const pybind11::handle& what);

  [[nodiscard]] const RSet& set() const { return set_; }
  [[nodiscard]] RSet& set() { return set_; }
  [[nodiscard]] std::string encode() const;  // R
  [[nodiscard]] std::string dumps() const;   // "rank[0-3]/core[0-7]"
  // The ranks whose nodes satisfy a constraint (RFC 31).
  [[nodiscard]] ResourceSetObject copy_constraint(const std::string& constraint) const;
  [[nodiscard]] std::vector<std::int64_t> host_ranks(const std::string& hosts,
                                                     bool ignore_nomatch) const;

 private:
  RSet set_;
};

void bind_resource_set(pybind11::module_& module);

}  // namespace copse::python
