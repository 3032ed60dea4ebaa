// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_json.hpp"

#include <algorithm>
#include <cmath>

namespace copse {

namespace {

using Type = JsonWalk::Type;

constexpr double kWholeMax = 9007199254740992.0;     // 2^53
constexpr double kNotSet64 = 9223372036854775808.0;  // 2^63
constexpr std::int64_t kInfinite32 = 0xFFFFFFFF, kNotSet32 = 0xFFFFFFFE;

// In old versions, a number beyond 2^63 is the "not set" of 64 bits.
bool plain_number(JsonWalk& walk, JsonWalk::Value& value, const JsonWalk::Token& token,
                  std::string_view what, std::optional<std::int64_t>& out) {
  double number = 0;
  if (!walk.number(value, token, what, number)) return false;
  if (!(number > -kNotSet64 && number < kNotSet64)) return true;
  out = static_cast<std::int64_t>(std::floor(std::clamp(number, -kWholeMax, kWholeMax)));
  if (*out == kInfinite32) out = kSlurmInfinite;
  if (*out == kNotSet32) out.reset();
  return true;
}

}  // namespace

bool slurm_number(JsonWalk& walk, JsonWalk::Value& value, const JsonWalk::Token& token,
                  std::string_view what, std::optional<std::int64_t>& out) {
  out.reset();
  if (token.type == Type::null) return true;
  if (token.type != Type::object) return plain_number(walk, value, token, what, out);
  bool set = true, infinite = false;
  const bool whole = walk.members(
      value, token, what, [&](std::string_view key, JsonWalk::Value& v, const JsonWalk::Token& t) {
        if (key == "set") return walk.boolean(t, "\"set\" of a number", set);
        if (key == "infinite") return walk.boolean(t, "\"infinite\" of a number", infinite);
        if (key == "number") return plain_number(walk, v, t, "\"number\"", out);
        return walk.skip(v, t);
      });
  if (!whole) return false;
  if (infinite) out = kSlurmInfinite;
  if (!set && !infinite) out.reset();
  return true;
}

bool slurm_words(JsonWalk& walk, JsonWalk::Value& value, const JsonWalk::Token& token,
                 std::string_view what, std::vector<std::string>& out) {
  out.clear();
  if (token.type == Type::null) return true;
  std::string_view word;
  if (token.type == Type::string) {
    if (!walk.word(value, token, what, word)) return false;
    out.emplace_back(word);
    return true;
  }
  return walk.elements(value, token, what, [&](JsonWalk::Value& v, const JsonWalk::Token& t) {
    if (!walk.word(v, t, what, word)) return false;
    out.emplace_back(word);
    return true;
  });
}

bool slurm_text(JsonWalk& walk, JsonWalk::Value& value, const JsonWalk::Token& token,
                std::string_view what, std::string& out) {
  out.clear();
  std::string_view text;
  if (token.type == Type::null) return true;
  if (!walk.word(value, token, what, text)) return false;
  out = text;
  return true;
}

}  // namespace copse
