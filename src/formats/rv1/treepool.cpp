// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/treepool.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "formats/rv1/treepool_ids.hpp"
#include "formats/rv1/treepool_topo.hpp"
#include "rset/rset_children.hpp"
#include "rset/rset_positions.hpp"
#include "text/json_walk.hpp"
#include "text/xml_text.hpp"

namespace copse {

namespace {

using Object = JsonWalk::Object;
using Array = JsonWalk::Array;
using Value = JsonWalk::Value;
using Token = JsonWalk::Token;

constexpr std::uint32_t kJsonDepthMax = 256;  // as of read_r()

// The JSON value that begins at `offset`. REQUIRES that it was read and is valid.
std::string_view extent(std::string_view text, std::size_t offset) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = offset; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
      if (!quoted && depth == 0) return text.substr(offset, i + 1 - offset);
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '{' || c == '[') ++depth;
    const bool ends =
        c == '}' || c == ']' || c == ',' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (depth == 0 && ends) return text.substr(offset, i - offset);  // a number or a word
    if ((c == '}' || c == ']') && --depth == 0) return text.substr(offset, i + 1 - offset);
  }
  return text.substr(offset);
}

// A member "key": value as it stands in the text.
std::string member(std::string_view text, const std::pair<std::size_t, std::size_t>& place) {
  return fmt::format("{}: {}", extent(text, place.first), extent(text, place.second));
}

class KeyReader {
 public:
  KeyReader(std::string_view text, std::string_view file, const TreepoolLimits& limits)
      : limits_(limits), walk_(text, 0, file, {text.size(), text.size(), kJsonDepthMax}) {}

  Result<std::optional<TreepoolKey>> read(const Idset& ranks) {
    Object root;
    const bool whole = walk_.open(root) &&
                       walk_.for_each_member(root,
                                             [&](std::string_view key, Value& v, const Token& t) {
                                               return key == "scheduling" ? read_scheduling(v, t)
                                                                          : walk_.skip(v, t);
                                             }) &&
                       walk_.close();
    if (!whole) return std::unexpected(walk_.error());
    if (!treepool_) return std::optional<TreepoolKey>();
    if (!map_ranks(ranks) || !translate_ids()) return std::unexpected(walk_.error());
    share_layouts();
    return std::optional<TreepoolKey>(std::move(key_));
  }

 private:
  using Places = std::vector<std::pair<std::size_t, std::size_t>>;  // of keys and their values

  struct Child {
    Idset ranks;
    Layout layout;
    Places other;
    std::size_t at = 0;
  };

  // `writer` may stand behind `children`: what those have is only refused if it is TreePool's.
  bool read_scheduling(Value& value, const Token& token) {
    if (token.type != JsonWalk::Type::object) return walk_.skip(value, token);
    Object object;
    if (!walk_.object(value, token, "scheduling", object)) return false;
    std::size_t members = 0;
    std::optional<std::size_t> children, topo_ids;  // which members they are
    Places other;
    std::unordered_set<std::string> met;
    const bool whole =
        walk_.for_each_member(object, [&](std::string_view key, Value& v, const Token& t) {
          ++members;
          if (!met.emplace(key).second) {
            return walk_.refuse(t.key_offset,
                                fmt::format("scheduling has the key {} twice", xml::quoted(key)));
          }
          if (key == "children" || key == "topo_ids") {
            (key == "children" ? children : topo_ids) = members - 1;
            (key == "children" ? children_at_ : topo_ids_at_) = t.offset;
            return true;  // read below, once it is known whose they are
          }
          other.emplace_back(t.key_offset, t.offset);
          if (key == "writer" && t.raw == "\"TreePool\"") treepool_ = true;
          return walk_.skip(v, t, 2);
        });
    if (!whole || !treepool_) return whole;
    for (const auto& place : other) {
      if (!key_.other.empty()) key_.other += ", ";
      key_.other += member(walk_.text(), place);
    }
    const auto read_later = [&](std::optional<std::size_t> at, auto read) {
      return !at || walk_.member_again(object, *at, read);
    };
    return read_later(children, [&](Value& v, const Token& t) { return read_children(v, t); }) &&
           read_later(topo_ids, [&](Value& v, const Token& t) {
             return read_topo_ids(walk_, v, t, limits_, key_.topo_ids);
           });
  }

  bool read_children(Value& value, const Token& token) {
    Array array;
    if (!walk_.array(value, token, "children of scheduling", array)) return false;
    return walk_.for_each_element(array, [&](Value& element, const Token& t) {
      if (children_.size() == limits_.children_max) {
        return walk_.refuse(t.offset,
                            fmt::format("children has more than {} entries", limits_.children_max),
                            ErrorCode::limit);
      }
      return read_child(element, t);
    });
  }

