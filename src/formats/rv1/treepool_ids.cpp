// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/treepool_ids.hpp"

#include <algorithm>

namespace copse {

namespace {

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

}  // namespace

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

}  // namespace copse
