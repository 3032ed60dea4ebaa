// SPDX-License-Identifier: Apache-2.0
#include "rset/rset_algebra.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/idset_algebra.hpp"
#include "rset/rset_children.hpp"
#include "rset/rset_combine.hpp"

namespace copse {

namespace {

using Children = RSet::Children;

Children united(const Children& a, const Children& b) {
  Children out;
  each_type(a, b, [&](const std::string& type, const Idset& x, const Idset& y) {
    out.emplace_back(type, unite(x, y));
  });
  return out;
}

Result<Children> appended(const Children& a, const Children& b, std::int64_t rank) {
  std::string twice;
  each_type(a, b, [&](const std::string& type, const Idset& x, const Idset& y) {
    const std::int64_t id = twice.empty() ? first_common(x, y) : -1;
    if (id >= 0) twice = fmt::format("{:.64}{}", type, id);
  });
  if (twice.empty()) return united(a, b);
  return fail(ErrorCode::exists, fmt::format("rank {} has {} twice", rank, twice));
}

// --- Hosts, properties and times

Result<void> common_time(RSet& out, const RSet& a, const RSet& b) {
  out.starttime_s = std::max(a.starttime_s, b.starttime_s);
  out.expiration_s = a.expiration_s == 0 || b.expiration_s == 0
                         ? std::max(a.expiration_s, b.expiration_s)
                         : std::min(a.expiration_s, b.expiration_s);
  if (out.expiration_s == 0 || out.expiration_s > out.starttime_s) return {};
  return fail(ErrorCode::invalid,
              fmt::format("one set expires at {} and the other starts at {}; they are valid at no "
                          "common time",
                          out.expiration_s, out.starttime_s));
}

// Properties of both on ranks of the result.
void common_properties(RSet& out, const RSet& a, const RSet& b, const Idset& ranks) {
  const auto x = properties_of(a, ranks), y = properties_of(b, ranks);
  each_type(x, y, [&](const std::string& name, const Idset& of_x, const Idset& of_y) {
    out.properties.emplace_back(name, unite(of_x, of_y));
  });
}

// The ranks of both that have different hosts.
Idset renamed_ranks(const RSet& a, const RSet& b) {
  Idset out;
  if (a.hosts.empty() || b.hosts.empty()) return out;
  const HostsByRank hosts_a(a), hosts_b(b);
  const Idset common = intersect(a.ranks(), b.ranks());
  for (const auto& [first, last] : common.ranges()) {
    for (std::int64_t rank = first; rank <= last; ++rank) {
      if (*hosts_a.find(rank) != *hosts_b.find(rank)) out.add(rank);
    }
  }
  return out;
}

// Hosts of these ranks out of either set; none if one rank has none.
std::vector<std::string> hosts_of_either(const RSet& a, const RSet& b, const Idset& ranks) {
  std::vector<std::string> out;
  if (a.hosts.empty() && b.hosts.empty()) return out;
  const HostsByRank hosts_a(a), hosts_b(b);
  for (const auto& [first, last] : ranks.ranges()) {
    for (std::int64_t rank = first; rank <= last; ++rank) {
      const std::string* host = hosts_a.find(rank);
      if (host == nullptr) host = hosts_b.find(rank);
      if (host == nullptr) return {};
      out.push_back(*host);
    }
  }
  return out;
}

Result<RSet> put_together(const RSet& a, const RSet& b, Result<std::vector<RSet::Entry>> entries) {
  if (!entries) return std::unexpected(entries.error());
  if (const Idset renamed = renamed_ranks(a, b); !renamed.empty()) {
    const std::int64_t rank = renamed.ranges().front().first;
    return fail(ErrorCode::invalid,
                fmt::format("rank {} is host {:.64} in one set and {:.64} in the other", rank,
                            *HostsByRank(a).find(rank), *HostsByRank(b).find(rank)));
  }
  RSet out;
  out.entries = std::move(*entries);
  const Idset ranks = out.ranks();
  out.hosts = hosts_of_either(a, b, ranks);
  common_properties(out, a, b, ranks);
  if (auto ok = common_time(out, a, b); !ok) return std::unexpected(ok.error());
  out.scheduling = a.scheduling;
  align(out.scheduling, a.ranks());
  RScheduling more = b.scheduling;
  align(more, b.ranks());
  add(out.scheduling, more);
  return out;
}

// A set with these entries, and the rest of `r`.
RSet rest_of(const RSet& r, std::vector<RSet::Entry> entries) {
  RSet out;
  out.entries = std::move(entries);
  const Idset ranks = out.ranks();
  out.hosts = hosts_of(r, ranks);
  out.properties = properties_of(r, ranks);
  out.starttime_s = r.starttime_s;
  out.expiration_s = r.expiration_s;
  out.scheduling = r.scheduling;
  align(out.scheduling, r.ranks());
  trim(out.scheduling, ranks);
  return out;
}

bool same_entries(const std::vector<RSet::Entry>& a, const std::vector<RSet::Entry>& b) {
  return std::ranges::equal(a, b, [](const RSet::Entry& x, const RSet::Entry& y) {
    return x.ranks == y.ranks && x.children == y.children;
  });
}

}  // namespace

Result<RSet> append(const RSet& a, const RSet& b) {
  const RSet x = canonical(a), y = canonical(b);
  auto out = put_together(x, y, combine(x, y, appended));
  if (out && a.nslots > 0 && b.nslots > 0 &&
      __builtin_add_overflow(a.nslots, b.nslots, &out->nslots)) {
    return fail(ErrorCode::limit, "the slots of both sets together do not fit 64 bits");
  }
  return out;
}

Result<RSet> unite(const RSet& a, const RSet& b) {
  const RSet x = canonical(a), y = canonical(b);
  return put_together(x, y, combine(x, y, [](const Children& p, const Children& q, std::int64_t) {
                        return Result<Children>(united(p, q));
                      }));
}

Result<RSet> intersect(const RSet& a, const RSet& b) {
  const RSet x = canonical(a), all = canonical(b);
  const Idset renamed = renamed_ranks(x, all);
  const RSet y = renamed.empty() ? all : select_ranks(all, subtract(all.ranks(), renamed));
  auto entries = combine(x, y, [](const Children& p, const Children& q, std::int64_t) {
    Children out;
    each_type(p, q, [&](const std::string& type, const Idset& of_p, const Idset& of_q) {
      out.emplace_back(type, intersect(of_p, of_q));
    });
    return Result<Children>(std::move(out));
  });
  if (!entries) return std::unexpected(entries.error());
  RSet out = rest_of(x, std::move(*entries));
  const Idset ranks = out.ranks();
  if (out.hosts.empty()) out.hosts = hosts_of(y, ranks);
  out.properties.clear();
  common_properties(out, x, y, ranks);
  if (auto ok = common_time(out, x, y); !ok) return std::unexpected(ok.error());
  if (!out.scheduling.present()) {
    out.scheduling = all.scheduling;
    align(out.scheduling, all.ranks());
    trim(out.scheduling, ranks);
  }
  return out;
}

Result<RSet> subtract(const RSet& a, const RSet& b) {
  const RSet x = canonical(a), y = canonical(b);
  auto entries = combine(x, y, [](const Children& p, const Children& q, std::int64_t) {
    Children out;
    each_type(p, q, [&](const std::string& type, const Idset& of_p, const Idset& of_q) {
      out.emplace_back(type, subtract(of_p, of_q));
    });
    return Result<Children>(std::move(out));
  });
  if (!entries) return std::unexpected(entries.error());
  RSet out = rest_of(x, std::move(*entries));
  if (same_entries(out.entries, x.entries)) out.nslots = x.nslots;
  return out;
}

RSet select_ranks(const RSet& r, const Idset& ranks) {
  const RSet whole = canonical(r);
  std::vector<RSet::Entry> entries;
  entries.reserve(whole.entries.size());
  for (const RSet::Entry& entry : whole.entries) {
    entries.push_back({intersect(entry.ranks, ranks), entry.children});
  }
  RSet out = rest_of(whole, joined(std::move(entries)));
  if (same_entries(out.entries, whole.entries)) out.nslots = whole.nslots;
  return out;
}

Result<void> merge_repeated_ranks(RSet& r, Repeated ids) {
  const std::vector<RankRange> ranges = sorted_ranges(r);
  std::vector<std::int64_t> ends;  // where what covers a rank changes
  for (const RankRange& at : ranges) {
    ends.push_back(at.range.first);
    ends.push_back(at.range.second + 1);
  }
  std::ranges::sort(ends);
  const auto rest = std::ranges::unique(ends);
  ends.erase(rest.begin(), rest.end());
  std::multiset<std::pair<std::int64_t, std::size_t>> open;  // last rank, entry
  std::vector<RSet::Entry> out;
  std::int64_t work = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    for (; next < ranges.size() && ranges[next].range.first == ends[i]; ++next) {
      open.emplace(ranges[next].range.second, ranges[next].entry);
    }
    while (!open.empty() && open.begin()->first < ends[i]) open.erase(open.begin());
    if (open.empty()) continue;
    Children children;
    for (const auto& [last, entry] : open) {
      Children more = r.entries[entry].children;
      sort_children(more);
      work += weight(more) + weight(children);
      if (work > kWorkMax) return too_much();
      auto both = ids == Repeated::refused ? appended(children, more, ends[i])
                                           : Result<Children>(united(children, more));
      if (!both) return std::unexpected(both.error());
      children = std::move(*both);
    }
    out.push_back({{}, std::move(children)});
    out.back().ranks.add_range(ends[i], ends[i + 1] - 1);
  }
  r.entries = std::move(out);
  return {};
}

}  // namespace copse
