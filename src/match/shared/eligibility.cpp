// SPDX-License-Identifier: Apache-2.0
#include "match/shared/eligibility.hpp"

namespace copse {

Rejection Eligibility::rejection(PoolId u) const {
  if (graph.size(u) <= 0) return Rejection::too_small;
  if (request->constrained() && !request->allowed[u.v]) return Rejection::excluded;
  if (nodes != nullptr && graph.type(u) == node && !nodes->has(u)) return Rejection::low_score;
  if (view == StateView::empty) return Rejection::none;
  if (!state.usable(u)) return Rejection::down;
  if (state.allocated(u, start, end)) return Rejection::allocated;
  if (paths != nullptr && paths->covered(state, u, start, end)) return Rejection::allocated;
  // Even if it is only on the path: a pool that is taken whole must be idle.
  if (!taken_whole(u) || graph.divisible(u)) return Rejection::none;
  const bool busy =
      state.touched(u, start, end) || (paths != nullptr && !paths->idle(state, u, start, end));
  return busy ? Rejection::busy : Rejection::none;
}

bool Eligibility::has_free(PoolId u, const std::vector<Need>& needs) const {
  if (needs.empty()) return true;
  if (graph.leaf(u)) return false;
  const std::uint32_t i = graph.interior(u);
  const Shape& shape = graph.shape_of_interior(i);
  for (const Need& n : needs) {
    const int k = shape.total_index(n.type);
    if (k < 0 && n.units > 0) return false;
    if (k < 0) continue;
    const auto at = static_cast<std::uint32_t>(k);
    const std::int64_t total = shape.totals[at].total;
    if (n.units > total) return false;
    if (view != StateView::empty && n.units > total - state.most_used(i, at + 1, start, end)) {
      return false;
    }
  }
  return true;
}

bool Eligibility::path_open(PoolId u, PoolId below) const {
  for (PoolId up = graph.parent(u); up != kNoPool; up = graph.parent(up)) {
    if (!open(up)) return false;
    if (up == below) break;
  }
  return true;
}

Score Eligibility::enclosing_term(PoolId u) const {
  if (!scores.node_centric()) return 0;
  for (PoolId up = graph.parent(u); up != kNoPool; up = graph.parent(up)) {
    if (graph.type(up) == node) return scores.below_node(up);
  }
  return 0;
}

bool Eligibility::resolves(PoolId u, const Level& slot) const {
  if (graph.leaf(u)) return false;
  const Shape& shape = graph.shape(u);
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    if (!shape.has_child(request->levels[c].type)) return false;
  }
  return true;
}

bool Eligibility::may_hold(PoolId u, const Level& level) const {
  if (graph.leaf(u)) return false;
  const Shape& shape = graph.shape(u);
  if (!level.slot) return shape.total(level.type) > 0;
  for (std::uint32_t c = level.first; c < level.first + level.children; ++c) {
    if (shape.total(request->levels[c].type) <= 0) return false;
  }
  return true;
}

}  // namespace copse