  bool read_child(Value& value, const Token& token) {
    constexpr std::string_view kWhat = "an entry of children";
    Object object;
    if (!walk_.object(value, token, kWhat, object)) return false;
    Child child;
    child.at = token.offset;
    bool ranks = false, topo = false;
    std::unordered_set<std::string> met;
    const bool whole =
        walk_.for_each_member(object, [&](std::string_view key, Value& v, const Token& t) {
          if (!met.emplace(key).second) {
            return walk_.refuse(t.key_offset,
                                fmt::format("{} has the key {} twice", kWhat, xml::quoted(key)));
          }
          if (key == "ranks") return ranks = true, read_ranks(v, t, child);
          child.other.emplace_back(t.key_offset, t.offset);
          if (key != "topo") return walk_.skip(v, t, 4);
          topo = true;
          return read_topo(walk_, v, t, limits_, domains_, child.layout);
        });
    if (!whole) return false;
    if (!ranks || !topo) {
      return walk_.refuse(token.offset,
                          fmt::format("{} has no key \"{}\"", kWhat, ranks ? "topo" : "ranks"));
    }
    children_.push_back(std::move(child));
    return true;
  }

  bool read_ranks(Value& value, const Token& token, Child& child) {
    std::string_view text;
    if (!walk_.word(value, token, "ranks of an entry of children", text)) return false;
    auto ids = Idset::parse(text);
    if (!ids) {
      return walk_.refuse(token.offset, "ranks of an entry of children: " + ids.error().text,
                          ids.error().code);
    }
    if (ids->empty()) return walk_.refuse(token.offset, "an entry of children names no rank");
    child.ranks = std::move(*ids);
    return true;
  }

  // Ranges of ranks of all entries, ascending, with the number of ranks before each.
  struct Named {
    Idset::Range range;
    std::uint32_t child;
    std::int64_t before;
  };

  bool sort_ranks(std::vector<Named>& named, std::int64_t& count) {
    for (std::uint32_t c = 0; c < children_.size(); ++c) {
      for (const auto& range : children_[c].ranks.ranges()) named.push_back({range, c, 0});
    }
    std::ranges::sort(named, {}, &Named::range);
    count = 0;
    for (std::size_t i = 0; i < named.size(); ++i) {
      const auto [first, last] = named[i].range;
      if (i > 0 && first <= named[i - 1].range.second) {
        return walk_.refuse(children_[named[i].child].at,
                            fmt::format("rank {} is in two entries of children", first));
      }
      named[i].before = count;
      if (__builtin_add_overflow(count, last - first + 1, &count)) {
        return walk_.refuse(children_at_, "children names more than 2^63 ranks", ErrorCode::limit);
      }
    }
    return true;
  }

  bool map_ranks(const Idset& ranks) {
    std::vector<Named> named;
    std::int64_t count = 0;
    if (!sort_ranks(named, count)) return false;
    const std::int64_t have = ranks.count();
    const bool in_order = count == have;
    std::vector<Idset> mapped(children_.size());
    auto add = [&](std::uint32_t child, std::int64_t first, std::int64_t last) {
      mapped[child].add_range(first, last);
      key_.layouts.ranks.push_back({first, last, child});
    };
    std::int64_t before = 0;  // ranks of R_lite before the range
    std::size_t at = 0;
    for (const auto& [first, last] : ranks.ranges()) {
      // In order: positions are compared; else the ranks themselves.
      const std::int64_t from = in_order ? before : first, to = from + (last - first);
      auto begin_of = [&](const Named& n) { return in_order ? n.before : n.range.first; };
      auto end_of = [&](const Named& n) { return begin_of(n) + (n.range.second - n.range.first); };
      while (at < named.size() && end_of(named[at]) < from) ++at;
      for (std::size_t i = at; i < named.size() && begin_of(named[i]) <= to; ++i) {
        const std::int64_t low = std::max(from, begin_of(named[i]));
        const std::int64_t high = std::min(to, end_of(named[i]));
        add(named[i].child, first + (low - from), first + (high - from));
      }
      before += last - first + 1;
    }
    if (count > 0 && have > 0 && key_.layouts.ranks.empty()) {
      return walk_.refuse(children_at_,
                          fmt::format("children names {} ranks, none of them among the {} of "
                                      "R_lite, and so many others cannot be those renumbered",
                                      count, have));
    }
    map_topo_ids(named, ranks, in_order);
    key_.children.reserve(children_.size());
    for (std::uint32_t c = 0; c < children_.size(); ++c) {
      TreepoolKey::Child child{std::move(mapped[c]), {}};
      for (const auto& place : children_[c].other) {
        if (!child.other.empty()) child.other += ", ";
        child.other += member(walk_.text(), place);
      }
      key_.children.push_back(std::move(child));
    }
    return true;
  }

