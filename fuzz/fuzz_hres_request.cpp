// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: parse_hres_request accepts or refuses them with one error on their line. What it
// accepts is made of names that may be requested, and is read back from the text written for it.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "go_on.hpp"
#include "request/hres.hpp"
#include "target.hpp"

using copse::fuzz::require;

FUZZ_TARGET(hres_request) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto request = copse::parse_hres_request(text, {"fuzz", 7, 11});
  if (!request) {
    const copse::Error& error = request.error();
    require(!error.text.empty() && error.text.find('\n') == std::string::npos);
    require(error.place.file == "fuzz" && error.place.line == 7);
    require(error.place.column >= 11 && error.place.column <= 11 + size);
    return 0;
  }
  require(!request->empty() && request->items.size() <= copse::kHresItemsMax);
  require(request->either == (text.find('|') != std::string_view::npos));
  for (const copse::HresItem& item : request->items) {
    require(copse::is_hres_name(item.name) && item.count >= 0);
    require(item.variable.empty() || (copse::is_hres_name(item.variable) && item.count == 1));
  }
  const std::string written = copse::hres_text(*request);
  const auto again = copse::parse_hres_request(written);
  // Counts that were left out may make the text too long.
  require(again ? *again == *request : written.size() > copse::kHresTextBytesMax);
  return 0;
}
