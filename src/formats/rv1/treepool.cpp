// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/treepool.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "copse/layout.hpp"
#include "rset/rset_children.hpp"

namespace copse {

namespace {

// `topo_ids` of a `scheduling` key (rset/rset_scheduling.hpp): on a rank that an entry names, core
// k of R_lite is the k-th smallest, from 0, of the entry's ids of type core in `topo`; gpus
// likewise. What no entry names has the ids of `topo`.
//
// Here layouts are translated to the ids of R_lite. An id of `topo` that the entry does not have is
// none of the instance's and goes; a domain that is left without any stays, empty, as one does that
// a node has nothing of. An id of R_lite that the entry has no place for is in no domain.
//
// Translates layouts; each of them once for each entry that it meets.
// Cost: O(text of the layouts × log ranges of the entry) for each such pair, at most `bytes_max`
// bytes altogether.
class TopoIds {
 public:
  TopoIds(const std::vector<REntry>& entries, std::size_t bytes_max)
      : entries_(entries), bytes_max_(bytes_max) {}

  // Splits `ranks` (ascending, `layout` an index of `layouts`) where entries begin and end, and
  // appends to `layouts` what those parts have that an entry names. False if that is too much.
  [[nodiscard]] bool translate(std::vector<Layouts::Ranks>& ranks, std::vector<Layout>& layouts);

 private:
  struct Part {
    std::int64_t first, last;
    std::uint32_t entry;
  };
  [[nodiscard]] std::vector<Part> parts() const;
  [[nodiscard]] bool layout_of(std::uint32_t entry, std::uint32_t layout,
                               std::vector<Layout>& layouts, std::uint32_t& out);

  const std::vector<REntry>& entries_;
  std::size_t bytes_max_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // layout and entry → layout
};

// What the ids of `topo` are called in the instance. Places are found by halving, so that a range
// costs the logarithm of the ranges of the map, however many of them it covers.
class InstanceIds {
 public:
  explicit InstanceIds(const Idset* ids) {
    if (ids == nullptr) return;
    renamed_ = true;
    ranges_ = ids->ranges();
    before_.reserve(ranges_.size());
    std::int64_t before = 0;
    for (const auto& [first, last] : ranges_) {
      before_.push_back(before);
      before += last - first + 1;
    }
  }

  [[nodiscard]] IdRanges of(const IdRanges& in_topo) const {
    if (!renamed_) return in_topo;
    IdRanges out;
    for (const auto& [first, last] : in_topo) {
      const std::int64_t from = below(first), end = below(last + 1);
      if (from == end) continue;
      if (!out.empty() && out.back().second + 1 == from) {
        out.back().second = end - 1;
      } else {
        out.emplace_back(from, end - 1);
      }
    }
    return out;
  }

 private:
  // How many ids of the set are smaller.
  [[nodiscard]] std::int64_t below(std::int64_t id) const {
    const auto at = std::ranges::lower_bound(ranges_, id, {}, &Idset::Range::first);
    if (at == ranges_.begin()) return 0;
    const auto range = static_cast<std::size_t>(at - ranges_.begin()) - 1;
    const auto& [first, last] = ranges_[range];
    return before_[range] + std::min(id, last + 1) - first;
  }

