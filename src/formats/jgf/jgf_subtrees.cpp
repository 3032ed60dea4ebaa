// SPDX-License-Identifier: Apache-2.0
#include "formats/jgf/jgf_subtrees.hpp"

#include <fmt/format.h>

namespace copse {

Result<AllocatedPools> exclusive_pools(const ResourceGraph& graph, const JgfSet& set,
                                       bool shorthand, std::vector<std::string>* missing) {
  AllocatedPools out;
  for (const JgfNode& node : set.nodes) {
    if (set.free_ranks && node.rank >= 0 && set.free_ranks->contains(node.rank)) continue;
    if (node.drawn) continue;
    auto pool = find_pool(graph, node);
    if (!pool && missing != nullptr && pool.error().code == ErrorCode::not_found) {
      missing->push_back(pool.error().text);
      continue;
    }
    if (!pool) return std::unexpected(pool.error());
    out.rooted |= *pool == graph.root();
    if (!node.exclusive || !graph.in_tree(*pool)) continue;
    if (graph.divisible(*pool)) out.amounts.push_back({*pool, node.size});
    if (!shorthand) {
      out.pools.push_back(*pool);
      continue;
    }
    graph.preorder(*pool, [&](PoolId p) {
      out.pools.push_back(p);
      return true;
    });
  }
  return out;
}

namespace {

class Subtrees {
 public:
  Subtrees(const ResourceGraph& graph, Names& names, const JgfSet& set)
      : graph_(graph),
        names_(names),
        set_(set),
        known_(set.nodes.size(), kNoPool),
        parent_(set.nodes.size(), JgfEdge::kNone),
        below_(set.nodes.size()) {}

  Result<std::vector<NewSubtree>> make() {
    for (std::uint32_t i = 0; i < set_.nodes.size(); ++i) known_[i] = known(set_.nodes[i]);
    if (auto ok = join(); !ok) return std::unexpected(ok.error());
    std::vector<NewSubtree> out;
    std::size_t placed = 0, fresh = 0;
    for (std::uint32_t i = 0; i < set_.nodes.size(); ++i) {
      if (known_[i] != kNoPool) continue;
      ++fresh;
      const std::string* at = path(set_.nodes[i]);
      if (parent_[i] == JgfEdge::kNone && at != nullptr && at->rfind('/') == 0) {
        return fail(ErrorCode::invalid,
                    fmt::format("failed to add root metadata for {} subsystem. Possible duplicate "
                                "root.",
                                dominant()));
      }
      if (parent_[i] == JgfEdge::kNone) {
        return fail(
            ErrorCode::invalid,
            fmt::format("{} is not in the machine, and no edge leads to it", set_.nodes[i].name));
      }
      const PoolId above = known_[parent_[i]];
      if (above == kNoPool) continue;
      NewSubtree made{above, {}};
      if (auto ok = place(i, made); !ok) return std::unexpected(ok.error());
      placed += made.pools.size();
      out.push_back(std::move(made));
    }
    if (placed < fresh) return fail(ErrorCode::invalid, "the edges of the new pools form a cycle");
    if (fresh == 0) return fail(ErrorCode::exists, "all of these resources are in the machine");
    return out;
  }

 private:
  [[nodiscard]] const std::string& dominant() const {
    return graph_.subsystem_name(graph_.dominant());
  }

  [[nodiscard]] const std::string* path(const JgfNode& node) const {
    for (const auto& [subsystem, path] : node.paths) {
      if (subsystem == dominant()) return &path;
    }
    return nullptr;
  }

  [[nodiscard]] PoolId known(const JgfNode& node) const {
    const std::string* at = path(node);
    if (at == nullptr) return kNoPool;
    for (PoolId p : graph_.at_path(*at)) {
      if (graph_.rank(p) == node.rank && graph_.in_tree(p)) return p;
    }
    return kNoPool;
  }

