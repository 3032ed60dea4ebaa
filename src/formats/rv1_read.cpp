// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1_read.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/hostlist.hpp"
#include "formats/json_reader.hpp"
#include "formats/xml_text.hpp"

namespace copse {

namespace {

constexpr std::int64_t kRankMax = INT32_MAX;
constexpr std::int64_t kIdMax = INT64_C(1) << 53;  // of children; policies count with ids

using Named = std::pair<std::string, Idset>;

// Reads the text once, forwards, into r_.
class Reader : JsonReader {
 public:
  Reader(std::string_view text, std::string_view file, const RLimits& limits)
      : JsonReader(text, file), limits_(limits) {}

  Result<RSet> read() {
    auto ok = read_document([&](auto root) { return read_root(root); });
    if (!ok) return std::unexpected(ok.error());
    return std::move(r_);
  }

 private:
  // --- Values
  Result<Idset> read_idset(Value value, const std::string& what) {
    const char* at = start(value);
    const auto text = read_string(value, what);
    if (!text) return std::unexpected(text.error());
    auto ids = Idset::parse(*text);
    if (!ids) return refuse(at, fmt::format("{}: {}", what, ids.error().text), ids.error().code);
    return ids;
  }
  Result<Idset> read_ranks(Value value, const std::string& what) {
    const char* at = start(value);
    auto ranks = read_idset(value, what);
    if (ranks && ranks->empty()) return refuse(at, what + " names no rank");
    if (ranks && ranks->ranges().back().second > kRankMax) {
      return refuse(at, fmt::format("{} goes beyond rank {}", what, kRankMax), ErrorCode::limit);
    }
    return ranks;
  }
  Result<double> read_time(Value value, const std::string& what) {
    const char* at = start(value);
    auto time_s = read_number(value, what);
    if (time_s && *time_s < 0) return refuse(at, what + " must be 0 or more");
    return time_s;
  }

  // --- The parts of an R
  Result<void> read_root(Value root) {
    const char* at = start(root);
    bool version = false, execution = false;
    auto ok = each_member(root, "an R", [&](const auto& key, auto, auto value) -> Result<void> {
      if (key == "version") {
        version = true;
        return read_version(value);
      }
      if (key != "execution") return pass_over(value);
      execution = true;
      return read_execution(value);
    });
    if (!ok) return ok;
    if (!version) return missing(at, "an R", "version");
    if (!execution) return missing(at, "an R", "execution");
    return {};
  }

  Result<void> read_version(Value value) {
    const char* at = start(value);
    const auto version = read_integer(value, "version");
    if (!version) return std::unexpected(version.error());
    if (*version == 1) return {};
    return refuse(at, fmt::format("version is {}; version 1 is what can be read", *version));
  }

  Result<void> read_execution(Value value) {
    const char* at = start(value);
    const char *r_lite = nullptr, *nodelist = nullptr, *expiration = nullptr;
    auto ok = each_member(value, "execution", [&](const auto& key, auto, auto part) {
      if (key == "R_lite") {
        r_lite = start(part);
        return read_entries(part);
      }
      if (key == "nodelist") {
        nodelist = start(part);
        return read_hosts(part);
      }
      if (key == "properties") return read_properties(part);
      if (key == "starttime") return keep(read_time(part, key), r_.starttime_s);
      if (key == "nslots") return read_nslots(part);
      if (key != "expiration") return pass_over(part);
      expiration = start(part);
      return keep(read_time(part, key), r_.expiration_s);
    });
    if (!ok) return ok;
    if (r_lite == nullptr) return missing(at, "execution", "R_lite");
    if (r_.starttime_s > 0 && r_.expiration_s > 0 && r_.expiration_s <= r_.starttime_s) {
      return refuse(expiration, "expiration must be later than starttime");
    }
    if (auto checked = check_ranks(r_lite); !checked) return checked;
    if (nodelist != nullptr && std::cmp_not_equal(r_.hosts.size(), ranks_)) {
      return refuse(nodelist, fmt::format("nodelist has {} hosts for the {} ranks of R_lite; each "
                                          "rank needs one",
                                          r_.hosts.size(), ranks_));
    }
    return check_properties();
  }

  template <class T>
  static Result<void> keep(Result<T> read, T& to) {
    if (!read) return std::unexpected(read.error());
    to = std::move(*read);
    return {};
  }

  Result<void> read_nslots(Value value) {
    const char* at = start(value);
    const auto nslots = read_integer(value, "nslots");
    if (nslots && *nslots <= 0) return refuse(at, "nslots must be greater than 0");
    return keep(nslots, r_.nslots);
  }