  bool renamed_ = false;
  std::vector<Idset::Range> ranges_;
  std::vector<std::int64_t> before_;  // ids before the range
};

std::size_t bytes_of(const Layout& layout) {
  std::size_t bytes = sizeof(Layout);
  for (const Domain& d : layout.domains) {
    bytes += sizeof(Domain) + d.name.size() +
             (d.cores.size() + d.gpus.size()) * sizeof(IdRanges::value_type);
  }
  for (const Storage& s : layout.storage) bytes += sizeof(Storage) + s.path.size() + s.unit.size();
  return bytes;
}

std::vector<TopoIds::Part> TopoIds::parts() const {
  std::vector<Part> out;
  for (std::uint32_t e = 0; e < entries_.size(); ++e) {
    for (const auto& [first, last] : entries_[e].ranks.ranges()) out.push_back({first, last, e});
  }
  std::ranges::sort(out, {}, &Part::first);
  return out;
}

bool TopoIds::layout_of(std::uint32_t entry, std::uint32_t layout, std::vector<Layout>& layouts,
                        std::uint32_t& out) {
  const auto next = static_cast<std::uint32_t>(layouts.size());
  const std::uint64_t pair = (std::uint64_t{entry} << 32) | layout;
  const auto [at, is_new] = known_.try_emplace(pair, next);
  out = at->second;
  if (!is_new) return true;
  const std::size_t bytes = bytes_of(layouts[layout]);
  if (bytes > bytes_max_) return false;
  bytes_max_ -= bytes;
  Layout mine = layouts[layout];
  const InstanceIds cores(find_ids(entries_[entry].children, "core"));
  const InstanceIds gpus(find_ids(entries_[entry].children, "gpu"));
  for (Domain& domain : mine.domains) {
    domain.cores = cores.of(domain.cores);
    domain.gpus = gpus.of(domain.gpus);
  }
  layouts.push_back(std::move(mine));
  return true;
}

bool TopoIds::translate(std::vector<Layouts::Ranks>& ranks, std::vector<Layout>& layouts) {
  const std::vector<Part> entries = parts();
  if (entries.empty()) return true;
  std::vector<Layouts::Ranks> out;
  auto at = entries.begin();
  for (const Layouts::Ranks& given : ranks) {
    std::int64_t next = given.first;  // the first that is not in `out`
    while (at != entries.end() && at->last < given.first) ++at;
    for (auto part = at; part != entries.end() && part->first <= given.last; ++part) {
      const std::int64_t first = std::max(part->first, given.first);
      const std::int64_t last = std::min(part->last, given.last);
      std::uint32_t layout = 0;
      if (!layout_of(part->entry, given.layout, layouts, layout)) return false;
      if (first > next) out.push_back({next, first - 1, given.layout});
      out.push_back({first, last, layout});
      next = last + 1;
    }
    if (next <= given.last) out.push_back({next, given.last, given.layout});
  }
  ranks = std::move(out);
  return true;
}

std::size_t hash_of(const Layout& layout) {
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

// Equal layouts become one, compared whole.
Layouts shared(std::vector<Layout> layouts, std::vector<Layouts::Ranks> ranks) {
  Layouts out;
  std::vector<std::uint32_t> number;
  std::unordered_multimap<std::size_t, std::uint32_t> known;
  for (Layout& layout : layouts) {
    const std::size_t hash = hash_of(layout);
    const auto [first, last] = known.equal_range(hash);
    const auto same = std::find_if(
        first, last, [&](const auto& entry) { return out.layouts[entry.second] == layout; });
    if (same != last) {
      number.push_back(same->second);
      continue;
    }
    number.push_back(static_cast<std::uint32_t>(out.layouts.size()));
    known.emplace(hash, number.back());
    out.layouts.push_back(std::move(layout));
  }
  for (Layouts::Ranks& range : ranks) range.layout = number[range.layout];
  out.ranks = std::move(ranks);
  return out;
}

}  // namespace

Result<void> take_layouts(RSet& r, const TreepoolLimits& limits) {
  RScheduling& scheduling = r.scheduling;
  const Idset ranks = r.ranks();
  const std::int64_t named = child_ranks(scheduling).count();
  align(scheduling, ranks);
  trim(scheduling, ranks);
  scheduling.topo_ids = joined(std::move(scheduling.topo_ids));
  if (named > 0 && !ranks.empty() && scheduling.children.empty()) {
    return fail(ErrorCode::invalid,
                fmt::format("children names {} ranks, none of them among the {} of R_lite, and so "
                            "many others cannot be those renumbered",
                            named, ranks.count()));
  }
  std::vector<Layout> layouts;
  std::vector<Layouts::Ranks> by_rank;
  for (RScheduling::Child& child : scheduling.children) {
    for (const auto& [first, last] : child.ranks.ranges()) {
      by_rank.push_back({first, last, static_cast<std::uint32_t>(layouts.size())});
    }
    layouts.push_back(std::exchange(child.layout, {}));
  }
  std::ranges::sort(by_rank, {}, &Layouts::Ranks::first);
  if (!TopoIds(scheduling.topo_ids, limits.translated_bytes_max).translate(by_rank, layouts)) {
    return fail(ErrorCode::limit,
                fmt::format("layouts with the ids of topo_ids come to more than {} bytes",
                            limits.translated_bytes_max));
  }
  r.layouts = shared(std::move(layouts), std::move(by_rank));
  return {};
}

}  // namespace copse
