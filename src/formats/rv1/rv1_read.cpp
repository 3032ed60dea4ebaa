// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/rv1_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/hostlist.hpp"
#include "base/idset_algebra.hpp"
#include "base/utf8.hpp"
#include "formats/rv1/rv1_values.hpp"
#include "rset/rset_algebra.hpp"
#include "rset/rset_properties.hpp"
#include "text/json_fault.hpp"
#include "text/json_text.hpp"

namespace copse {

namespace {

constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();  // place of a key

using Value = JsonWalk::Value;
using Token = JsonWalk::Token;

// Reads the text once, forwards, into r_. What reads a part of it returns false once something was
// refused, as JsonWalk does.
class RReader {
 public:
  RReader(std::string_view text, std::string_view file, const RLimits& limits)
      : limits_(limits),
        walk_(text, 0, file, {limits.text_bytes_max, limits.text_bytes_max, kJsonDepthMax}),
        values_(walk_, limits) {}

  Result<RSet> read() {
    Value root;
    Token token;
    if (walk_.open(root, token) && read_root(root, token) && walk_.close()) return std::move(r_);
    return std::unexpected(walk_.error());
  }

 private:
  // --- The parts of an R
  bool read_root(Value& root, const Token& token) {
    bool version = false, execution = false;
    const bool whole = values_.each_member(
        root, token, "an R", [&](std::string_view key, Value& v, const Token& t) {
          if (key == "version") return version = true, read_version(t);
          if (key == "execution") return execution = true, read_execution(v, t);
          if (key == "scheduling") {
            return read_scheduling(values_, v, t, r_.scheduling, scheduling_at_);
          }
          return walk_.skip(v, t);
        });
    if (!whole) return false;
    if (!version) return values_.missing(token, "an R", "version");
    if (!execution) return values_.missing(token, "an R", "execution");
    // Before the layouts are taken: they keep only the ranks of the set.
    if (limits_.rules == RRules::strict && r_.nslots > 0 && !check_allocation()) return false;
    if (limits_.layouts && r_.scheduling.treepool) {
      if (const auto taken = take_layouts(r_, *limits_.layouts); !taken) {
        const bool translated = taken.error().code == ErrorCode::limit;
        return walk_.refuse(translated ? scheduling_at_.topo_ids : scheduling_at_.children,
                            taken.error().text, taken.error().code);
      }
    }
    return true;
  }

  bool read_version(const Token& token) {
    std::int64_t version = 0;
    if (!values_.integer(token, "version", version)) return false;
    if (version == 1) return true;
    return walk_.refuse(token.offset,
                        fmt::format("version is {}; version 1 is what can be read", version));
  }

  bool read_execution(Value& value, const Token& token) {
    std::size_t r_lite = kAbsent, nodelist = kAbsent, expiration = kAbsent;
    const bool whole = values_.each_member(
        value, token, "execution", [&](std::string_view key, Value& v, const Token& t) {
          if (key == "R_lite") return r_lite = t.offset, read_entries(v, t);
          if (key == "nodelist") return nodelist = t.offset, read_hosts(v, t);
          if (key == "properties") return read_properties(v, t);
          if (key == "starttime") return values_.time(v, t, key, r_.starttime_s);
          if (key == "expiration") {
            return expiration = t.offset, values_.time(v, t, key, r_.expiration_s);
          }
          if (key == "nslots") return read_nslots(t);
          return walk_.skip(v, t, 2);
        });
    if (!whole) return false;
    if (r_lite == kAbsent) return values_.missing(token, "execution", "R_lite");
    if (r_.starttime_s > 0 && r_.expiration_s > 0 && r_.expiration_s <= r_.starttime_s) {
      return walk_.refuse(expiration, "expiration must be later than starttime");
    }
    if (!check_ranks(r_lite)) return false;
    if (nodelist == kAbsent && limits_.rules == RRules::strict) {
      return values_.missing(token, "execution", "nodelist");
    }
    const bool differs = nodelist != kAbsent && std::cmp_not_equal(r_.hosts.size(), ranks_);
    if (differs && limits_.any_hosts) {
      r_.hosts.clear();
    } else if (differs) {
      return walk_.refuse(nodelist, fmt::format("nodelist has {} hosts for the {} ranks of R_lite; "
                                                "each rank needs one",
                                                r_.hosts.size(), ranks_));
    }
    return check_properties();
  }

  bool read_nslots(const Token& token) {
    if (!values_.integer(token, "nslots", r_.nslots)) return false;
    return r_.nslots > 0 || walk_.refuse(token.offset, "nslots must be greater than 0");
  }

