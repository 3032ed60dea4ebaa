// SPDX-License-Identifier: Apache-2.0
//
// Writing a set of resources in any of its forms.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "formats/output_request.hpp"
#include "formats/rv1/rv1_selection.hpp"

namespace copse {

// In the order of the enumeration.
inline constexpr std::array<std::string_view, 8> kFormatNames{
    "simple", "pretty_simple", "jgf",         "jgf_shorthand",
    "rlite",  "rv1",           "rv1_nosched", "rv1_shorthand"};
[[nodiscard]] constexpr const char* word(Format format) {
  return kFormatNames.at(static_cast<std::size_t>(format)).data();
}
[[nodiscard]] constexpr std::optional<Format> parse_format(std::string_view name) {
  for (std::size_t i = 0; i < kFormatNames.size(); ++i) {
    if (name == kFormatNames.at(i)) return static_cast<Format>(i);
  }
  return std::nullopt;
}

// Keeps its scratch memory from one R to the next. One thread each.
class Writer {
 public:
  explicit Writer(Format format) : format_(format) {}
  [[nodiscard]] Format format() const { return format_; }

  // Appends the text of a request and a newline; nothing if it has no pools or, for forms of R, no
  // core and no GPU. Cost: O(length of the text), sorting of ids included.
  void write(const OutputRequest& request, std::string& out);

 private:
  Format format_;
  SelectionR r_;
};

}  // namespace copse
