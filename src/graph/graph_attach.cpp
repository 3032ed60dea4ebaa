// SPDX-License-Identifier: Apache-2.0
//
// How a graph grows: a subtree gets numbers at the end, and the pools on the path from it to the
// root a shape of their own.
#include <algorithm>

#include <fmt/format.h>

#include "copse/graph.hpp"
#include "graph/graph_builder.hpp"
#include "graph/graph_shapes.hpp"

namespace copse {

namespace {
constexpr std::uint32_t kDepthMax = 1000;  // as GraphBuilder
}

bool ResourceGraph::attached_below(PoolId p, PoolId ancestor) const {
  for (; p != kNoPool && p.v >= built_count_; p = parent(p)) {
    if (p.v >= ancestor.v && p.v < ends_[ancestor.v]) return true;
  }
  return p != kNoPool && p.v >= ancestor.v && p.v < ends_[ancestor.v];
}

bool ResourceGraph::attached_before(PoolId a, PoolId b) const {
  if (a == b) return false;
  std::uint32_t depth_a = depth(a), depth_b = depth(b);
  for (; depth_a > depth_b; --depth_a) {
    a = parent(a);
    if (a == b) return false;  // b is above a
  }
  for (; depth_b > depth_a; --depth_b) {
    b = parent(b);
    if (a == b) return true;
  }
  while (parent(a) != parent(b)) {
    a = parent(a);
    b = parent(b);
  }
  return a.v < b.v;  // siblings ascend
}

Result<void> ResourceGraph::may_attach(PoolId parent, std::span<const NewPool> pools) const {
  if (parent.v >= pool_count() || removed(parent)) {
    return fail(ErrorCode::invalid, "the pool to attach to is not in the machine");
  }
  if (!in_tree(parent) || leaf(parent)) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} has nothing below it in the graph as built", name(parent)));
  }
  if (pools.empty() || pools[0].parent != NewPool::kAttached) {
    return fail(ErrorCode::invalid, "what is attached must be one subtree");
  }
  const std::uint64_t limit = GraphBuilder::Limits{}.pools_max;
  if (pools.size() > limit - pool_count()) {
    return fail(ErrorCode::limit, fmt::format("more than {} pools", limit));
  }
  std::vector<std::uint32_t> depths(pools.size(), depth(parent) + 1), open;
  std::map<TypeId, std::int64_t> units;
  for (std::uint32_t i = 0; i < pools.size(); ++i) {
    const NewPool& p = pools[i];
    while (!open.empty() && open.back() != p.parent) open.pop_back();
    if (i > 0 && open.empty()) {
      return fail(ErrorCode::invalid, "what is attached must be one subtree, in preorder");
    }
    if (i > 0) depths[i] = depths[p.parent] + 1;
    if (depths[i] >= kDepthMax) {
      return fail(ErrorCode::limit, fmt::format("more than {} levels", kDepthMax));
    }
    open.push_back(i);
    std::int64_t& sum = units.try_emplace(p.type, 0).first->second;
    if (p.size < 0) {
      return fail(ErrorCode::invalid,
                  fmt::format("a pool's size is {}; it must be 0 or more", p.size));
    }
    if (__builtin_add_overflow(sum, p.size, &sum)) {
      return fail(ErrorCode::limit, "the units attached exceed 2^63 - 1");
    }
  }
  for (const auto& [type, sum] : units) {
    std::int64_t all = 0;  // the root has the largest sums
    if (__builtin_add_overflow(shape(root()).total(type), sum, &all)) {
      return fail(ErrorCode::limit,
                  fmt::format("the units of type {} exceed 2^63 - 1", type_name(type)));
    }
  }
  return {};
}

void ResourceGraph::add_columns(PoolId parent, std::span<const NewPool> pools) {
  const std::uint32_t first = pool_count();
  for (std::uint32_t i = 0; i < pools.size(); ++i) {
    const NewPool& p = pools[i];
    const PoolId self{first + i};
    types_.push_back(p.type);
    units_.push_back(p.unit);
    basenames_.push_back(p.basename);
    sizes_.push_back(p.size);
    ids_.push_back(p.id);
    ranks_.push_back(p.rank);
    const std::int64_t uniq_id = p.uniq_id >= 0 ? p.uniq_id : next_uniq_id_;
    if (uniq_id != created_count_ && own_uniq_ids_.empty()) {
      own_uniq_ids_ = std::vector<std::int64_t>(created_.begin(), created_.end());
    }
    if (uniq_id != created_count_ || !own_uniq_ids_.empty()) own_uniq_ids_.push_back(uniq_id);
    if (uniq_id < INT64_MAX) next_uniq_id_ = std::max(next_uniq_id_, uniq_id + 1);
    created_.push_back(created_count_++);
    parents_.push_back(i == 0 ? parent.v : first + p.parent);
    ends_.push_back(self.v + 1);
    grown_.own().removed.push_back(false);
    if (p.size > largest(p.type)) {
      largest_.edit([&](auto& largest) {
        largest.resize(std::max(largest.size(), p.type.v + std::size_t{1}), 0);
        largest[p.type.v] = p.size;
      });
      ++largest_version_;
    }
    if (!p.properties.empty()) given_.own().properties.emplace(self.v, p.properties);
    if (!p.name.empty() && p.name != name(self)) own_.own().names.emplace(self.v, p.name);
    if (indexes_->ranks_indexed && p.rank != -1) {
      indexes_.own().by_rank[p.rank].push_back(self);
    }
  }
  ends_.edit([&](auto& ends) {
    for (std::uint32_t v = pool_count() - 1; v > first; --v) {
      ends[parents_[v]] = std::max(ends[parents_[v]], ends[v]);
    }
  });
}

