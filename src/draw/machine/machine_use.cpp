// SPDX-License-Identifier: Apache-2.0
#include "draw/machine/machine_use.hpp"

#include <algorithm>
#include <numeric>

#include "draw/svg_text.hpp"

namespace copse::draw {

namespace {

// Calls visit(first, end) for the disjoint intervals of pools of a grant.
template <class Visit>
void for_each_held(const ResourceGraph& graph, const Grant& grant, Visit visit) {
  std::uint32_t covered = 0;  // below a pool of this grant up to here
  for (const SelectedPools& t : grant.selection.taken) {
    if (t.first.v < covered || (!t.exclusive && !t.whole)) continue;
    covered = t.count > 1 ? t.first.v + t.count : graph.end(t.first).v;
    visit(t.first.v, covered);
  }
}

}  // namespace

MachineUse::MachineUse(const MachinePicture& picture)
    : graph_(picture.graph),
      engine_(picture.engine),
      owner_(graph_.pool_count(), kNoJob),
      marks_(graph_.pool_count(), 0),
      unit_of_(graph_.names().types.size()),
      of_leaves_(graph_.names().types.size(), false) {
  if (engine_ != nullptr) {
    const std::int64_t now = engine_->options().now;
    for (const JobId job : engine_->jobs()) {
      const Grant* grant = engine_->grant(job);
      if (grant->end <= now) continue;
      (grant->start <= now ? running_ : waiting_).push_back(grant);
    }
  }
  for (std::uint32_t j = 0; j < running_.size(); ++j) own(*running_[j], j);
  if (!waiting_.empty()) reserve();
  note_marks(picture);
  for (std::uint32_t v = graph_.pool_count(); v-- > 0;) {
    unit_of_[graph_.type(PoolId{v}).v] = graph_.unit(PoolId{v});
  }
  for (std::uint32_t v = 0; v < graph_.tree_count(); ++v) {
    if (graph_.leaf(PoolId{v})) of_leaves_[graph_.type(PoolId{v}).v] = true;
  }
  for (const char* type : {"core", "gpu"}) {
    if (graph_.find_type(type) != kNoType) of_leaves_[graph_.find_type(type).v] = true;
  }
}

void MachineUse::own(const Grant& grant, std::uint32_t number) {
  for_each_held(graph_, grant, [&](std::uint32_t first, std::uint32_t end) {
    std::fill(owner_.begin() + first, owner_.begin() + end, number);
  });
}

// Shows the earliest reservation of each pool. One pool may have many, one after another: pools
// that have theirs are skipped, by links that are shortened as they are followed (union-find).
void MachineUse::reserve() {
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [](const Grant* a, const Grant* b) { return a->start < b->start; });
  next_.assign(graph_.pool_count(), kNoJob);
  std::vector<std::uint32_t> open(graph_.pool_count() + std::size_t{1});  // itself, or a later pool
  std::iota(open.begin(), open.end(), 0U);
  const auto first_open = [&](std::uint32_t v) {
    while (open[v] != v) v = open[v] = open[open[v]];
    return v;
  };
  for (std::uint32_t j = 0; j < waiting_.size(); ++j) {
    for_each_held(graph_, *waiting_[j], [&](std::uint32_t first, std::uint32_t end) {
      for (std::uint32_t v = first_open(first); v < end; v = first_open(v)) {
        next_[v] = j;
        open[v] = v + 1;
      }
    });
  }
}

void MachineUse::note_marks(const MachinePicture& picture) {
  const auto raise = [&](std::uint32_t v, std::uint8_t mark) {
    marks_[v] = std::max(marks_[v], mark);
  };
  for (const PoolId p : picture.excluded) raise(p.v, static_cast<std::uint8_t>(Mark::excluded));
  for (const PoolId p : picture.drained) raise(p.v, static_cast<std::uint8_t>(Mark::drained));
  for (std::uint32_t v = 0; v < graph_.pool_count(); ++v) {  // parents come before their children
    if (!usable(status(PoolId{v}))) raise(v, static_cast<std::uint8_t>(Mark::down));
    const PoolId parent = graph_.parent(PoolId{v});
    if (parent != kNoPool) raise(v, marks_[parent.v]);
  }
}