  // Ranks of `topo_ids` are numbered as those of `children`; of others nothing is known.
  void map_topo_ids(const std::vector<Named>& named, const Idset& ranks, bool in_order) {
    Idset all;
    for (const Named& n : named) all.add_range(n.range.first, n.range.second);
    const Positions from(all), to(ranks);
    for (RSet::Entry& entry : key_.topo_ids) {
      if (!in_order) {
        entry.ranks = intersect(entry.ranks, ranks);
        continue;
      }
      std::vector<Idset::Range> moved;
      from.each_position(entry.ranks, [&](std::int64_t first, std::int64_t last) {
        to.append_ids(first, last, moved);
      });
      entry.ranks = idset_of(std::move(moved));
    }
    key_.topo_ids = joined(std::move(key_.topo_ids));
  }

  bool translate_ids() {
    for (Child& child : children_) layouts_.push_back(std::move(child.layout));
    return TopoIds(key_.topo_ids, limits_.translated_bytes_max)
               .translate(key_.layouts.ranks, layouts_) ||
           walk_.refuse(topo_ids_at_,
                        fmt::format("layouts with the ids of topo_ids come to more than {} bytes",
                                    limits_.translated_bytes_max),
                        ErrorCode::limit);
  }

  // Equal layouts become one, compared whole.
  void share_layouts() {
    std::vector<std::uint32_t> number(layouts_.size());
    std::unordered_multimap<std::size_t, std::uint32_t> known;
    auto& layouts = key_.layouts.layouts;
    for (std::uint32_t c = 0; c < layouts_.size(); ++c) {
      Layout& layout = layouts_[c];
      const std::size_t hash = hash_of(layout);
      const auto [first, last] = known.equal_range(hash);
      const auto same = std::find_if(
          first, last, [&](const auto& entry) { return layouts[entry.second] == layout; });
      if (same != last) {
        number[c] = same->second;
        continue;
      }
      number[c] = static_cast<std::uint32_t>(layouts.size());
      known.emplace(hash, number[c]);
      layouts.push_back(std::move(layout));
    }
    for (Layouts::Ranks& ranks : key_.layouts.ranks) ranks.layout = number[ranks.layout];
  }

  static std::size_t hash_of(const Layout& layout) {
    std::size_t hash = layout.domains.size() * 31 + layout.storage.size();
    auto mix = [&](std::size_t word) { hash = hash * 1'000'003 + word; };
    for (const Domain& d : layout.domains) {
      mix(std::hash<std::string>{}(d.name));
      mix(d.parent);
      for (const IdRanges* ids : {&d.cores, &d.gpus}) {
        for (const auto& [first, last] : *ids) {
          mix(static_cast<std::size_t>(first));
          mix(static_cast<std::size_t>(last));
        }
      }
    }
    return hash;
  }

  const TreepoolLimits& limits_;
  JsonWalk walk_;
  bool treepool_ = false;
  std::size_t children_at_ = 0, topo_ids_at_ = 0;
  std::vector<Child> children_;
  std::vector<Layout> layouts_;  // of children_, and those in ids of topo_ids
  std::uint32_t domains_ = 0;    // of all entries so far
  TreepoolKey key_;
};

}  // namespace

Result<std::optional<TreepoolKey>> read_treepool(std::string_view text, const Idset& ranks,
                                                 std::string_view file,
                                                 const TreepoolLimits& limits) {
  return KeyReader(text, file, limits).read(ranks);
}

void append_treepool(std::string& out, const TreepoolKey& key,
                     std::span<const std::int64_t> ranks) {
  out += '{';
  out += key.other;
  if (!key.children.empty()) {
    out += key.other.empty() ? "\"children\": [" : ", \"children\": [";
    bool first = true;
    for (const TreepoolKey::Child& child : key.children) {
      const Idset kept = those_among(child.ranks, ranks);
      if (kept.empty()) continue;
      out += first ? "{\"ranks\": \"" : ", {\"ranks\": \"";
      first = false;
      kept.append_text(out);
      out += "\", ";
      out += child.other;
      out += '}';
    }
    out += ']';
  }
  append_topo_ids(out, key.topo_ids, ranks);
  out += '}';
}

}  // namespace copse
