// SPDX-License-Identifier: Apache-2.0
#include "rset/rset.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/idset_algebra.hpp"
#include "rset/rset_children.hpp"

namespace copse {

Idset RSet::ranks() const {
  Idset out;
  for (const RankRange& at : sorted_ranges(*this)) out.add_range(at.range.first, at.range.second);
  return out;
}

std::vector<RankRange> sorted_ranges(const RSet& r) {
  std::vector<RankRange> out;
  for (std::size_t i = 0; i < r.entries.size(); ++i) {
    for (const Idset::Range& range : r.entries[i].ranks.ranges()) out.push_back({range, 0, i});
  }
  std::ranges::sort(out, {}, &RankRange::range);
  std::size_t before = 0;
  for (RankRange& at : out) {
    at.before = before;
    before += static_cast<std::size_t>(at.range.second - at.range.first + 1);
  }
  return out;
}

HostsByRank::HostsByRank(const RSet& r) : r_(r) {
  if (!r.hosts.empty()) ranges_ = sorted_ranges(r);
}

const std::string* HostsByRank::find(std::int64_t rank) const {
  const auto after = std::ranges::upper_bound(ranges_, rank, {},
                                              [](const RankRange& at) { return at.range.first; });
  if (after == ranges_.begin() || std::prev(after)->range.second < rank) return nullptr;
  const RankRange& at = *std::prev(after);
  const std::size_t host = at.before + static_cast<std::size_t>(rank - at.range.first);
  return host < r_.hosts.size() ? &r_.hosts[host] : nullptr;
}

const Idset* find_ids(const RSet::Children& children, std::string_view type) {
  const auto at = std::ranges::find(children, type, &RSet::Children::value_type::first);
  return at == children.end() ? nullptr : &at->second;
}

std::int64_t count(const RSet& r, std::string_view type) {
  std::int64_t total = 0;
  for (const RSet::Entry& entry : r.entries) {
    std::int64_t each = 0;
    if (type == "node") {
      each = is_empty(entry.children) ? 0 : 1;
    } else if (const Idset* ids = find_ids(entry.children, type)) {
      each = ids->count();
    }
    std::int64_t all = 0;
    if (__builtin_mul_overflow(each, entry.ranks.count(), &all) ||
        __builtin_add_overflow(total, all, &total)) {
      return INT64_MAX;
    }
  }
  return total;
}

std::vector<std::string> types(const RSet& r) {
  std::set<std::string> out;
  for (const RSet::Entry& entry : r.entries) {
    for (const auto& [type, ids] : entry.children) {
      if (!ids.empty()) out.insert(type);
    }
  }
  return {out.begin(), out.end()};
}

bool is_empty(const RSet::Children& children) {
  return std::ranges::all_of(children, [](const auto& child) { return child.second.empty(); });
}

void sort_children(RSet::Children& children) {
  std::erase_if(children, [](const auto& child) { return child.second.empty(); });
  std::ranges::sort(children, {}, &RSet::Children::value_type::first);
}

namespace {

// FNV-1a over types and ranges.
struct ChildrenHash {
  std::size_t operator()(const RSet::Children& children) const {
    std::uint64_t hash = UINT64_C(0xCBF29CE484222325);
    const auto add = [&hash](std::uint64_t word) {
      hash = (hash ^ word) * UINT64_C(0x100000001B3);
      hash ^= hash >> 29;  // ids differ in low bits only
    };
    for (const auto& [type, ids] : children) {
      add(std::hash<std::string>{}(type));
      for (const auto& [first, last] : ids.ranges()) {
        add(static_cast<std::uint64_t>(first));
        add(static_cast<std::uint64_t>(last));
      }
    }
    return static_cast<std::size_t>(hash);
  }
};

}  // namespace

std::vector<RSet::Entry> joined(std::vector<RSet::Entry> entries) {
  std::unordered_map<RSet::Children, std::vector<Idset::Range>, ChildrenHash> alike;
  alike.reserve(entries.size());
  for (RSet::Entry& entry : entries) {
    sort_children(entry.children);
    if (entry.children.empty() || entry.ranks.empty()) continue;
    auto& ranges = alike[std::move(entry.children)];
    ranges.insert(ranges.end(), entry.ranks.ranges().begin(), entry.ranks.ranges().end());
  }
  std::vector<RSet::Entry> out;
  out.reserve(alike.size());
  while (!alike.empty()) {
    auto node = alike.extract(alike.begin());
    out.push_back({idset_of(std::move(node.mapped())), std::move(node.key())});
  }
  std::ranges::sort(out, {},
                    [](const RSet::Entry& entry) { return entry.ranks.ranges().front().first; });
  return out;
}

std::vector<std::string> hosts_of(const RSet& r, const Idset& ranks) {
  if (r.hosts.empty()) return {};
  const HostsByRank by_rank(r);
  std::vector<std::string> out;
  out.reserve(static_cast<std::size_t>(ranks.count()));
  for (const auto& [first, last] : ranks.ranges()) {
    for (std::int64_t rank = first; rank <= last; ++rank) out.push_back(*by_rank.find(rank));
  }
  return out;
}

std::vector<std::pair<std::string, Idset>> properties_of(const RSet& r, const Idset& ranks) {
  std::vector<std::pair<std::string, Idset>> out;
  for (const auto& [name, of] : r.properties) {
    Idset left = intersect(of, ranks);
    if (!left.empty()) out.emplace_back(name, std::move(left));
  }
  std::ranges::sort(out, {}, &std::pair<std::string, Idset>::first);
  return out;
}

RSet canonical(RSet r) {
  std::vector<Idset::Range> emptied;
  for (const RSet::Entry& entry : r.entries) {
    if (!is_empty(entry.children)) continue;
    emptied.insert(emptied.end(), entry.ranks.ranges().begin(), entry.ranks.ranges().end());
  }
  Idset left = r.ranks();
  if (!emptied.empty()) {
    left = subtract(left, idset_of(std::move(emptied)));
    r.hosts = hosts_of(r, left);
  }
  r.properties = properties_of(r, left);
  r.entries = joined(std::move(r.entries));
  join(r.scheduling);
  return r;
}

}  // namespace copse
