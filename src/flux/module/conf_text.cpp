// SPDX-License-Identifier: Apache-2.0
#include "flux/module/conf_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "text/json_text.hpp"

namespace copse::flux {

namespace {

// A float of TOML has a point or an exponent.
std::string real(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void append(std::string& out, const json_t* value, int depth) {
  switch (json_typeof(value)) {
    case JSON_STRING:
      append_json(out, {json_string_value(value), json_string_length(value)});
      break;
    case JSON_INTEGER: out += std::to_string(json_integer_value(value)); break;
    case JSON_REAL: out += real(json_real_value(value)); break;
    case JSON_TRUE: out += "true"; break;
    case JSON_FALSE: out += "false"; break;
    case JSON_NULL: out += "\"\""; break;  // in an array; TOML has no null
    case JSON_ARRAY: {
      out += '[';
      for (std::size_t i = 0; depth < kDepthMax && i < json_array_size(value); ++i) {
        if (i > 0) out += ", ";
        append(out, json_array_get(value, i), depth + 1);
      }
      out += ']';
      break;
    }
    case JSON_OBJECT: {
      out += '{';
      const char* key = nullptr;
      json_t* member = nullptr;
      bool first = true;
      if (depth < kDepthMax) {
        json_object_foreach(const_cast<json_t*>(value), key, member) {
          if (json_is_null(member)) continue;
          if (!first) out += ", ";
          first = false;
          append_json(out, key);
          out += " = ";
          append(out, member, depth + 1);
        }
      }
      out += '}';
      break;
    }
  }
}

}  // namespace

std::string toml_of(const json_t* object) {
  std::string out;
  const char* key = nullptr;
  json_t* member = nullptr;
  json_object_foreach(const_cast<json_t*>(object), key, member) {
    if (json_is_null(member)) continue;
    append_json(out, key);
    out += " = ";
    append(out, member, 0);
    out += '\n';
  }
  return out;
}

}  // namespace copse::flux
