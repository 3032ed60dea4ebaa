// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "base/hostlist.hpp"
#include "base/json_number.hpp"
#include "formats/json_walk.hpp"
#include "formats/xml_text.hpp"

namespace copse {

namespace {

constexpr std::int64_t kRankMax = INT32_MAX;
constexpr std::int64_t kIdMax = INT64_C(1) << 53;  // of children; policies count with ids
constexpr std::uint32_t kDepthMax = 256;           // of what is passed over
constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();  // place of a key

using Object = JsonWalk::Object;
using Array = JsonWalk::Array;
using Value = JsonWalk::Value;
using Token = JsonWalk::Token;

// Reads the text once, forwards, into r_. What reads a part of it returns false once something was
// refused, as JsonWalk does.
class RReader {
 public:
  RReader(std::string_view text, std::string_view file, const RLimits& limits)
      : limits_(limits),
        walk_(text, 0, file, {limits.text_bytes_max, limits.text_bytes_max, kDepthMax}) {}

  Result<RSet> read() {
    Value root;
    Token token;
    if (walk_.open(root, token) && read_root(root, token) && walk_.close()) return std::move(r_);
    return std::unexpected(walk_.error());
  }

 private:
  // --- Values
  // visit(key, value, token) → bool for each member of an object that has no key twice.
  template <class Visit>
  bool each_member(Value& value, const Token& token, std::string_view what, Visit visit) {
    Object object;
    if (!walk_.object(value, token, what, object)) return false;
    std::unordered_set<std::string_view> met;
    return walk_.for_each_member(object, [&](std::string_view key, Value& v, const Token& t) {
      if (met.insert(key).second) return visit(key, v, t);
      return walk_.refuse(t.key_offset,
                          fmt::format("{} has the key {} twice", what, xml::quoted(key)));
    });
  }
  template <class Visit>
  bool each_element(Value& value, const Token& token, std::string_view what, Visit visit) {
    Array array;
    return walk_.array(value, token, what, array) && walk_.for_each_element(array, visit);
  }
  bool read_integer(const Token& token, std::string_view what, std::int64_t& out) {
    const auto number = json_integer(token.raw);
    if (!number) return walk_.refuse(token.offset, fmt::format("{} must be an integer", what));
    out = *number;
    return true;
  }
  bool read_idset(Value& value, const Token& token, std::string_view what, Idset& out) {
    std::string_view text;
    if (!walk_.word(value, token, what, text)) return false;
    auto ids = Idset::parse(text);
    if (!ids) {
      return walk_.refuse(token.offset, fmt::format("{}: {}", what, ids.error().text),
                          ids.error().code);
    }
    out = std::move(*ids);
    return true;
  }
  bool read_ranks(Value& value, const Token& token, std::string_view what, Idset& out) {
    if (!read_idset(value, token, what, out)) return false;
    if (out.empty()) return walk_.refuse(token.offset, fmt::format("{} names no rank", what));
    if (out.ranges().back().second <= kRankMax) return true;
    return walk_.refuse(token.offset, fmt::format("{} goes beyond rank {}", what, kRankMax),
                        ErrorCode::limit);
  }
  bool read_time(Value& value, const Token& token, std::string_view what, double& out) {
    if (!walk_.number(value, token, what, out)) return false;
    return out >= 0 || walk_.refuse(token.offset, fmt::format("{} must be 0 or more", what));
  }
  bool missing(const Token& token, std::string_view what, std::string_view key) {
    return walk_.refuse(token.offset, fmt::format("{} has no key \"{}\"", what, key));
  }

  // --- The parts of an R
  bool read_root(Value& root, const Token& token) {
    bool version = false, execution = false;
    const bool whole =
        each_member(root, token, "an R", [&](std::string_view key, Value& v, const Token& t) {
          if (key == "version") return version = true, read_version(t);
          if (key == "execution") return execution = true, read_execution(v, t);
          return walk_.skip(v, t);
        });
    if (!whole) return false;
    if (!version) return missing(token, "an R", "version");
    return execution || missing(token, "an R", "execution");
  }