void MachineUse::add_use(PoolId p, std::vector<TypeUse>& into) const {
  const TypeId type = graph_.type(p);
  auto at = std::lower_bound(into.begin(), into.end(), type,
                             [](const TypeUse& use, TypeId t) { return use.type < t; });
  if (at == into.end() || at->type != type) at = into.insert(at, {.type = type});
  const std::int64_t size = graph_.size(p);
  at->total += size;
  if (owner(p) != kNoJob) at->used += size;
  at->amount |= size != 1 || !graph_.unit_text(p).empty();
}

std::vector<TypeUse> MachineUse::uses(std::uint32_t first, std::uint32_t end) const {
  std::vector<TypeUse> out;
  for (std::uint32_t v = first; v < end; ++v) add_use(PoolId{v}, out);
  return out;
}

std::string MachineUse::words(const TypeUse& use) const {
  std::string out = svg::grouped(use.used) + " of " + svg::grouped(use.total);
  const std::string& unit = graph_.names().units.text(unit_of_[use.type.v].v);
  return unit.empty() ? out : out + " " + svg::shortened(unit, 12);
}

void UnitCounts::add(const UnitCounts& other) {
  used += other.used;
  reserved += other.reserved;
  excluded += other.excluded;
  drained += other.drained;
  down += other.down;
  for (const Part& part : other.parts) {
    auto at =
        std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.job == part.job; });
    if (at != parts.end()) {
      at->share += part.share;
    } else if (parts.size() < kJobsMax) {
      parts.push_back(part);
    } else {
      parts.back() = {kSeveral, parts.back().share + part.share};
    }
  }
}

void UnitCounts::scale(double factor) {
  for (double* share : {&used, &reserved, &excluded, &drained, &down}) *share *= factor;
  for (Part& part : parts) part.share *= factor;
}

void UnitCounts::limit_parts(std::size_t parts_max) {
  while (parts.size() > parts_max) {
    const double share = parts.back().share;
    parts.pop_back();
    parts.back() = {kSeveral, parts.back().share + share};
  }
}

UnitCounts counts_of(const MachineUse& use, PoolId unit) {
  const ResourceGraph& g = use.graph();
  UnitCounts out;
  bool reserved = use.next(unit) != MachineUse::kNoJob;
  if (use.owner(unit) != MachineUse::kNoJob) {
    out.used = 1;
    out.parts.push_back({use.owner(unit), 1});
  } else {
    const std::uint32_t end = g.end(unit).v;
    double weight = 0;
    for (std::uint32_t v = unit.v + 1; v < end; ++v) {
      reserved |= use.next(PoolId{v}) != MachineUse::kNoJob;
      if (!g.leaf(PoolId{v}) || use.owner(PoolId{v}) == MachineUse::kNoJob) continue;
      weight += 1;
      if (!out.parts.empty() && out.parts.back().job == use.owner(PoolId{v})) {
        out.parts.back().share += 1;
      } else {
        out.add({.parts = {{use.owner(PoolId{v}), 1}}});
      }
    }
    if (weight > 0) {
      for (const TypeUse& t : use.uses(unit.v + 1, end)) {
        if (t.total > 0) {
          out.used = std::max(out.used, static_cast<double>(t.used) / static_cast<double>(t.total));
        }
      }
      for (Part& part : out.parts) part.share *= out.used / weight;
    }
  }
  if (reserved) out.reserved = 1 - out.used;
  switch (use.mark(unit)) {
    case Mark::none: break;
    case Mark::excluded: out.excluded = 1; break;
    case Mark::drained: out.drained = 1; break;
    case Mark::down: out.down = 1; break;
  }
  return out;
}

}  // namespace copse::draw
