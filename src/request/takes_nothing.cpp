// SPDX-License-Identifier: Apache-2.0
#include "request/takes_nothing.hpp"

#include <algorithm>
#include <vector>

namespace copse {

namespace {

// What is in no slot is shared, unless it says otherwise; bounded by the parsers' depth.
bool exclusive_anywhere(const std::vector<Resource>& resources) {
  return std::ranges::any_of(resources, [](const Resource& r) {
    return r.is_slot() || r.exclusive == Exclusivity::yes || exclusive_anywhere(r.with);
  });
}

}  // namespace

bool takes_nothing(const Request& request, bool whole_nodes) {
  return !whole_nodes && !exclusive_anywhere(request.resources);
}

}  // namespace copse
