// SPDX-License-Identifier: Apache-2.0
#include "server/http/field_selection.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "text/json_members.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kFieldsMax = 64;

using Names = std::vector<std::string_view>;

Result<Names> names_of(std::string_view fields) {
  Names out;
  for (;;) {
    const std::size_t end = std::min(fields.find(','), fields.size());
    const std::string_view name = fields.substr(0, end);
    const bool plain = std::ranges::all_of(name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
    });
    if (name.empty() || !plain) {
      return fail(ErrorCode::invalid, "fields must be names separated by commas: id,state");
    }
    if (out.size() == kFieldsMax) {
      return fail(ErrorCode::limit, fmt::format("at most {} fields are allowed", kFieldsMax));
    }
    out.push_back(name);
    if (end == fields.size()) return out;
    fields.remove_prefix(end + 1);
  }
}

void keep_members(JsonWriter& json, std::string_view object, const Names& names) {
  json.object([&] {
    std::string_view rest = object.substr(1);
    for (std::string_view key = take_json_value(rest); !key.empty(); key = take_json_value(rest)) {
      const std::string_view value = take_json_value(rest);
      const std::string_view name = key.substr(1, key.size() - 2);
      if (std::ranges::find(names, name) != names.end()) json.member_json(name, value);
    }
  });
}

void keep_in_list(JsonWriter& json, std::string_view list, const Names& names) {
  json.open('[');
  std::string_view rest = list.substr(1);
  for (std::string_view value = take_json_value(rest); !value.empty();
       value = take_json_value(rest)) {
    if (value.starts_with('{')) {
      keep_members(json, value, names);
    } else {
      json.json(value);
    }
  }
  json.close(']');
}

}  // namespace

Result<std::string> select_fields(std::string_view answer, std::string_view fields, bool one) {
  const auto names = names_of(fields);
  if (!names) return std::unexpected(names.error());
  std::string out;
  JsonWriter json(out);
  if (one) {
    keep_members(json, answer, *names);
    return out + '\n';
  }
  json.object([&] {
    std::string_view rest = answer.substr(1);
    for (std::string_view key = take_json_value(rest); !key.empty(); key = take_json_value(rest)) {
      const std::string_view value = take_json_value(rest);
      json.key(key.substr(1, key.size() - 2));
      if (value.starts_with('[')) {
        keep_in_list(json, value, *names);
      } else {
        json.json(value);
      }
    }
  });
  return out + '\n';
}

}  // namespace copse::server