void ResourceGraph::add_interiors(PoolId first, std::span<const NewPool> pools) {
  std::vector<std::vector<PoolId>> lists(pools.size());
  for (std::uint32_t i = 1; i < pools.size(); ++i) {
    lists[pools[i].parent].push_back(PoolId{first.v + i});
  }
  for (std::uint32_t i = 0; i < pools.size(); ++i) {
    interiors_.push_back(interior_count());
    if (lists[i].empty()) continue;
    interior_pools_.push_back(PoolId{first.v + i});
    interior_shapes_.push_back(0);
    child_firsts_.push_back(static_cast<std::uint32_t>(children_.size()));
    child_counts_.push_back(static_cast<std::uint32_t>(lists[i].size()));
    children_.edit([&](auto& all) { all.insert(all.end(), lists[i].begin(), lists[i].end()); });
  }
}

// The list of a pool's children moves to the end, with room, when it has none left.
void ResourceGraph::add_child(PoolId up, PoolId child) {
  const std::uint32_t i = interior(up);
  auto [capacity, first_time] = grown_.own().child_capacities.try_emplace(i, child_counts_[i]);
  children_.edit([&](auto& children) {
    if (child_counts_[i] == capacity->second) {
      const auto at = static_cast<std::uint32_t>(children.size());
      capacity->second = std::max<std::uint32_t>(8, 2 * child_counts_[i]);
      children.resize(at + capacity->second, kNoPool);
      std::copy_n(children.begin() + child_firsts_[i], child_counts_[i], children.begin() + at);
      child_firsts_.set(i, at);
    }
    children[child_firsts_[i] + child_counts_[i]] = child;
  });
  child_counts_.set(i, child_counts_[i] + 1);
  if (indexes_->children_by_name.contains(up.v)) {
    indexes_.own().children_by_name[up.v].emplace(hash_of_name(name(child)), child);
  }
}

// The shape of one pool alone, to be changed in place.
std::uint32_t ResourceGraph::own_shape(std::uint32_t i) {
  std::vector<bool>& own = grown_.own().own_shapes;
  own.resize(shapes_.size(), false);
  if (!own[interior_shapes_[i]]) {
    shapes_.push_back(Shape(shapes_[interior_shapes_[i]]));
    own.push_back(true);
    interior_shapes_.set(i, static_cast<std::uint32_t>(shapes_.size() - 1));
  }
  return interior_shapes_[i];
}

void ResourceGraph::keep_largest(const ResourceGraph& before) {
  largest_.edit([&](auto& largest) {
    largest.resize(std::max(largest.size(), before.largest_.size()), 0);
    for (std::size_t t = 0; t < before.largest_.size(); ++t) {
      largest[t] = std::max(largest[t], before.largest_[t]);
    }
  });
}

Result<PoolId> ResourceGraph::attach(PoolId parent, std::span<const NewPool> pools) {
  if (auto ok = may_attach(parent, pools); !ok) return std::unexpected(ok.error());
  if (!changed_) grown_.own().removed.assign(pool_count(), false);
  changed_ = true;
  const PoolId top{pool_count()};
  const std::uint32_t interiors_before = interior_count();
  add_columns(parent, pools);
  add_interiors(top, pools);
  ShapeMaker maker(*this);
  for (std::uint32_t i = interior_count(); i-- > interiors_before;) {
    if (auto ok = maker.make(i); !ok) return std::unexpected(ok.error());  // checked before: never
  }
  add_child(parent, top);

  GraphChange change{GraphChange::Kind::attached, top, parent, {top}, {}};
  std::vector<TypeTotal> more = shape(top).totals;
  auto own = std::find_if(more.begin(), more.end(),
                          [&](const TypeTotal& t) { return t.type == type(top); });
  if (own == more.end()) own = more.insert(own, {type(top), 0});
  own->total += size(top);
  for (PoolId up = parent; up != kNoPool; up = this->parent(up)) {
    edit_own_shape(interior(up), [&](Shape& shape) {
      std::vector<TypeId> before;
      before.reserve(shape.totals.size());
      for (const TypeTotal& t : shape.totals) before.push_back(t.type);
      for (const TypeTotal& t : more) {
        auto it = std::lower_bound(shape.totals.begin(), shape.totals.end(), t.type,
                                   [](const TypeTotal& a, TypeId b) { return a.type < b; });
        if (it == shape.totals.end() || it->type != t.type) {
          it = shape.totals.insert(it, {t.type, 0});
        }
        it->total += t.total;
      }
      if (before.size() != shape.totals.size()) {
        change.widened.push_back({interior(up), std::move(before)});
      }
      if (up != parent) return;
      const auto below = children(up);
      ShapeMaker::add_to_runs(*this, below, static_cast<std::uint32_t>(below.size() - 1),
                              shape.runs);
      ShapeMaker::list_child_types(*this, up, shape);
    });
    grown_.own().attached[up.v].push_back(top);
  }
  grown_.own().changes.push_back(std::move(change));
  return top;
}

}  // namespace copse
