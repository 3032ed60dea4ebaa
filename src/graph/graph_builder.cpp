// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_builder.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>
#include <xxhash.h>

namespace copse {

namespace {

constexpr std::uint32_t kNone = kNoPool.v;
constexpr std::size_t kDepthMax = 1000;  // walks recurse by level

// Interns `name` in at most `max` words.
template <class IdType>
Result<IdType> intern(Interner& words, std::string_view name, std::uint32_t max, const char* what) {
  const std::uint32_t known = words.find(name);
  if (known == Interner::kNone && words.size() >= max) {
    return fail(ErrorCode::limit, fmt::format("more than {} {}", max, what));
  }
  return IdType{static_cast<typename IdType::rep>(words.intern(name))};
}

// column[i] := old column[order[i]]
template <class T>
void permute(std::vector<T>& column, const std::vector<std::uint32_t>& order) {
  std::vector<T> moved(column.size());
  for (std::size_t i = 0; i < order.size(); ++i) moved[i] = column[order[i]];
  column = std::move(moved);
}

std::uint64_t hash_of(const Shape& s) {
  XXH64_hash_t h = 0;
  for (const TypeTotal& t : s.totals) {
    const std::uint64_t words[] = {t.type.v, static_cast<std::uint64_t>(t.total)};
    h = XXH3_64bits_withSeed(words, sizeof words, h);
  }
  for (const ChildRun& r : s.runs) {
    const std::uint64_t words[] = {
        r.type.v, r.count, static_cast<std::uint64_t>(r.size),
        (r.in_creation_order ? 4u : 0u) | (r.leaves ? 2u : 0u) | (r.ascending ? 1u : 0u)};
    h = XXH3_64bits_withSeed(words, sizeof words, h);
  }
  for (TypeId t : s.child_types) h = h * 31 + t.v;
  return h;
}

}  // namespace

GraphBuilder::GraphBuilder() : GraphBuilder(Limits{}) {}
GraphBuilder::GraphBuilder(Limits limits) : limits_(limits) {}

Result<TypeId> GraphBuilder::type(std::string_view name) {
  return intern<TypeId>(names_.types, name, 65'000, "resource types");
}
Result<UnitId> GraphBuilder::unit(std::string_view name) {
  return intern<UnitId>(names_.units, name, 65'000, "units");
}
NameId GraphBuilder::basename(std::string_view name) {
  return NameId{names_.basenames.intern(name)};
}
Result<SubsystemId> GraphBuilder::subsystem(std::string_view name) {
  auto s = intern<SubsystemId>(names_.subsystems, name, 255, "subsystems");
  if (s && roots_.size() <= s->v) roots_.resize(s->v + 1u, kNone);
  return s;
}
Result<RelationId> GraphBuilder::relation(std::string_view name) {
  return intern<RelationId>(names_.relations, name, 65'000, "relations");
}

Result<void> GraphBuilder::expect(std::uint64_t pools, std::uint64_t edges) {
  if (pools > limits_.pools_max) {
    return fail(ErrorCode::limit,
                fmt::format("{} pools asked for; the limit is {}", pools, limits_.pools_max));
  }
  if (edges > limits_.edges_max) {
    return fail(ErrorCode::limit,
                fmt::format("{} edges asked for; the limit is {}", edges, limits_.edges_max));
  }
  types_.reserve(pools);
  units_.reserve(pools);
  basenames_.reserve(pools);
  sizes_.reserve(pools);
  ids_.reserve(pools);
  ranks_.reserve(pools);
  edge_from_.reserve(edges);
  edge_to_.reserve(edges);
  return {};
}

Result<GraphBuilder::Handle> GraphBuilder::add_pool(const PoolSpec& spec) {
  if (types_.size() >= limits_.pools_max) {
    return fail(ErrorCode::limit, fmt::format("more than {} pools", limits_.pools_max));
  }
  if (spec.size < 0) {
    return fail(ErrorCode::invalid,
                fmt::format("a pool's size is {}; it must be 0 or more", spec.size));
  }
  types_.push_back(spec.type);
  units_.push_back(spec.unit);
  basenames_.push_back(spec.basename);
  sizes_.push_back(spec.size);
  ids_.push_back(spec.id);
  ranks_.push_back(spec.rank);
  return static_cast<Handle>(types_.size() - 1);
}

void GraphBuilder::set_property(Handle pool, std::string key, std::string value) {
  properties_[pool].insert_or_assign(std::move(key), std::move(value));
}

std::string GraphBuilder::pool_name(Handle pool) const {
  std::string out = names_.basenames.text(basenames_[pool].v);
  if (ids_[pool] != -1) out += std::to_string(ids_[pool]);
  return out;
}

Result<void> GraphBuilder::add_edge(Handle from, Handle to, SubsystemId subsystem,
                                    RelationId relation, RelationId reverse) {
  if (edge_from_.size() >= limits_.edges_max) {
    return fail(ErrorCode::limit, fmt::format("more than {} edges", limits_.edges_max));
  }
  if (edge_runs_.empty() || edge_runs_.back().subsystem != subsystem ||
      edge_runs_.back().relation != relation || edge_runs_.back().reverse != reverse) {
    edge_runs_.push_back(
        {static_cast<std::uint32_t>(edge_from_.size()), subsystem, relation, reverse});
  }
  edge_from_.push_back(from);
  edge_to_.push_back(to);
  return {};
}

Result<void> GraphBuilder::set_root(SubsystemId subsystem, Handle pool) {
  if (has_root(subsystem) && root(subsystem) != pool) {
    return fail(ErrorCode::exists,
                fmt::format("subsystem {} has a root already: {}",
                            names_.subsystems.text(subsystem.v), pool_name(root(subsystem))));
  }
  roots_[subsystem.v] = pool;
  return {};
}

bool GraphBuilder::has_root(SubsystemId subsystem) const {
  return subsystem.v < roots_.size() && roots_[subsystem.v] != kNone;
}
GraphBuilder::Handle GraphBuilder::root(SubsystemId subsystem) const { return roots_[subsystem.v]; }

namespace {

// The edges of one subsystem as child lists in order of creation: children of h are
// to[first[h]] … to[first[h + 1] - 1].
struct ChildLists {
  std::vector<std::uint32_t> first, to;
  std::vector<std::uint32_t> last;  // by child: index of the edge into it that was made last
};

// Numbers of the pools: order[new] = handle, number[handle] = new.
struct Numbering {
  std::vector<std::uint32_t> order, number;
  std::vector<std::uint32_t> parents, ends;  // by new number
  std::uint32_t tree_count = 0;
};

// Depth-first from `root`. Of several edges into a pool the one made last is in the tree: it gives
// the pool its path. Returns what is wrong, if a path is too long; `at` is then a pool of it.
const char* number_tree(const ChildLists& lists, std::uint32_t root, Numbering& n,
                        std::uint32_t& at) {
  struct Frame {
    std::uint32_t handle, next;
  };
  std::vector<Frame> stack;
  auto enter = [&](std::uint32_t handle, std::uint32_t parent) {
    const auto number = static_cast<std::uint32_t>(n.order.size());
    n.number[handle] = number;
    n.order.push_back(handle);
    n.parents.push_back(parent);
    n.ends.push_back(0);
    stack.push_back({handle, lists.first[handle]});
  };
  enter(root, kNone);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == lists.first[top.handle + 1]) {
      n.ends[n.number[top.handle]] = static_cast<std::uint32_t>(n.order.size());
      stack.pop_back();
      continue;
    }
    const std::uint32_t edge = top.next++;
    const std::uint32_t child = lists.to[edge];
    const std::uint32_t parent = n.number[top.handle];
    if (lists.last[child] != edge || child == root) continue;  // an edge into the root is refused later
    if (stack.size() >= kDepthMax) {
      at = child;
      return "are more than 1000 levels deep";
    }
    enter(child, parent);
  }
  n.tree_count = static_cast<std::uint32_t>(n.order.size());
  return nullptr;
}

// An edge that is not in the dominant tree.
struct Further {
  PoolId from, to;
  std::uint32_t run;
};

// Sorts edges by where they come from, keeping their order; of equal pairs the first one stays.
void drop_repeated(std::vector<Further>& edges) {
  std::vector<std::uint32_t> order(edges.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(edges[a].from, edges[a].to, a) < std::tie(edges[b].from, edges[b].to, b);
  });
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Further& e = edges[order[i]];
    const bool repeated =
        i > 0 && edges[order[i - 1]].from == e.from && edges[order[i - 1]].to == e.to;
    if (!repeated) kept.push_back(order[i]);
  }
  std::sort(kept.begin(), kept.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(edges[a].from, a) < std::tie(edges[b].from, b);
  });
  std::vector<Further> out;
  out.reserve(kept.size());
  for (std::uint32_t i : kept) out.push_back(edges[i]);
  edges = std::move(out);
}

