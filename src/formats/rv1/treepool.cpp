// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/treepool.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "formats/rv1/treepool_ids.hpp"
#include "rset/rset_children.hpp"

namespace copse {

namespace {

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
