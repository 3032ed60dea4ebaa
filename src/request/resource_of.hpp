// SPDX-License-Identifier: Apache-2.0
//
// resource_of(): a vertex of a request that a program makes itself.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "copse/request.hpp"

namespace copse {

// A resource with the contents of each; a slot is labelled "task".
[[nodiscard]] inline Resource resource_of(std::string type, std::int64_t count,
                                          std::vector<Resource> with = {}) {
  Resource out;
  out.type = std::move(type);
  out.count.min = out.count.max = count;
  out.with = std::move(with);
  if (out.is_slot()) out.label = "task";
  return out;
}

}  // namespace copse
