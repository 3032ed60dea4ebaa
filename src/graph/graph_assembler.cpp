// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_assembler.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "graph/graph_shapes.hpp"

namespace copse {

namespace {

// column[i] := old column[order[i]]
template <class T>
void permute(std::vector<T>& column, const std::vector<std::uint32_t>& order) {
  std::vector<T> moved(column.size());
  for (std::size_t i = 0; i < order.size(); ++i) moved[i] = column[order[i]];
  column = std::move(moved);
}

// An edge that is not in the dominant tree.
struct FurtherEdge {
  PoolId from, to;
  std::uint32_t run;
};

// Sorts edges by origin, stably; of equal pairs the first stays.
void drop_repeated(std::vector<FurtherEdge>& edges) {
  std::ranges::stable_sort(edges, {}, &FurtherEdge::from);
  PoolId from = kNoPool;
  std::unordered_set<std::uint32_t> seen;  // targets of edges from `from`
  std::erase_if(edges, [&](const FurtherEdge& e) {
    if (e.from != from) seen = {};
    from = e.from;
    return !seen.insert(e.to.v).second;
  });
}

// Records that edges from this number on have these relations, unless the preceding ones have them,
// too.
template <class Run>
void add_run(std::vector<Run>& runs, std::size_t first, const GraphParts::EdgeRun& edges) {
  if (!runs.empty() && runs.back().relation == edges.relation &&
      runs.back().reverse == edges.reverse) {
    return;
  }
  runs.push_back({static_cast<std::uint32_t>(first), edges.relation, edges.reverse});
}

// A pool whose path up by `parents` (child, parent; sorted, one per child) returns to itself;
// kNoPool if there is none.
PoolId find_cycle(const std::vector<std::pair<PoolId, PoolId>>& parents, std::uint32_t pools) {
  std::vector<std::uint32_t> up(pools, kNoPool.v), seen(pools, 0);
  for (const auto& [child, parent] : parents) up[child.v] = parent.v;
  for (std::uint32_t p = 0; p < pools; ++p) {
    std::uint32_t at = p;
    for (; at != kNoPool.v && seen[at] == 0; at = up[at]) seen[at] = p + 1;
    if (at != kNoPool.v && seen[at] == p + 1) return PoolId{at};
  }
  return kNoPool;
}

}  // namespace

// Builds one graph. Handles are orders of creation; numbers are those of the graph.
class GraphAssembler {
 public:
  GraphAssembler(GraphParts parts, SubsystemId dominant)
      : parts_(std::move(parts)),
        dominant_(dominant.v),
        pools_(static_cast<std::uint32_t>(parts_.types.size())) {
    g_.dominant_ = dominant;
    further_.resize(parts_.names.subsystems.size());
    parts_.edge_runs.push_back({static_cast<std::uint32_t>(parts_.edge_from.size()), {}, {}, {}});
  }

  Result<ResourceGraph> make() {
    if (auto ok = number_pools(); !ok) return std::unexpected(ok.error());
    keep_tree_relations();
    for (std::uint32_t s = 0; s < further_.size(); ++s) {
      keep_further_edges(s);
      if (s == dominant_) continue;
      if (auto ok = keep_parents(s); !ok) return std::unexpected(ok.error());
    }
    g_.further_ = std::move(further_);
    move_columns();
    if (auto ok = ShapeBuilder::make_all(g_); !ok) return std::unexpected(ok.error());
    return std::move(g_);
  }

 private:
  // The dominant subsystem's edges as child lists in order of creation: children of h are
  // to[first[h]] … to[first[h + 1] - 1]. A repeated pair is listed once.
  struct ChildLists {
    std::vector<std::uint32_t> first, to;
    std::vector<std::uint32_t> last;  // by child: index of the last edge into it
  };

  // Calls visit(edge, run) for every edge of a subsystem, in order of creation.
  template <class Visit>
  void for_each_edge(std::uint32_t subsystem, Visit visit) const {
    for (std::uint32_t r = 0; r + 1 < parts_.edge_runs.size(); ++r) {
      if (parts_.edge_runs[r].subsystem.v != subsystem) continue;
      for (std::uint32_t e = parts_.edge_runs[r].first; e < parts_.edge_runs[r + 1].first; ++e)
        visit(e, r);
    }
  }

  [[nodiscard]] ChildLists child_lists() const {
    std::vector<std::uint8_t> degree(pools_, 0);  // edges into a pool, counted up to two
    for_each_edge(dominant_, [&](std::uint32_t e, std::uint32_t) {
      degree[parts_.edge_to[e]] = degree[parts_.edge_to[e]] == 0 ? 1 : 2;
    });
    std::unordered_set<std::uint64_t> pairs;
    auto repeated = [&](std::uint32_t e) {
      return degree[parts_.edge_to[e]] > 1 &&
             !pairs.insert((std::uint64_t{parts_.edge_from[e]} << 32) | parts_.edge_to[e]).second;
    };
    ChildLists lists;
    lists.first.assign(pools_ + 2, 0);
    for_each_edge(dominant_, [&](std::uint32_t e, std::uint32_t) {
      if (!repeated(e)) ++lists.first[parts_.edge_from[e] + 2];
    });
    for (std::uint32_t h = 2; h < pools_ + 2; ++h) lists.first[h] += lists.first[h - 1];
    lists.to.resize(lists.first[pools_ + 1]);
    lists.last.assign(pools_, kNoPool.v);
    pairs.clear();
    for_each_edge(dominant_, [&](std::uint32_t e, std::uint32_t) {
      if (repeated(e)) return;
      const std::uint32_t at = lists.first[parts_.edge_from[e] + 1]++;
      lists.to[at] = parts_.edge_to[e];
      lists.last[parts_.edge_to[e]] = at;
    });
    lists.first.pop_back();
    return lists;
  }