// A pool from which the way up by `parents` (child, parent; sorted, the last of a child counts)
// comes back to itself; kNoPool if there is none.
PoolId find_cycle(const std::vector<std::pair<PoolId, PoolId>>& parents, std::uint32_t pools) {
  std::vector<std::uint32_t> up(pools, kNone), seen(pools, 0);
  for (const auto& [child, parent] : parents) up[child.v] = parent.v;
  for (std::uint32_t p = 0; p < pools; ++p) {
    std::uint32_t at = p;
    for (; at != kNone && seen[at] == 0; at = up[at]) seen[at] = p + 1;
    if (at != kNone && seen[at] == p + 1) return PoolId{at};
  }
  return kNoPool;
}

}  // namespace

Result<ResourceGraph> GraphBuilder::build(std::string_view dominant) {
  const std::uint32_t d = names_.subsystems.find(dominant);
  if (d == Interner::kNone || !has_root(SubsystemId{static_cast<std::uint8_t>(d)})) {
    return fail(ErrorCode::not_found,
                fmt::format("no subsystem named {} with a root in this graph", dominant));
  }
  const auto pools = static_cast<std::uint32_t>(types_.size());
  edge_runs_.push_back({static_cast<std::uint32_t>(edge_from_.size()), {}, {}, {}});  // sentinel
  auto child_lists = [&](std::uint32_t subsystem) {
    ChildLists lists;
    lists.first.assign(pools + 2, 0);
    auto each = [&](auto visit) {
      for (std::uint32_t r = 0; r + 1 < edge_runs_.size(); ++r) {
        if (edge_runs_[r].subsystem.v != subsystem) continue;
        for (std::uint32_t e = edge_runs_[r].first; e < edge_runs_[r + 1].first; ++e) visit(e);
      }
    };
    each([&](std::uint32_t e) { ++lists.first[edge_from_[e] + 2]; });
    for (std::uint32_t h = 2; h < pools + 2; ++h) lists.first[h] += lists.first[h - 1];
    lists.to.resize(lists.first[pools + 1]);
    lists.last.assign(pools, kNone);
    each([&](std::uint32_t e) {
      const std::uint32_t at = lists.first[edge_from_[e] + 1]++;
      lists.to[at] = edge_to_[e];
      lists.last[edge_to_[e]] = at;
    });
    lists.first.pop_back();
    return lists;
  };

  ResourceGraph g;
  g.dominant_ = SubsystemId{static_cast<std::uint8_t>(d)};
  g.further_.resize(names_.subsystems.size());

  // 1. Number the pools: preorder of the dominant tree, then the rest in order of creation.
  Numbering n;
  n.number.assign(pools, kNone);
  n.order.reserve(pools);
  n.parents.reserve(pools);
  n.ends.reserve(pools);
  {
    const ChildLists lists = child_lists(d);
    std::uint32_t at = 0;
    if (const char* wrong = number_tree(lists, roots_[d], n, at); wrong != nullptr) {
      return fail(ErrorCode::invalid, fmt::format("the edges of subsystem {} {}, at {}", dominant,
                                                  wrong, pool_name(at)));
    }
    for (std::uint32_t h = 0; h < pools; ++h) {
      if (lists.last[h] != kNone && (n.number[h] == kNone || h == roots_[d])) {
        return fail(
            ErrorCode::invalid,
            fmt::format("{} cannot be reached from the root of subsystem {} by the edges made "
                        "last: they form a cycle, or begin outside of it",
                        pool_name(h), dominant));
      }
    }
    std::vector<PoolId>& children = g.children_;
    children.reserve(n.tree_count);
    g.interiors_.assign(pools, 0);
    for (std::uint32_t v = 0; v < n.tree_count; ++v) {
      g.interiors_[v] = static_cast<std::uint32_t>(g.interior_pools_.size());
      if (n.ends[v] == v + 1) continue;
      g.interior_pools_.push_back(PoolId{v});
      g.child_firsts_.push_back(static_cast<std::uint32_t>(children.size()));
      const std::uint32_t h = n.order[v];
      for (std::uint32_t e = lists.first[h]; e < lists.first[h + 1]; ++e) {
        if (lists.last[lists.to[e]] == e) children.push_back(PoolId{n.number[lists.to[e]]});
      }
    }
    g.child_firsts_.push_back(static_cast<std::uint32_t>(children.size()));
    g.interior_pools_.shrink_to_fit();
    g.child_firsts_.shrink_to_fit();
  }
  for (std::uint32_t h = 0; h < pools; ++h) {
    if (n.number[h] != kNone) continue;
    n.number[h] = static_cast<std::uint32_t>(n.order.size());
    n.order.push_back(h);
    n.parents.push_back(kNone);
    n.ends.push_back(n.number[h] + 1);
  }
  for (std::uint32_t v = n.tree_count; v < pools; ++v) {
    g.interiors_[v] = static_cast<std::uint32_t>(g.interior_pools_.size());
  }
  g.tree_count_ = n.tree_count;

  // 2. Relations of tree edges, in runs over the child's uniq_id; edges of other subsystems.
  for (std::uint32_t s = 0; s < g.further_.size(); ++s) {
    auto& f = g.further_[s];
    if (s < roots_.size() && roots_[s] != kNone) f.root = PoolId{n.number[roots_[s]]};
    std::vector<Further> edges;
    for (std::uint32_t r = 0; r + 1 < edge_runs_.size(); ++r) {
      const EdgeRun& run = edge_runs_[r];
      if (run.subsystem.v != s) continue;
      for (std::uint32_t e = run.first; e < edge_runs_[r + 1].first; ++e) {
        const PoolId from{n.number[edge_from_[e]]}, to{n.number[edge_to_[e]]};
        if (s == d && n.parents[to.v] == from.v) {
          auto& runs = g.tree_relations_;
          if (runs.empty() || runs.back().relation != run.relation ||
              runs.back().reverse != run.reverse || runs.back().first > edge_to_[e]) {
            runs.push_back({edge_to_[e], run.relation, run.reverse});
          }
        } else {
          edges.push_back({from, to, r});
        }
      }
    }
    drop_repeated(edges);
    for (const Further& e : edges) {
      const EdgeRun& run = edge_runs_[e.run];
      if (f.relations.empty() || f.relations.back().relation != run.relation ||
          f.relations.back().reverse != run.reverse) {
        f.relations.push_back(
            {static_cast<std::uint32_t>(f.from.size()), run.relation, run.reverse});
      }
      f.from.push_back(e.from);
      f.to.push_back(e.to);
    }
    if (s != d) {
      for (std::uint32_t r = 0; r + 1 < edge_runs_.size(); ++r) {  // order of creation: last wins
        if (edge_runs_[r].subsystem.v != s) continue;
        for (std::uint32_t e = edge_runs_[r].first; e < edge_runs_[r + 1].first; ++e) {
          f.parents.emplace_back(PoolId{n.number[edge_to_[e]]}, PoolId{n.number[edge_from_[e]]});
        }
      }
      std::stable_sort(f.parents.begin(), f.parents.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      if (const PoolId p = find_cycle(f.parents, pools); p != kNoPool) {
        return fail(ErrorCode::invalid,
                    fmt::format("the edges of subsystem {} form a cycle, at {}",
                                names_.subsystems.text(s), pool_name(n.order[p.v])));
      }
    }
  }
  std::stable_sort(g.tree_relations_.begin(), g.tree_relations_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });

  // 3. Move the columns.
  edge_from_ = {};
  edge_to_ = {};
  g.parents_ = std::move(n.parents);
  g.ends_ = std::move(n.ends);
  for (const auto& [handle, properties] : properties_) {
    g.properties_.emplace(n.number[handle], properties);
  }
  n.number = {};
  permute(types_, n.order);
  permute(units_, n.order);
  permute(basenames_, n.order);
  permute(sizes_, n.order);
  permute(ids_, n.order);
  permute(ranks_, n.order);
  g.types_ = std::move(types_);
  g.units_ = std::move(units_);
  g.basenames_ = std::move(basenames_);
  g.sizes_ = std::move(sizes_);
  g.ids_ = std::move(ids_);
  g.ranks_ = std::move(ranks_);
  g.uniq_ids_ = std::move(n.order);
  g.names_ = std::move(names_);

  if (auto made = make_shapes(g); !made) return std::unexpected(made.error());
  *this = GraphBuilder(limits_);
  return g;
}

