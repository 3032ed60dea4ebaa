// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/r_stream.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/job_id.hpp"
#include "base/nearest_word.hpp"
#include "text/json_fault.hpp"
#include "text/json_text.hpp"
#include "text/json_walk.hpp"

namespace copse {

namespace {

constexpr std::uint32_t kDepthMax = 128;

bool read_id(JsonWalk& walk, JsonWalk::Value& value, const JsonWalk::Token& token,
             RStreamEntry& out) {
  std::string_view text = token.raw;
  if (token.type == JsonWalk::Type::string && !walk.word(value, token, "\"id\"", text)) {
    return false;
  }
  out.id = parse_job_id(text);
  if (out.id && *out.id > 0 && *out.id <= INT64_MAX) return true;
  return walk.refuse(token.offset, "\"id\": " + shown_word(text) +
                                       " is not a job id: write a number, or a text such as ƒ2Xr");
}

// `text` is one JSON object.
Result<void> read_entry(std::string_view text, const std::string& where, RStreamEntry& out) {
  JsonWalk walk(text, 0, where, {text.size(), text.size(), kDepthMax});
  JsonWalk::Object root;
  const bool read =
      walk.open(root) &&
      walk.for_each_member(
          root,
          [&](std::string_view key, JsonWalk::Value& value, const JsonWalk::Token& token) {
            if (key == "id") return read_id(walk, value, token, out);
            if (key == "R" && token.type == JsonWalk::Type::object) {
              const std::string_view from = text.substr(token.offset);
              out.r = from.substr(0, json_value_end(from));
            }
            return walk.skip(value, token);
          }) &&
      walk.close();
  if (!read) return std::unexpected(walk.error());
  if (!out.r.empty()) return {};
  return fail(ErrorCode::invalid, "this object has no \"R\", the resources of a job", {where});
}

}  // namespace

bool looks_like_r_stream(std::string_view text) {
  constexpr std::string_view kKey = "\"R\"";
  const std::size_t begin = text.find_first_not_of(kJsonBlanks);
  if (begin == text.npos || text[begin] != '{') return false;
  text.remove_prefix(begin);
  const std::string_view first = text.substr(0, json_value_end(text));
  std::size_t at = first.find(kKey);
  if (at != first.npos) at = first.find_first_not_of(kJsonBlanks, at + kKey.size());
  return at != first.npos && first[at] == ':';
}

Result<std::vector<RStreamEntry>> read_r_stream(std::string_view text, const std::string& file) {
  std::vector<RStreamEntry> out;
  std::size_t line = 1, counted = 0;
  for (std::size_t at = text.find_first_not_of(kJsonBlanks); at != text.npos;) {
    line += static_cast<std::size_t>(std::ranges::count(text.substr(counted, at - counted), '\n'));
    counted = at;
    const std::string_view object = text.substr(at, json_value_end(text.substr(at)));
    RStreamEntry entry{.r = {}, .line = line};
    if (auto ok = read_entry(object, fmt::format("{}:{}", file, line), entry); !ok) {
      return std::unexpected(ok.error());
    }
    out.push_back(entry);
    at = text.find_first_not_of(kJsonBlanks, at + object.size());
  }
  return out;
}

}  // namespace copse
