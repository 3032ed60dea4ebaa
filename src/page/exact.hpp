// SPDX-License-Identifier: Apache-2.0
//
// Integers in the documents of the page. Browsers keep integers up to 2^53 - 1 exactly; larger ones
// are written as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "text/json_writer.hpp"

namespace copse::page {

inline constexpr std::int64_t kExactMax = (INT64_C(1) << 53) - 1;

inline void append_exact(JsonWriter& json, std::int64_t number) {
  if (number > kExactMax || number < -kExactMax) {
    json.value(std::to_string(number));
  } else {
    json.value(number);
  }
}
inline void append_exact(JsonWriter& json, const std::optional<std::int64_t>& number) {
  if (number) {
    append_exact(json, *number);
  } else {
    json.json("null");
  }
}

template <class Number>
void exact_member(JsonWriter& json, std::string_view name, const Number& number) {
  json.key(name);
  append_exact(json, number);
}

}  // namespace copse::page