  bool read_version(const Token& token) {
    std::int64_t version = 0;
    if (!read_integer(token, "version", version)) return false;
    if (version == 1) return true;
    return walk_.refuse(token.offset,
                        fmt::format("version is {}; version 1 is what can be read", version));
  }

  bool read_execution(Value& value, const Token& token) {
    std::size_t r_lite = kAbsent, nodelist = kAbsent, expiration = kAbsent;
    const bool whole =
        each_member(value, token, "execution", [&](std::string_view key, Value& v, const Token& t) {
          if (key == "R_lite") return r_lite = t.offset, read_entries(v, t);
          if (key == "nodelist") return nodelist = t.offset, read_hosts(v, t);
          if (key == "properties") return read_properties(v, t);
          if (key == "starttime") return read_time(v, t, key, r_.starttime_s);
          if (key == "expiration") {
            return expiration = t.offset, read_time(v, t, key, r_.expiration_s);
          }
          if (key == "nslots") return read_nslots(t);
          return walk_.skip(v, t, 2);
        });
    if (!whole) return false;
    if (r_lite == kAbsent) return missing(token, "execution", "R_lite");
    if (r_.starttime_s > 0 && r_.expiration_s > 0 && r_.expiration_s <= r_.starttime_s) {
      return walk_.refuse(expiration, "expiration must be later than starttime");
    }
    if (!check_ranks(r_lite)) return false;
    if (nodelist != kAbsent && std::cmp_not_equal(r_.hosts.size(), ranks_)) {
      return walk_.refuse(nodelist, fmt::format("nodelist has {} hosts for the {} ranks of R_lite; "
                                                "each rank needs one",
                                                r_.hosts.size(), ranks_));
    }
    return check_properties();
  }

  bool read_nslots(const Token& token) {
    if (!read_integer(token, "nslots", r_.nslots)) return false;
    return r_.nslots > 0 || walk_.refuse(token.offset, "nslots must be greater than 0");
  }

  bool read_entries(Value& value, const Token& token) {
    return each_element(value, token, "R_lite", [&](Value& element, const Token& at) {
      constexpr std::string_view kWhat = "an entry of R_lite";
      RSet::Entry entry;
      bool ranked = false, filled = false;
      const bool whole =
          each_member(element, at, kWhat, [&](std::string_view key, Value& v, const Token& t) {
            if (key == "rank") return ranked = true, read_ranks(v, t, key, entry.ranks);
            if (key == "children") return filled = true, read_children(v, t, entry);
            return walk_.skip(v, t, 4);
          });
      if (!whole) return false;
      if (!ranked) return missing(at, kWhat, "rank");
      if (!filled) return missing(at, kWhat, "children");
      r_.entries.push_back(std::move(entry));
      return true;
    });
  }

  bool read_children(Value& value, const Token& token, RSet::Entry& entry) {
    return each_member(
        value, token, "children", [&](std::string_view type, Value& v, const Token& t) {
          if (auto wrong = wrong_word(type); !wrong.empty()) {
            return walk_.refuse(t.key_offset, "a type of children " + wrong);
          }
          const std::string what = "children of type " + xml::quoted(type);
          Idset ids;
          if (!read_idset(v, t, what, ids)) return false;
          if (!ids.empty() && ids.ranges().back().second > kIdMax) {
            return walk_.refuse(t.offset, fmt::format("{} go beyond {}", what, kIdMax),
                                ErrorCode::limit);
          }
          entry.children.emplace_back(type, std::move(ids));
          return true;
        });
  }

  // What a word that becomes a part of paths and lines cannot be; empty if it is fine.
  static std::string wrong_word(std::string_view word) {
    if (word.empty()) return "is empty";
    const bool fine = std::ranges::none_of(
        word, [](char c) { return c == '/' || c == ' ' || xml::is_control(c); });
    return fine ? ""
                : fmt::format("is {}; it cannot have blanks, control characters and slashes",
                              xml::quoted(word));
  }

