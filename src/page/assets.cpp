// SPDX-License-Identifier: Apache-2.0
#include "page/assets.hpp"

#include <algorithm>
#include <cassert>

namespace copse {

std::string_view page_asset(std::string_view name) {
  const auto all = page_assets();
  const auto found = std::ranges::lower_bound(all, name, {}, &PageAsset::name);
  assert(found != all.end() && found->name == name);
  return found->bytes;
}

}  // namespace copse