  // Whether an edge says from below what another one says from above ("in").
  [[nodiscard]] bool leads_back(const JgfEdge& e) const {
    const std::string *below = path(set_.nodes[e.source]), *above = path(set_.nodes[e.target]);
    return e.subsystem == dominant() && below != nullptr && above != nullptr &&
           below->starts_with(*above + '/');
  }

  Result<void> join() {
    for (const JgfEdge& e : set_.edges) {
      if (e.source == JgfEdge::kNone || e.target == JgfEdge::kNone) {
        return fail(ErrorCode::invalid,
                    fmt::format("source and/or target vertex not found{} -> {}.", e.source_id,
                                e.target_id));
      }
      if (known_[e.target] != kNoPool) continue;  // pools that exist keep their parents
      if (leads_back(e)) continue;
      if (e.subsystem != dominant()) {
        return fail(ErrorCode::unsupported,
                    fmt::format("{} would be attached in subsystem {}; only {} can grow",
                                set_.nodes[e.target].name, e.subsystem, dominant()));
      }
      if (parent_[e.target] != JgfEdge::kNone) {
        return fail(ErrorCode::invalid,
                    fmt::format("{} is attached twice", set_.nodes[e.target].name));
      }
      parent_[e.target] = e.source;
      below_[e.source].push_back(e.target);
    }
    return {};
  }

  // A new pool and what is below it, in preorder.
  Result<void> place(std::uint32_t top, NewSubtree& out) {
    struct Next {
      std::uint32_t node, parent;
      std::string above;  // path of the parent
    };
    std::vector<Next> pending{
        {top, NewPool::kAttached, graph_.path(out.parent, graph_.dominant())}};
    while (!pending.empty()) {
      const Next at = std::move(pending.back());
      pending.pop_back();
      const JgfNode& node = set_.nodes[at.node];
      const std::string expected = at.above + '/' + node.name;
      const std::string* given = path(node);
      if (given != nullptr && *given != expected) {
        return fail(ErrorCode::invalid, fmt::format("the path of {} is {}, but its edges give {}",
                                                    node.name, *given, expected));
      }
      auto pool = new_pool(node, at.parent);
      if (!pool) return std::unexpected(pool.error());
      out.pools.push_back(std::move(*pool));
      const auto number = static_cast<std::uint32_t>(out.pools.size() - 1);
      for (auto child = below_[at.node].rbegin(); child != below_[at.node].rend(); ++child) {
        if (known_[*child] == kNoPool) pending.push_back({*child, number, expected});
      }
    }
    return {};
  }

  Result<NewPool> new_pool(const JgfNode& node, std::uint32_t parent) {
    if (names_.types.find(node.type) == Interner::kNone && names_.types.size() >= 65'000) {
      return fail(ErrorCode::limit, "more than 65000 resource types");
    }
    if (names_.units.find(node.unit) == Interner::kNone && names_.units.size() >= 65'000) {
      return fail(ErrorCode::limit, "more than 65000 units");
    }
    NewPool out;
    out.parent = parent;
    out.type = TypeId{static_cast<std::uint16_t>(names_.types.intern(node.type))};
    out.unit = UnitId{static_cast<std::uint16_t>(names_.units.intern(node.unit))};
    out.basename = NameId{names_.basenames.intern(node.basename)};
    out.size = node.size;
    out.id = node.id;
    out.rank = node.rank;
    out.uniq_id = node.uniq_id;
    out.name = node.name;
    out.down = node.down;
    out.properties.insert(node.properties.begin(), node.properties.end());
    return out;
  }

  const ResourceGraph& graph_;
  Names& names_;
  const JgfSet& set_;
  std::vector<PoolId> known_;
  std::vector<std::uint32_t> parent_;
  std::vector<std::vector<std::uint32_t>> below_;
};

}  // namespace

Result<std::vector<NewSubtree>> subtrees_of(const ResourceGraph& graph, Names& names,
                                            const JgfSet& set) {
  return Subtrees(graph, names, set).make();
}

}  // namespace copse
