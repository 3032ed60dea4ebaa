// SPDX-License-Identifier: Apache-2.0
//
// Shapes: what is below each interior pool, one for all that look alike.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>
#include <xxhash.h>

#include "graph/graph_builder.hpp"

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

// Sums units by type, and says which types there were.
class Totals {
 public:
  explicit Totals(std::size_t types) : units_(types, 0), is_seen_(types, false) {}

  // False if the sum is above 2^63 - 1.
  bool add(TypeId type, std::int64_t units) {
    if (!is_seen_[type.v]) seen_.push_back(type);
    is_seen_[type.v] = true;
    return !__builtin_add_overflow(units_[type.v], units, &units_[type.v]);
  }

  // Moves the sums out, types ascending, and begins anew.
  void take(std::vector<TypeTotal>& out) {
    out.clear();
    std::sort(seen_.begin(), seen_.end());
    for (TypeId t : seen_) {
      out.push_back({t, units_[t.v]});
      units_[t.v] = 0;
      is_seen_[t.v] = false;
    }
    seen_.clear();
  }

 private:
  std::vector<std::int64_t> units_;
  std::vector<bool> is_seen_;
  std::vector<TypeId> seen_;
};

void add_to_runs(const ResourceGraph& g, std::span<const PoolId> children, std::uint32_t c,
                 std::vector<ChildRun>& runs) {
  const PoolId child = children[c];
  const bool leaf = g.leaf(child);
  if (runs.empty() || runs.back().type != g.type(child) || runs.back().leaves != leaf) {
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

}  // namespace

// From the leaves upward, so that the shapes of children are known.
Result<void> GraphBuilder::make_shapes(ResourceGraph& g) {
  g.interior_shapes_.assign(g.interior_count(), 0);
  g.largest_.assign(g.names_.types.size(), 0);
  for (std::uint32_t v = 0; v < g.pool_count(); ++v) {
    std::int64_t& largest = g.largest_[g.types_[v].v];
    largest = std::max(largest, g.sizes_[v]);
  }
  std::unordered_multimap<std::uint64_t, std::uint32_t> known;
  Totals totals(g.names_.types.size());
  Shape shape;
  for (std::uint32_t i = g.interior_count(); i-- > 0;) {
    const PoolId p = g.interior_pools_[i];
    shape.runs.clear();
    bool fits = true;
    const auto children = g.children(p);
    for (std::uint32_t c = 0; c < children.size(); ++c) {
      add_to_runs(g, children, c, shape.runs);
      fits = totals.add(g.type(children[c]), g.size(children[c])) && fits;
      if (g.leaf(children[c])) continue;
      for (const TypeTotal& t : g.shape(children[c]).totals)
        fits = totals.add(t.type, t.total) && fits;
    }
    if (!fits) {
      return fail(ErrorCode::limit, fmt::format("the units below {} exceed 2^63 - 1", g.name(p)));
    }
    totals.take(shape.totals);
    list_child_types(g, p, shape);
    const std::uint64_t h = hash_of(shape);
    auto [lo, hi] = known.equal_range(h);
    auto it = std::find_if(lo, hi, [&](const auto& kv) { return g.shapes_[kv.second] == shape; });
    if (it == hi) {
      it = known.emplace(h, static_cast<std::uint32_t>(g.shapes_.size()));
      g.shapes_.push_back(shape);
    }
    g.interior_shapes_[i] = it->second;
  }
  g.shapes_.shrink_to_fit();
  return {};
}

// Types of the children in any subsystem.
void GraphBuilder::list_child_types(const ResourceGraph& g, PoolId p, Shape& shape) {
  std::vector<TypeId>& types = shape.child_types;
  types.clear();
  for (const ChildRun& run : shape.runs) types.push_back(run.type);
  for (const auto& f : g.further_) {
    auto [lo, hi] = std::equal_range(f.from.begin(), f.from.end(), p);
    for (auto it = lo; it != hi; ++it) {
      types.push_back(g.type(f.to[static_cast<std::size_t>(it - f.from.begin())]));
    }
  }
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
}

}  // namespace copse
