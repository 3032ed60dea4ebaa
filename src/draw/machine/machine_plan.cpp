// SPDX-License-Identifier: Apache-2.0
#include "draw/machine/machine_plan.hpp"

#include <algorithm>
#include <array>

#include "draw/machine/machine_inside.hpp"

namespace copse::draw {

namespace {

constexpr std::size_t kCellsMax = 20'000, kSummaryMax = 10'000, kBarUnitsMax = 4'000,
                      kInsideUnitsMax = 2'500;
constexpr std::size_t kFramesMax = 2'000, kDepthMax = 7, kFrameCellsMin = 40;
constexpr std::uint64_t kInsideShapesMax = 80'000;
constexpr std::size_t kLevels = 64;  // deeper levels count as this one

enum class Kind : std::uint8_t { frame, unit, leaf };

// Calls visit(pool, kind, depth) in preorder; pools below a unit are skipped. If visit returns
// false, pools below a frame are skipped, too.
template <class Visit>
void for_each_kind(const ResourceGraph& g, Visit visit) {
  const TypeId node = g.find_type("node");
  const bool has_nodes =
      node != kNoType && (g.type(g.root()) == node || g.shape(g.root()).total(node) > 0);
  const auto kind_of = [&](PoolId p) {
    if (has_nodes && g.type(p) == node) return Kind::unit;
    if (g.leaf(p)) return p == g.root() ? Kind::unit : Kind::leaf;
    if (has_nodes) return g.shape(p).total(node) > 0 ? Kind::frame : Kind::unit;
    const auto below = g.children(p);
    return std::ranges::all_of(below, [&](PoolId c) { return g.leaf(c); }) ? Kind::unit
                                                                           : Kind::frame;
  };
  std::vector<std::uint32_t> open;  // ends of the frames around a pool
  for (std::uint32_t v = 0; v < g.tree_count();) {
    while (!open.empty() && open.back() <= v) open.pop_back();
    const PoolId p{v};
    const Kind kind = kind_of(p);
    const bool enter = visit(p, kind, open.size()) && kind == Kind::frame;
    if (enter) open.push_back(g.end(p).v);
    v = enter ? v + 1 : g.end(p).v;
  }
}

struct Levels {
  std::array<std::size_t, kLevels> frames{}, units{};
};

// Chooses the meaning of a cell, and the depth to which frames are drawn. Returns the level at
// which frames become cells.
std::size_t choose_cut(MachinePlan& plan, const Levels& levels) {
  if (plan.bases.size() <= kCellsMax) return kLevels;
  plan.detail = Detail::summary;
  std::size_t cut = 0, above = levels.units[0];
  for (std::size_t d = 1; d + 1 < kLevels; ++d) {
    above += levels.units[d];
    const std::size_t cells = levels.frames[d] + above;
    if (levels.frames[d] > 0 && cells <= kSummaryMax && cells >= kFrameCellsMin) cut = d;
  }
  plan.frame_cells = cut > 0;
  if (cut > 0) return cut;
  plan.group = static_cast<std::uint32_t>((plan.bases.size() + kSummaryMax - 1) / kSummaryMax);
  return kLevels;
}

std::size_t frame_levels(const Levels& levels) {
  std::size_t sum = 0, depth = 0;
  while (depth <= kDepthMax && (sum += levels.frames[depth]) <= kFramesMax) ++depth;
  return depth;  // frames above this depth are drawn; the root always is
}

class Planning {
 public:
  Planning(MachinePlan& plan, const MachineUse& use, std::size_t cut, std::size_t depth_max)
      : plan_(plan), use_(use), cut_(cut), depth_max_(depth_max) {}

  bool visit(PoolId p, Kind kind, std::size_t depth) {
    while (!open_.empty() && use_.graph().end(plan_.frames[open_.back()].pool) <= p) close();
    if (kind == Kind::leaf) {
      use_.add_use(p, plan_.frames[open_.back()].bars);
      return false;
    }
    const bool as_cell = kind == Kind::unit || std::min(depth, kLevels - 1) == cut_;
    const std::uint32_t first = base_;
    if (as_cell) {
      while (base_ < plan_.bases.size() && use_.graph().below(plan_.bases[base_], p)) ++base_;
      add_unit({.pool = p, .base_first = first, .base_end = base_});
      return false;
    }
    if (depth >= depth_max_) {
      ++plan_.frames_hidden;
      return true;
    }
    const auto index = static_cast<std::uint32_t>(plan_.frames.size());
    const std::uint32_t parent = open_.empty() ? 0 : open_.back();
    if (index > 0) plan_.items[parent].push_back({true, index});
    plan_.frames.push_back({.pool = p, .parent = parent, .base_first = first});
    plan_.items.emplace_back();
    open_.push_back(index);
    return true;
  }

  void close() {
    plan_.frames[open_.back()].base_end = base_;
    open_.pop_back();
  }
  void close_all() {
    while (!open_.empty()) close();
  }

 private:
  void add_unit(UnitBox unit) {
    if (open_.empty()) {
      plan_.units.push_back(unit);
      return;
    }
    unit.frame = open_.back();
    auto& items = plan_.items[unit.frame];
    if (plan_.group > 1 && !items.empty() && !items.back().frame) {
      UnitBox& last = plan_.units[items.back().index];
      if (last.base_end == unit.base_first && last.base_end - last.base_first < plan_.group) {
        last.base_end = unit.base_end;
        return;
      }
    }
    items.push_back({false, static_cast<std::uint32_t>(plan_.units.size())});
    plan_.units.push_back(unit);
  }

  MachinePlan& plan_;
  const MachineUse& use_;
  std::size_t cut_, depth_max_;
  std::uint32_t base_ = 0;
  std::vector<std::uint32_t> open_;
};

void choose_detail(MachinePlan& plan, const MachineUse& use) {
  if (plan.detail == Detail::summary) return;
  std::uint64_t shapes = 0;
  for (const PoolId unit : plan.bases) {
    if (shapes <= kInsideShapesMax) shapes += inside(use, unit, plan.cell).shapes();
  }
  if (shapes <= kInsideShapesMax && plan.bases.size() <= kInsideUnitsMax) {
    plan.detail = Detail::all;
  } else {
    plan.detail = plan.bases.size() <= kBarUnitsMax ? Detail::bars : Detail::cells;
  }
  constexpr std::array<std::pair<std::uint64_t, double>, 5> kSides{
      {{400, 20}, {2'000, 14}, {8'000, 8}, {25'000, 7}, {60'000, 6}}};
  plan.cell = 5;
  for (const auto& [shapes_max, side] : kSides) {
    if (shapes <= shapes_max) {
      plan.cell = side;
      break;
    }
  }
}

}  // namespace

MachinePlan make_plan(const MachineUse& use) {
  MachinePlan plan;
  Levels levels;
  for_each_kind(use.graph(), [&](PoolId p, Kind kind, std::size_t depth) {
    depth = std::min(depth, kLevels - 1);
    if (kind == Kind::frame) ++levels.frames[depth];
    if (kind != Kind::unit) return true;
    ++levels.units[depth];
    plan.bases.push_back(p);
    return false;
  });
  const std::size_t cut = choose_cut(plan, levels);
  Planning planning(plan, use, cut, frame_levels(levels));
  for_each_kind(use.graph(), [&](PoolId p, Kind kind, std::size_t depth) {
    return planning.visit(p, kind, depth);
  });
  planning.close_all();
  choose_detail(plan, use);
  return plan;
}

}  // namespace copse::draw
