// SPDX-License-Identifier: Apache-2.0
//
// The files of the page, compiled into the program: those of src/page/web, and two that the build
// makes of them (cmake/PageAssets.cmake):
//   page.js    all modules as one, each after the modules that it imports
//   page.sums  a line for each text that a Content-Security-Policy may name: "style.css
//              sha256-…", "page.js sha256-…"
#pragma once

#include <algorithm>
#include <cassert>
#include <span>
#include <string_view>

namespace copse {

struct PageAsset {
  std::string_view name, bytes;
};

// By name, ascending; valid for the whole run.
[[nodiscard]] std::span<const PageAsset> page_assets();
// The bytes of a file. REQUIRES that it exists.
[[nodiscard]] inline std::string_view page_asset(std::string_view name) {
  const auto all = page_assets();
  const auto found = std::ranges::lower_bound(all, name, {}, &PageAsset::name);
  assert(found != all.end() && found->name == name);
  return found->bytes;
}

}  // namespace copse