  // Preorder of the dominant tree, then the rest in order of creation.
  Result<void> number_pools() {
    number_.assign(pools_, kNoPool.v);
    order_.reserve(pools_);
    parents_.reserve(pools_);
    ends_.reserve(pools_);
    std::vector<std::uint32_t> interiors;
    {
      const ChildLists lists = child_lists();
      if (auto ok = number_tree(lists); !ok) return ok;
      interiors = keep_children(lists);
    }
    for (std::uint32_t h = 0; h < pools_; ++h) {
      if (number_[h] != kNoPool.v) continue;
      number_[h] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(h);
      parents_.push_back(kNoPool.v);
      ends_.push_back(number_[h] + 1);
    }
    interiors.resize(pools_, g_.interior_count());
    g_.interiors_ = std::move(interiors);
    return {};
  }

  // Depth-first from the root. Of several edges into a pool the last one is in the tree: it
  // determines the path.
  Result<void> number_tree(const ChildLists& lists) {
    struct Frame {
      std::uint32_t handle, next;
    };
    std::vector<Frame> stack;
    const std::uint32_t root = parts_.roots[dominant_];
    auto enter = [&](std::uint32_t handle, std::uint32_t parent) {
      number_[handle] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(handle);
      parents_.push_back(parent);
      ends_.push_back(0);
      stack.push_back({handle, lists.first[handle]});
    };
    enter(root, kNoPool.v);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next == lists.first[top.handle + 1]) {
        ends_[number_[top.handle]] = static_cast<std::uint32_t>(order_.size());
        stack.pop_back();
        continue;
      }
      const std::uint32_t edge = top.next++;
      const std::uint32_t child = lists.to[edge];
      if (lists.last[child] != edge || child == root) continue;
      if (stack.size() >= kGraphDepthMax) {
        return fail(ErrorCode::limit,
                    fmt::format("the edges of subsystem {} are more than {} levels deep, at {}",
                                subsystem(dominant_), kGraphDepthMax, parts_.pool_name(child)));
      }
      enter(child, number_[top.handle]);
    }
    g_.tree_count_ = static_cast<std::uint32_t>(order_.size());
    for (std::uint32_t h = 0; h < pools_; ++h) {
      if (lists.last[h] == kNoPool.v || (number_[h] != kNoPool.v && h != root)) continue;
      return fail(
          ErrorCode::invalid,
          fmt::format("{} cannot be reached from the root of subsystem {} by the edges made "
                      "last: they form a cycle, or begin outside of it",
                      parts_.pool_name(h), subsystem(dominant_)));
    }
    return {};
  }

  // The interior numbers of the tree's pools.
  std::vector<std::uint32_t> keep_children(const ChildLists& lists) {
    std::vector<PoolId> children, interior_pools;
    std::vector<std::uint32_t> interiors(g_.tree_count_), firsts, counts;
    interiors.reserve(pools_);
    children.reserve(g_.tree_count_);
    for (std::uint32_t v = 0; v < g_.tree_count_; ++v) {
      interiors[v] = static_cast<std::uint32_t>(interior_pools.size());
      if (ends_[v] == v + 1) continue;
      interior_pools.push_back(PoolId{v});
      firsts.push_back(static_cast<std::uint32_t>(children.size()));
      const std::uint32_t h = order_[v];
      for (std::uint32_t e = lists.first[h]; e < lists.first[h + 1]; ++e) {
        if (lists.last[lists.to[e]] == e) children.push_back(PoolId{number_[lists.to[e]]});
      }
      counts.push_back(static_cast<std::uint32_t>(children.size()) - firsts.back());
    }
    interior_pools.shrink_to_fit();
    firsts.shrink_to_fit();
    counts.shrink_to_fit();
    g_.children_ = std::move(children);
    g_.interior_pools_ = std::move(interior_pools);
    g_.child_firsts_ = std::move(firsts);
    g_.child_counts_ = std::move(counts);
    return interiors;
  }

  [[nodiscard]] bool in_tree(std::uint32_t e) const {
    return parents_[number_[parts_.edge_to[e]]] == number_[parts_.edge_from[e]];
  }

  // Relations of tree edges, as runs over the handle of the child, which becomes its created().
  void keep_tree_relations() {
    std::vector<std::uint32_t> run_of(pools_, kNoPool.v);
    for_each_edge(dominant_, [&](std::uint32_t e, std::uint32_t r) {
      if (in_tree(e) && run_of[parts_.edge_to[e]] == kNoPool.v) run_of[parts_.edge_to[e]] = r;
    });
    std::vector<ResourceGraph::Relations> runs;
    for (std::uint32_t h = 0; h < pools_; ++h) {
      if (run_of[h] != kNoPool.v) add_run(runs, h, parts_.edge_runs[run_of[h]]);
    }
    g_.tree_relations_ = std::move(runs);
  }

  // Edges that are not in the dominant tree, sorted by origin.
  void keep_further_edges(std::uint32_t s) {
    auto& f = further_[s];
    if (s < parts_.roots.size() && parts_.roots[s] != kNoPool.v)
      f.root = PoolId{number_[parts_.roots[s]]};
    std::vector<FurtherEdge> edges;
    for_each_edge(s, [&](std::uint32_t e, std::uint32_t r) {
      if (s == dominant_ && in_tree(e)) return;
      edges.push_back(
          {PoolId{number_[parts_.edge_from[e]]}, PoolId{number_[parts_.edge_to[e]]}, r});
    });
    drop_repeated(edges);
    for (const FurtherEdge& e : edges) {
      add_run(f.relations, f.from.size(), parts_.edge_runs[e.run]);
      f.from.push_back(e.from);
      f.to.push_back(e.to);
    }
  }

  // Parents in a further subsystem, in order of creation: the last one determines the path.
  Result<void> keep_parents(std::uint32_t s) {
    auto& parents = further_[s].parents;
    for_each_edge(s, [&](std::uint32_t e, std::uint32_t) {
      parents.emplace_back(PoolId{number_[parts_.edge_to[e]]},
                           PoolId{number_[parts_.edge_from[e]]});
    });
    std::stable_sort(parents.begin(), parents.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto kept = std::unique(parents.rbegin(), parents.rend(),
                                  [](const auto& a, const auto& b) { return a.first == b.first; });
    parents.erase(parents.begin(), kept.base());
    const PoolId p = find_cycle(parents, pools_);
    if (p == kNoPool) return {};
    return fail(ErrorCode::invalid, fmt::format("the edges of subsystem {} form a cycle, at {}",
                                                subsystem(s), parts_.pool_name(order_[p.v])));
  }

  // Column by column, so that at most one column exists twice.
  void move_columns() {
    parts_.edge_from = {};
    parts_.edge_to = {};
    g_.parents_ = std::move(parents_);
    g_.ends_ = std::move(ends_);
    auto& properties = g_.given_.own().properties;
    for (const auto& [handle, own] : parts_.properties) properties.emplace(number_[handle], own);
    auto& names = g_.own_.own().names;
    for (auto& [handle, name] : parts_.own_names) names.emplace(number_[handle], std::move(name));
    for (Handle handle : parts_.down) g_.initially_down_.push_back(PoolId{number_[handle]});
    if (!parts_.own_uniq_ids.empty()) {
      for (Handle h = static_cast<Handle>(parts_.own_uniq_ids.size()); h < pools_; ++h) {
        parts_.own_uniq_ids.push_back(h);
      }
      permute(parts_.own_uniq_ids, order_);
      g_.own_uniq_ids_ = std::move(parts_.own_uniq_ids);
    }
    number_ = {};
    std::apply([&](auto&... column) { (permute(column, order_), ...); }, parts_.columns());
    g_.types_ = std::move(parts_.types);
    g_.units_ = std::move(parts_.units);
    g_.basenames_ = std::move(parts_.basenames);
    g_.sizes_ = std::move(parts_.sizes);
    g_.ids_ = std::move(parts_.ids);
    g_.ranks_ = std::move(parts_.ranks);
    g_.created_ = std::move(order_);
    g_.names_.own() = std::move(parts_.names);
    g_.built_count_ = g_.created_count_ = pools_;
    g_.next_uniq_id_ = pools_;
    for (std::int64_t uniq_id : g_.own_uniq_ids_) {
      if (uniq_id < INT64_MAX) g_.next_uniq_id_ = std::max(g_.next_uniq_id_, uniq_id + 1);
    }
  }

  [[nodiscard]] const std::string& subsystem(std::uint32_t s) const {
    return parts_.names.subsystems.text(s);
  }

  using Handle = GraphParts::Handle;

  GraphParts parts_;
  std::uint32_t dominant_, pools_;
  ResourceGraph g_;
  std::vector<ResourceGraph::FurtherEdges> further_;  // by subsystem
  std::vector<std::uint32_t> order_, number_;         // order_[number] = handle; number_[handle]
  std::vector<std::uint32_t> parents_, ends_;         // by number
};

std::string GraphParts::pool_name(Handle pool) const {
  if (auto own = own_names.find(pool); own != own_names.end()) return own->second;
  std::string out = names.basenames.text(basenames[pool].v);
  if (ids[pool] != -1) out += std::to_string(ids[pool]);
  return out;
}

Result<ResourceGraph> make_graph(GraphParts parts, SubsystemId dominant) {
  return GraphAssembler(std::move(parts), dominant).make();
}

}  // namespace copse
