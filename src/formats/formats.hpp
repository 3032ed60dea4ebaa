// SPDX-License-Identifier: Apache-2.0
//
// Writing a set of resources in any of its forms.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/output_request.hpp"
#include "formats/rv1/rv1_selection.hpp"

namespace copse {

[[nodiscard]] std::optional<Format> parse_format(std::string_view name);
[[nodiscard]] const char* word(Format format);

// Keeps its scratch memory from one R to the next. One thread each.
class Writer {
 public:
  explicit Writer(Format format) : format_(format) {}
  [[nodiscard]] Format format() const { return format_; }

  // Appends the text of an emission and a newline; nothing, if there is nothing to say: no pools,
  // or for the forms of R no core and no gpu. Cost: O(length of the text), sorting of ids included.
  void write(const OutputRequest& request, std::string& out);

 private:
  Format format_;
  SelectionR r_;
};

}  // namespace copse
