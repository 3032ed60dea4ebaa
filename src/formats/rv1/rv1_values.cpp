// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/rv1_values.hpp"

#include "base/json_number.hpp"

namespace copse {

bool RValues::integer(const Token& token, std::string_view what, std::int64_t& out) {
  const auto number = json_integer(token.raw);
  if (!number) return walk.refuse(token.offset, fmt::format("{} must be an integer", what));
  out = *number;
  return true;
}

bool RValues::idset(Value& value, const Token& token, std::string_view what, Idset& out) {
  std::string_view text;
  if (!walk.word(value, token, what, text)) return false;
  auto ids = Idset::parse(text);
  if (!ids) {
    return walk.refuse(token.offset, fmt::format("{}: {}", what, ids.error().text),
                       ids.error().code);
  }
  out = std::move(*ids);
  return true;
}

bool RValues::ranks(Value& value, const Token& token, std::string_view what, Idset& out) {
  if (!idset(value, token, what, out)) return false;
  if (out.empty()) return walk.refuse(token.offset, fmt::format("{} names no rank", what));
  if (out.ranges().back().second <= kRankMax) return true;
  return walk.refuse(token.offset, fmt::format("{} goes beyond rank {}", what, kRankMax),
                     ErrorCode::limit);
}

bool RValues::time(Value& value, const Token& token, std::string_view what, double& out) {
  if (!walk.number(value, token, what, out)) return false;
  return out >= 0 || walk.refuse(token.offset, fmt::format("{} must be 0 or more", what));
}

bool RValues::entry(Value& value, const Token& token, std::string_view what, RSet::Entry& out) {
  bool ranked = false, filled = false;
  const bool whole =
      each_member(value, token, what, [&](std::string_view key, Value& v, const Token& t) {
        if (key == "rank") return ranked = true, ranks(v, t, key, out.ranks);
        if (key == "children") return filled = true, children(v, t, out);
        return walk.skip(v, t, 4);
      });
  if (!whole) return false;
  if (!ranked) return missing(token, what, "rank");
  return filled || missing(token, what, "children");
}

bool RValues::children(Value& value, const Token& token, RSet::Entry& out) {
  const bool whole =
      each_member(value, token, "children", [&](std::string_view type, Value& v, const Token& t) {
        if (auto wrong = wrong_word(type); !wrong.empty()) {
          return walk.refuse(t.key_offset, "a type of children " + wrong);
        }
        const std::string what = "children of type " + xml::quoted(type);
        Idset ids;
        if (!idset(v, t, what, ids)) return false;
        if (strict() && ids.empty()) {
          return walk.refuse(t.offset, fmt::format("{} names no id", what));
        }
        if (!ids.empty() && ids.ranges().back().second > kChildIdMax) {
          return walk.refuse(t.offset, fmt::format("{} go beyond {}", what, kChildIdMax),
                             ErrorCode::limit);
        }
        out.children.emplace_back(type, std::move(ids));
        return true;
      });
  if (!whole || !strict() || find_ids(out.children, "core") != nullptr) return whole;
  return missing(token, "children", "core");
}

std::string RValues::wrong_word(std::string_view word) {
  if (word.empty()) return "is empty";
  const bool fine =
      std::ranges::none_of(word, [](char c) { return c == '/' || c == ' ' || xml::is_control(c); });
  return fine ? ""
              : fmt::format("is {}; it cannot have blanks, control characters and slashes",
                            xml::quoted(word));
}

}  // namespace copse
