// SPDX-License-Identifier: Apache-2.0
//
// The values that an R is made of, read by one walk over its text: idsets, ranks, entries of
// R_lite. What reads returns false once something was refused, as JsonWalk does.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "formats/rv1/rv1_read.hpp"
#include "text/json_walk.hpp"
#include "text/xml_text.hpp"

namespace copse {

inline constexpr std::uint32_t kJsonDepthMax = 256;  // of skipped values

// The keys that an object has had. Most objects have few, and then nothing is hashed.
class KeysMet {
 public:
  // False if it was there before.
  bool add(std::string_view key) {
    if (few_.size() < kFew) {
      if (std::ranges::find(few_, key) != few_.end()) return false;
      few_.push_back(key);
      return true;
    }
    if (many_.empty()) many_.insert(few_.begin(), few_.end());
    return many_.insert(key).second;
  }

 private:
  static constexpr std::size_t kFew = 8;
  std::vector<std::string_view> few_;
  std::unordered_set<std::string_view> many_;
};

class RValues {
 public:
  using Object = JsonWalk::Object;
  using Array = JsonWalk::Array;
  using Value = JsonWalk::Value;
  using Token = JsonWalk::Token;

  static constexpr std::int64_t kChildIdMax = INT64_C(1) << 53;  // policies count with ids

  RValues(JsonWalk& its_walk, const RLimits& its_limits) : walk(its_walk), limits(its_limits) {}

  [[nodiscard]] bool strict() const { return limits.rules == RRules::strict; }

  // visit(key, value, token) → bool for each member of an object that has no key twice.
  template <class Visit>
  bool each_member(Value& value, const Token& token, std::string_view what, Visit visit) {
    Object object;
    return walk.object(value, token, what, object) && each_member(object, what, visit);
  }
  template <class Visit>
  bool each_member(Object& object, std::string_view what, Visit visit) {
    KeysMet met;
    return walk.for_each_member(object, [&](std::string_view key, Value& v, const Token& t) {
      if (met.add(key)) return visit(key, v, t);
      return walk.refuse(t.key_offset,
                         fmt::format("{} has the key {} twice", what, xml::quoted(key)));
    });
  }
  bool missing(const Token& token, std::string_view what, std::string_view key) {
    return walk.refuse(token.offset, fmt::format("{} has no key \"{}\"", what, key));
  }
  bool integer(const Token& token, std::string_view what, std::int64_t& out);
  bool idset(Value& value, const Token& token, std::string_view what, Idset& out);
  bool ranks(Value& value, const Token& token, std::string_view what, Idset& out);
  bool time(Value& value, const Token& token, std::string_view what, double& out);
  // {"rank": …, "children": {…}}; what it is called: "an entry of R_lite".
  bool entry(Value& value, const Token& token, std::string_view what, RSet::Entry& out);

  // What a word that becomes a part of paths and lines cannot be; empty if it is fine.
  static std::string wrong_word(std::string_view word);

  JsonWalk& walk;
  const RLimits& limits;

 private:
  bool children(Value& value, const Token& token, RSet::Entry& out);
};

// The places of `scheduling` and its parts; an absent part has the place of the whole.
struct SchedulingPlaces {
  std::size_t whole = 0, children = 0, topo_ids = 0;
};

// The key `scheduling`. Refused is what is no JSON; with TreePool as its writer, what RFC 49 does
// not allow, and a rank in two entries of children or of topo_ids.
[[nodiscard]] bool read_scheduling(RValues& values, RValues::Value& value,
                                   const RValues::Token& token, RScheduling& out,
                                   SchedulingPlaces& at);

}  // namespace copse