  bool read_entries(Value& value, const Token& token) {
    if (token.type == JsonWalk::Type::object && limits_.rules == RRules::merging) {
      return values_.each_member(value, token, "R_lite",
                                 [&](std::string_view, Value&, const Token& t) {
                                   return walk_.refuse(t.key_offset, "R_lite must be an array");
                                 });
    }
    const bool whole = values_.walk.elements(value, token, "R_lite", [&](Value& v, const Token& t) {
      RSet::Entry entry;
      if (!values_.entry(v, t, "an entry of R_lite", entry)) return false;
      r_.entries.push_back(std::move(entry));
      return true;
    });
    if (!whole || !r_.entries.empty() || limits_.rules != RRules::strict) return whole;
    return walk_.refuse(token.offset, "R_lite has no entry");
  }

  bool read_hosts(Value& value, const Token& token) {
    return values_.walk.elements(value, token, "nodelist", [&](Value& element, const Token& t) {
      std::string_view text;
      if (!walk_.word(element, t, "an entry of nodelist", text)) return false;
      const auto room = static_cast<std::size_t>(limits_.ranks_max) - r_.hosts.size();
      auto hosts = expand_hostlist(text, room);
      if (!hosts) {
        return walk_.refuse(t.offset, "nodelist: " + hosts.error().text, hosts.error().code);
      }
      for (std::string& host : *hosts) {
        if (auto wrong = RValues::wrong_word(host); !wrong.empty()) {
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
    return values_.each_member(
        value, token, "properties", [&](std::string_view name, Value& v, const Token& t) {
          if (!wrong_property(name).empty()) {
            return walk_.refuse(
                t.key_offset,
                fmt::format("a property is {}; it needs a name without ! & ' \" ^ ` | ( )",
                            xml::quoted(name)));
          }
          Idset ranks;
          if (!values_.idset(v, t, "property " + xml::quoted(name), ranks)) return false;
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
        if (limits_.rules == RRules::merging) return merge_ranks(at);
        return walk_.refuse(at,
                            fmt::format("rank {} is in two entries of R_lite", ranges[i].first));
      }
      ranks_ += ranges[i].second - ranges[i].first + 1;
    }
    return check_number_of_ranks(at);
  }

  bool merge_ranks(std::size_t at) {
    if (auto merged = merge_repeated_ranks(r_); !merged) {
      return walk_.refuse(at, "R_lite: " + merged.error().text, merged.error().code);
    }
    ranks_ = r_.ranks().count();
    return check_number_of_ranks(at);
  }

  bool check_number_of_ranks(std::size_t at) {
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
      const std::int64_t unknown = first_missing(ranks, known);
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

  // What holds of an allocation and not of an inventory.
  bool check_allocation() {
    for (std::size_t i = 0; i < r_.properties.size(); ++i) {
      if (!property_name(r_.properties[i].first).local) continue;
      return walk_.refuse(
          properties_at_[i],
          fmt::format("property {} is local to an instance; an allocation, which has "
                      "nslots, cannot have it",
                      xml::quoted(r_.properties[i].first)));
    }
    const std::int64_t other = first_missing(child_ranks(r_.scheduling), r_.ranks());
    if (other < 0) return true;
    return walk_.refuse(scheduling_at_.whole,
                        fmt::format("scheduling.children names rank {}, which this allocation does "
                                    "not have",
                                    other));
  }

  const RLimits& limits_;
  JsonWalk walk_;
  RValues values_;
  RSet r_;
  SchedulingPlaces scheduling_at_;
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

Result<std::vector<RSet>> read_rs(std::string_view text, std::string_view file,
                                  const RLimits& limits, std::size_t sets_max) {
  std::vector<RSet> out;
  TextPosition at;
  std::size_t next = std::min(text.find_first_not_of(kJsonBlanks), text.size());
  do {
    const std::size_t end = next + json_value_end(text.substr(next));
    Result<RSet> r =
        out.size() < sets_max
            ? read_r(text.substr(next, end - next), file, limits)
            : fail(ErrorCode::limit, fmt::format("the text has more than {} sets", sets_max),
                   {std::string(file), 1, 1});
    if (!r) {
      at.advance(text, next);
      SourceLocation& place = r.error().place;
      if (place.line == 1) place.column += at.column - 1;
      if (place.line > 0) place.line += at.line - 1;
      return std::unexpected(r.error());
    }
    out.push_back(std::move(*r));
    next = std::min(text.find_first_not_of(kJsonBlanks, end), text.size());
  } while (next < text.size());
  return out;
}

}  // namespace copse