  bool read_hosts(Value& value, const Token& token) {
    return each_element(value, token, "nodelist", [&](Value& element, const Token& t) {
      std::string_view text;
      if (!walk_.word(element, t, "an entry of nodelist", text)) return false;
      const auto room = static_cast<std::size_t>(limits_.ranks_max) - r_.hosts.size();
      auto hosts = expand_hostlist(text, room);
      if (!hosts) {
        return walk_.refuse(t.offset, "nodelist: " + hosts.error().text, hosts.error().code);
      }
      for (std::string& host : *hosts) {
        if (auto wrong = wrong_word(host); !wrong.empty()) {
          return walk_.refuse(t.offset, "a host of nodelist " + wrong);
        }
        if (auto split = split_host(host); !split) {
          return walk_.refuse(t.offset, split.error().text, split.error().code);
        }
        r_.hosts.push_back(std::move(host));
      }
      return true;
    });
  }

  bool read_properties(Value& value, const Token& token) {
    return each_member(
        value, token, "properties", [&](std::string_view name, Value& v, const Token& t) {
          if (name.empty() || name.find_first_of("!&'\"^`|()") != name.npos) {
            return walk_.refuse(
                t.key_offset,
                fmt::format("a property is {}; it needs a name without ! & ' \" ^ ` | ( )",
                            xml::quoted(name)));
          }
          Idset ranks;
          if (!read_idset(v, t, "property " + xml::quoted(name), ranks)) return false;
          r_.properties.emplace_back(name, std::move(ranks));
          properties_at_.push_back(t.offset);
          return true;
        });
  }

  // --- What holds between the parts
  bool check_ranks(std::size_t at) {
    std::vector<Idset::Range> ranges;
    for (const RSet::Entry& entry : r_.entries) {
      const auto& more = entry.ranks.ranges();
      ranges.insert(ranges.end(), more.begin(), more.end());
    }
    std::ranges::sort(ranges);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (i > 0 && ranges[i].first <= ranges[i - 1].second) {
        return walk_.refuse(at,
                            fmt::format("rank {} is in two entries of R_lite", ranges[i].first));
      }
      ranks_ += ranges[i].second - ranges[i].first + 1;
    }
    if (ranks_ <= limits_.ranks_max) return true;
    return walk_.refuse(
        at, fmt::format("R_lite has {} ranks; the limit is {}", ranks_, limits_.ranks_max),
        ErrorCode::limit);
  }

  bool check_properties() {
    if (r_.properties.empty()) return true;
    const Idset known = r_.ranks();
    std::int64_t uses = 0;
    for (std::size_t i = 0; i < r_.properties.size(); ++i) {
      const auto& [name, ranks] = r_.properties[i];
      const std::int64_t unknown = first_unknown(ranks, known);
      if (unknown >= 0) {
        return walk_.refuse(properties_at_[i],
                            fmt::format("property {} names rank {}, which R_lite does not have",
                                        xml::quoted(name), unknown));
      }
      uses += ranks.count();
      if (uses > limits_.property_uses_max) {
        return walk_.refuse(
            properties_at_[i],
            fmt::format("nodes have more than {} properties", limits_.property_uses_max),
            ErrorCode::limit);
      }
    }
    return true;
  }

  // The first id of `ranks` that is not in `known`; -1 if there is none. O(ranges × log ranges).
  static std::int64_t first_unknown(const Idset& ranks, const Idset& known) {
    for (const auto& [first, last] : ranks.ranges()) {
      const auto at = std::ranges::upper_bound(known.ranges(), first, {}, &Idset::Range::first);
      if (at == known.ranges().begin() || std::prev(at)->second < first) return first;
      if (std::prev(at)->second < last) return std::prev(at)->second + 1;
    }
    return -1;
  }

  const RLimits& limits_;
  JsonWalk walk_;
  RSet r_;
  std::int64_t ranks_ = 0;
  std::vector<std::size_t> properties_at_;
};

}  // namespace

Result<RSet> read_r(std::string_view text, std::string_view file, const RLimits& limits) {
  if (text.size() > limits.text_bytes_max) {
    return fail(
        ErrorCode::limit,
        fmt::format("the text has {} bytes; the limit is {}", text.size(), limits.text_bytes_max),
        {std::string(file)});
  }
  if (text.find_first_not_of(" \t\r\n") == text.npos) {
    return fail(ErrorCode::invalid, "the text is empty", {std::string(file), 1, 1});
  }
  return RReader(text, file, limits).read();
}

}  // namespace copse