Result<void> GraphBuilder::make_shapes(ResourceGraph& g) {
  g.interior_shapes_.assign(g.interior_count(), 0);
  g.largest_.assign(g.names_.types.size(), 0);
  for (std::uint32_t v = 0; v < g.pool_count(); ++v) {
    std::int64_t& largest = g.largest_[g.types_[v].v];
    largest = std::max(largest, g.sizes_[v]);
  }
  std::unordered_multimap<std::uint64_t, std::uint32_t> known;
  Shape shape;
  std::vector<std::int64_t> totals(g.names_.types.size(), 0);
  std::vector<bool> is_seen(g.names_.types.size(), false);
  std::vector<TypeId> seen;
  auto add = [&](TypeId type, std::int64_t units) {
    if (!is_seen[type.v]) seen.push_back(type);
    is_seen[type.v] = true;
    return !__builtin_add_overflow(totals[type.v], units, &totals[type.v]);
  };
  for (std::uint32_t i = g.interior_count(); i-- > 0;) {
    const PoolId p = g.interior_pools_[i];
    shape.totals.clear();
    shape.runs.clear();
    shape.child_types.clear();
    bool fits = true;
    auto children = g.children(p);
    for (std::uint32_t c = 0; c < children.size(); ++c) {
      const PoolId child = children[c];
      const TypeId type = g.type(child);
      const bool leaf = g.leaf(child);
      if (shape.runs.empty() || shape.runs.back().type != type ||
          shape.runs.back().leaves != leaf) {
        shape.runs.push_back({type, c, 1, g.size(child), leaf, true, true});
      } else {
        ChildRun& run = shape.runs.back();
        ++run.count;
        if (run.size != g.size(child)) run.size = -1;
        if (g.id(child) <= g.id(children[c - 1])) run.ascending = false;
        if (g.uniq_id(child) < g.uniq_id(children[c - 1])) run.in_creation_order = false;
      }
      fits = add(type, g.size(child)) && fits;
      if (leaf) continue;
      for (const TypeTotal& t : g.shape(child).totals) fits = add(t.type, t.total) && fits;
    }
    for (const auto& run : shape.runs) shape.child_types.push_back(run.type);
    for (std::uint32_t s = 0; s < g.further_.size(); ++s) {
      const auto& f = g.further_[s];
      auto [lo, hi] = std::equal_range(f.from.begin(), f.from.end(), p);
      for (auto it = lo; it != hi; ++it) {
        shape.child_types.push_back(g.type(f.to[static_cast<std::size_t>(it - f.from.begin())]));
      }
    }
    std::sort(shape.child_types.begin(), shape.child_types.end());
    shape.child_types.erase(std::unique(shape.child_types.begin(), shape.child_types.end()),
                            shape.child_types.end());
    std::sort(seen.begin(), seen.end());
    for (TypeId t : seen) {
      shape.totals.push_back({t, totals[t.v]});
      totals[t.v] = 0;
      is_seen[t.v] = false;
    }
    seen.clear();
    if (!fits) {
      return fail(ErrorCode::limit, fmt::format("the units below {} exceed 2^63 - 1", g.name(p)));
    }
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

}  // namespace copse
