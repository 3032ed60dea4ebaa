// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_shapes.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <xxhash.h>

namespace copse {

namespace {

std::uint64_t hash_of(const Shape& s) {
  XXH64_hash_t h = 0;
  for (const TypeTotal& t : s.totals) {
    const std::uint64_t words[] = {t.type.v, static_cast<std::uint64_t>(t.total)};
    h = XXH3_64bits_withSeed(words, sizeof words, h);
  }
  for (const ChildRun& r : s.runs) {
    const std::uint64_t words[] = {
        r.type.v, r.count, static_cast<std::uint64_t>(r.size),
        (r.by_uniq_id ? 4u : 0u) | (r.leaves ? 2u : 0u) | (r.ascending ? 1u : 0u)};
    h = XXH3_64bits_withSeed(words, sizeof words, h);
  }
  for (TypeId t : s.child_types) h = h * 31 + t.v;
  return h;
}

}  // namespace

int Shape::total_index(TypeId type) const {
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (totals[i].type == type) return static_cast<int>(i);
  }
  return -1;
}

std::int64_t Shape::total(TypeId type) const {
  const int i = total_index(type);
  return i < 0 ? 0 : totals[static_cast<std::size_t>(i)].total;
}

bool Shape::has_child(TypeId type) const {
  return std::binary_search(child_types.begin(), child_types.end(), type);
}

bool ShapeBuilder::Totals::add(TypeId type, std::int64_t units) {
  if (!is_seen_[type.v]) seen_.push_back(type);
  is_seen_[type.v] = true;
  return !__builtin_add_overflow(units_[type.v], units, &units_[type.v]);
}

void ShapeBuilder::Totals::take(std::vector<TypeTotal>& out) {
  out.clear();
  std::sort(seen_.begin(), seen_.end());
  for (TypeId t : seen_) {
    out.push_back({t, units_[t.v]});
    units_[t.v] = 0;
    is_seen_[t.v] = false;
  }
  seen_.clear();
}

std::int64_t& ShapeBuilder::total_of(std::vector<TypeTotal>& totals, TypeId type) {
  auto it = std::ranges::lower_bound(totals, type, {}, &TypeTotal::type);
  if (it == totals.end() || it->type != type) it = totals.insert(it, {type, 0});
  return it->total;
}

void ShapeBuilder::add_to_runs(const ResourceGraph& g, std::span<const PoolId> children,
                               std::uint32_t c, std::vector<ChildRun>& runs) {
  const PoolId child = children[c];
  const bool leaf = g.leaf(child);
  if (runs.empty() || runs.back().type != g.type(child) || runs.back().leaves != leaf ||
      (leaf && children[c - 1].v + 1 != child.v)) {
    runs.push_back({g.type(child), c, 1, g.size(child), leaf, true, true});
    return;
  }
  ChildRun& run = runs.back();
  const PoolId before = children[c - 1];
  ++run.count;
  if (run.size != g.size(child)) run.size = -1;
  if (g.id(child) <= g.id(before)) run.ascending = false;
  if (g.uniq_id(child) < g.uniq_id(before)) run.by_uniq_id = false;
}

Result<void> ShapeBuilder::make(std::uint32_t interior) {
  ResourceGraph& g = graph_;
  const PoolId p = g.interior_pools_[interior];
  Shape& shape = shape_;
  shape.runs.clear();
  bool fits = true;
  const auto children = g.children(p);
  for (std::uint32_t c = 0; c < children.size(); ++c) {
    add_to_runs(g, children, c, shape.runs);
    fits = totals_.add(g.type(children[c]), g.size(children[c])) && fits;
    if (g.leaf(children[c])) continue;
    for (const TypeTotal& t : g.shape(children[c]).totals) {
      fits = totals_.add(t.type, t.total) && fits;
    }
  }
  totals_.take(shape.totals);
  if (!fits) {
    return fail(ErrorCode::limit, fmt::format("the units below {} exceed 2^63 - 1", g.name(p)));
  }
  list_child_types(g, p, shape);
  const std::uint64_t h = hash_of(shape);
  auto [lo, hi] = g.shapes_by_hash_->equal_range(h);
  auto it = std::find_if(lo, hi, [&](const auto& kv) { return g.shapes_[kv.second] == shape; });
  const auto number = it == hi ? static_cast<std::uint32_t>(g.shapes_.size()) : it->second;
  if (it == hi) {
    g.shapes_by_hash_.own().emplace(h, number);
    g.shapes_.push_back(shape);
  }
  g.interior_shapes_.set(interior, number);
  return {};
}

Result<void> ShapeBuilder::make_all(ResourceGraph& g) {
  g.interior_shapes_ = std::vector<std::uint32_t>(g.interior_count(), 0);
  std::vector<std::int64_t> largest(g.names_->types.size(), 0);
  for (std::uint32_t v = 0; v < g.pool_count(); ++v) {
    std::int64_t& of_type = largest[g.types_[v].v];
    of_type = std::max(of_type, g.sizes_[v]);
  }
  g.largest_ = std::move(largest);
  ShapeBuilder maker(g);
  for (std::uint32_t i = g.interior_count(); i-- > 0;) {
    if (auto ok = maker.make(i); !ok) return ok;
  }
  g.shapes_.edit([](auto& shapes) { shapes.shrink_to_fit(); });
  return {};
}

std::uint32_t ShapeBuilder::own_shape(ResourceGraph& g, std::uint32_t i) {
  std::vector<bool>& own = g.grown_.own().own_shapes;
  own.resize(g.shapes_.size(), false);
  if (!own[g.interior_shapes_[i]]) {
    g.shapes_.push_back(Shape(g.shapes_[g.interior_shapes_[i]]));
    own.push_back(true);
    g.interior_shapes_.set(i, static_cast<std::uint32_t>(g.shapes_.size() - 1));
  }
  return g.interior_shapes_[i];
}

// Types of the children in any subsystem.
void ShapeBuilder::list_child_types(const ResourceGraph& g, PoolId p, Shape& shape) {
  std::vector<TypeId>& types = shape.child_types;
  types.clear();
  for (const ChildRun& run : shape.runs) types.push_back(run.type);
  for (const auto& f : g.further_) {
    for (const PoolId child : f.children(p)) types.push_back(g.type(child));
  }
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
}

}  // namespace copse
