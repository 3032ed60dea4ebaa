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

bool read_hres(JsonWalk& walk, JsonWalk::Value& value, const JsonWalk::Token& token,
               std::string& out) {
  std::string_view text;
  if (token.type == JsonWalk::Type::null) return walk.skip(value, token);
  if (!walk.word(value, token, "\"hres\"", text)) return false;
  out = text;
  return true;
}

// `text` is one JSON object.
Result<void> read_entry(std::string_view text, const std::string& where, RStreamEntry& out) {
  JsonWalk walk(text, 0, where, {text.size(), text.size(), kDepthMax});
  const bool read = walk.document(
      [&](std::string_view key, JsonWalk::Value& value, const JsonWalk::Token& token) {
        if (key == "id") return read_id(walk, value, token, out);
        if (key == "hres") return read_hres(walk, value, token, out.hres);
        if (key == "R" && token.type == JsonWalk::Type::object) {
          const std::string_view from = text.substr(token.offset);
          out.r = from.substr(0, json_value_end(from));
        }
        return walk.skip(value, token);
      });
  if (!read) return std::unexpected(walk.error());
  if (!out.r.empty()) return {};
  return fail(ErrorCode::invalid, "this object has no \"R\", the resources of a job", {where});
}

}  // namespace

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

Result<std::string> hres_of_r(std::string_view r, const std::string& file) {
  std::string out;
  if (r.find("\"hres\"") == r.npos) return out;
  JsonWalk walk(r, 0, file, {r.size(), r.size(), kDepthMax});
  using Value = JsonWalk::Value;
  using Token = JsonWalk::Token;
  // Enters the member of that name, if it is an object.
  const auto in_member = [&](JsonWalk::Object& object, std::string_view name, auto inside) {
    return walk.for_each_member(object, [&](std::string_view key, Value& v, const Token& t) {
      JsonWalk::Object next;
      if (key != name || t.type != JsonWalk::Type::object) return walk.skip(v, t);
      return walk.object(v, t, name, next) && inside(next);
    });
  };
  const auto in_system = [&](JsonWalk::Object& system) {
    return walk.for_each_member(system, [&](std::string_view key, Value& v, const Token& t) {
      return key == "hres" ? read_hres(walk, v, t, out) : walk.skip(v, t);
    });
  };
  JsonWalk::Object root;
  const bool read = walk.open(root) &&
                    in_member(root, "attributes",
                              [&](JsonWalk::Object& attributes) {
                                return in_member(attributes, "system", in_system);
                              }) &&
                    walk.close();
  if (!read) return std::unexpected(walk.error());
  return out;
}

}  // namespace copse