  Result<void> read_entries(Value value) {
    return each_element(value, "R_lite", [&](auto element) -> Result<void> {
      const char* at = start(element);
      RSet::Entry entry;
      bool ranked = false, filled = false;
      auto ok = each_member(element, "an entry of R_lite",
                            [&](const auto& key, auto, auto part) -> Result<void> {
                              if (key == "rank") {
                                ranked = true;
                                return keep(read_ranks(part, key), entry.ranks);
                              }
                              if (key != "children") return pass_over(part);
                              filled = true;
                              return read_children(part, entry);
                            });
      if (!ok) return ok;
      if (!ranked) return missing(at, "an entry of R_lite", "rank");
      if (!filled) return missing(at, "an entry of R_lite", "children");
      r_.entries.push_back(std::move(entry));
      return {};
    });
  }

  Result<void> read_children(Value value, RSet::Entry& entry) {
    return each_member(
        value, "children", [&](const auto& type, auto at, auto part) -> Result<void> {
          if (auto wrong = wrong_word(type); !wrong.empty()) {
            return refuse(at, "a type of children " + wrong);
          }
          const char* ids_at = start(part);
          const std::string what = "children of type " + xml::quoted(type);
          auto ids = read_idset(part, what);
          if (!ids) return std::unexpected(ids.error());
          if (!ids->empty() && ids->ranges().back().second > kIdMax) {
            return refuse(ids_at, fmt::format("{} go beyond {}", what, kIdMax), ErrorCode::limit);
          }
          entry.children.emplace_back(type, std::move(*ids));
          return {};
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

  Result<void> read_hosts(Value value) {
    return each_element(value, "nodelist", [&](auto element) -> Result<void> {
      const char* at = start(element);
      const auto text = read_string(element, "an entry of nodelist");
      if (!text) return std::unexpected(text.error());
      const auto room = static_cast<std::size_t>(limits_.ranks_max) - r_.hosts.size();
      auto hosts = expand_hostlist(*text, room);
      if (!hosts) return refuse(at, "nodelist: " + hosts.error().text, hosts.error().code);
      for (std::string& host : *hosts) {
        if (auto wrong = wrong_word(host); !wrong.empty()) {
          return refuse(at, "a host of nodelist " + wrong);
        }
        if (auto split = split_host(host); !split) {
          return refuse(at, split.error().text, split.error().code);
        }
        r_.hosts.push_back(std::move(host));
      }
      return {};
    });
  }

  Result<void> read_properties(Value value) {
    return each_member(value, "properties",
                       [&](const auto& name, auto at, auto part) -> Result<void> {
                         if (name.empty() || name.find_first_of("!&'\"^`|()") != name.npos) {
                           return refuse(at, fmt::format("a property is {}; it needs a name "
                                                         "without ! & ' \" ^ ` | ( )",
                                                         xml::quoted(name)));
                         }
                         const char* ranks_at = start(part);
                         auto ranks = read_idset(part, "property " + xml::quoted(name));
                         if (!ranks) return std::unexpected(ranks.error());
                         r_.properties.emplace_back(name, std::move(*ranks));
                         properties_at_.push_back(ranks_at);
                         return {};
                       });
  }

  // --- What holds between the parts
  Result<void> check_ranks(const char* at) {
    std::vector<Idset::Range> ranges;
    for (const RSet::Entry& entry : r_.entries) {
      const auto& more = entry.ranks.ranges();
      ranges.insert(ranges.end(), more.begin(), more.end());
    }
    std::ranges::sort(ranges);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (i > 0 && ranges[i].first <= ranges[i - 1].second) {
        return refuse(at, fmt::format("rank {} is in two entries of R_lite", ranges[i].first));
      }
      ranks_ += ranges[i].second - ranges[i].first + 1;
    }
    if (ranks_ <= limits_.ranks_max) return {};
    return refuse(at,
                  fmt::format("R_lite has {} ranks; the limit is {}", ranks_, limits_.ranks_max),
                  ErrorCode::limit);
  }

  Result<void> check_properties() {
    if (r_.properties.empty()) return {};
    const Idset known = r_.ranks();
    std::int64_t uses = 0;
    for (std::size_t i = 0; i < r_.properties.size(); ++i) {
      const auto& [name, ranks] = r_.properties[i];
      const std::int64_t unknown = first_unknown(ranks, known);
      if (unknown >= 0) {
        return refuse(properties_at_[i], fmt::format("property {} names rank {}, which R_lite does "
                                                     "not have",
                                                     xml::quoted(name), unknown));
      }
      uses += ranks.count();
      if (uses > limits_.property_uses_max) {
        return refuse(properties_at_[i],
                      fmt::format("nodes have more than {} properties", limits_.property_uses_max),
                      ErrorCode::limit);
      }
    }
    return {};
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
  RSet r_;
  std::int64_t ranks_ = 0;
  std::vector<const char*> properties_at_;
};

}  // namespace

Result<RSet> read_r(std::string_view text, std::string_view file, const RLimits& limits) {
  if (text.size() > limits.text_bytes_max) {
    return fail(
        ErrorCode::limit,
        fmt::format("the text has {} bytes; the limit is {}", text.size(), limits.text_bytes_max),
        {std::string(file)});
  }
  return Reader(text, file, limits).read();
}

}  // namespace copse
