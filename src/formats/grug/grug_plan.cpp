// SPDX-License-Identifier: Apache-2.0
#include "formats/grug/grug_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace copse::grug {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kComparedMax = 16;  // 4 bytes a pool for each of them

class Planner {
 public:
  explicit Planner(const Recipe& recipe)
      : recipe_(recipe),
        firsts_(recipe.vertices.size() + 1, 0),
        edge_into_(recipe.vertices.size(), kNone) {}

  Result<Plan> make() {
    if (auto ok = index_edges(); !ok) return std::unexpected(ok.error());
    if (auto ok = check_tops(); !ok) return std::unexpected(ok.error());
    order_steps();
    if (auto ok = check_cycles(); !ok) return std::unexpected(ok.error());
    counts_.assign(recipe_.vertices.size(), {});
    for (const Step& step : plan_.steps) {
      if (auto ok = check_step(recipe_.edges[step.edge]); !ok) return std::unexpected(ok.error());
    }
    return std::move(plan_);
  }

 private:
  // The number of pools of a recipe vertex, as far as it is known without paths.
  struct Count {
    std::uint64_t pools = 0;
    bool known = true;
  };

  [[nodiscard]] std::unexpected<Error> error(Spot at, Spot instead, std::string text,
                                             ErrorCode code = ErrorCode::invalid) const {
    return fail(code, std::move(text), recipe_.place(at, instead));
  }
  [[nodiscard]] const Vertex& source(const Edge& edge) const {
    return recipe_.vertices[edge.source];
  }
  [[nodiscard]] const Vertex& target(const Edge& edge) const {
    return recipe_.vertices[edge.target];
  }
  [[nodiscard]] bool has_edges(std::size_t vertex) const {
    return firsts_[vertex] != firsts_[vertex + 1];
  }

  // Lists the edges by source, in order of declaration, and sees that no vertex has two parents.
  Result<void> index_edges() {
    for (std::uint32_t e = 0; e < recipe_.edges.size(); ++e) {
      const Edge& edge = recipe_.edges[e];
      ++firsts_[edge.source + 1];
      std::uint32_t& into = edge_into_[edge.target];
      if (into != kNone) {
        return error(edge.spot, {},
                     fmt::format("this is a second edge into node {}, the first is in line {}; a "
                                 "recipe must be a forest, so declare another node for it",
                                 xml::quoted(target(edge).id), recipe_.edges[into].spot.line));
      }
      into = e;
    }
    for (std::size_t v = 1; v < firsts_.size(); ++v) firsts_[v] += firsts_[v - 1];
    std::vector<std::uint32_t> next(firsts_.begin(), firsts_.end() - 1);
    by_source_.resize(recipe_.edges.size());
    for (std::uint32_t e = 0; e < recipe_.edges.size(); ++e) {
      by_source_[next[recipe_.edges[e].source]++] = e;
    }
    return {};
  }

  // A tree starts at a root; a node without edges is read as unused.
  Result<void> check_tops() const {
    bool has_root = false;
    for (std::size_t v = 0; v < recipe_.vertices.size(); ++v) {
      const Vertex& vertex = recipe_.vertices[v];
      const bool is_root = vertex.root.value == 1;
      has_root = has_root || is_root;
      if (edge_into_[v] != kNone) continue;
      if (is_root && !has_edges(v)) {
        return error(vertex.spot, {},
                     fmt::format("root {} has no edges, so that it generates nothing; add an edge "
                                 "from it",
                                 xml::quoted(vertex.id)));
      }
      if (!is_root && has_edges(v)) {
        return error(vertex.spot, {},
                     fmt::format("no root leads to node {}, so that its edges generate nothing; "
                                 "give it root 1 or an edge from another node",
                                 xml::quoted(vertex.id)));
      }
    }
    if (has_root) return {};
    return error(recipe_.spot, {}, "the recipe has no root; give root 1 to the node at the top");
  }

  // The walk of 2.3 in the order of declaration. A scale of 1 changes no product, so only larger
  // ones are kept: a product of 64 of them exceeds every graph.
  void order_steps() {
    struct Scale {
      std::uint32_t level;  // number of MULTIPLY edges above it
      std::uint64_t scale;
    };
    struct Frame {
      std::uint32_t vertex, next;
      std::uint32_t level;        // number of MULTIPLY edges above the vertex
      std::size_t scales_before;  // size of `scales` above the edge into it
    };
    std::vector<Scale> scales;
    std::vector<Frame> stack;
    const auto period = [&](std::int64_t scope, std::uint32_t level) {
      std::uint64_t product = 1;
      for (std::size_t i = scales.size(); i-- > 0 && scope > 0;) {
        if (static_cast<std::int64_t>(level) - scales[i].level > scope) break;
        if (__builtin_mul_overflow(product, scales[i].scale, &product)) return kForever;
      }
      return product;
    };
    for (std::uint32_t top = 0; top < recipe_.vertices.size(); ++top) {
      if (edge_into_[top] != kNone) continue;
      stack.push_back({top, firsts_[top], 0, 0});
      while (!stack.empty()) {
        Frame& frame = stack.back();
        if (frame.next == firsts_[frame.vertex + 1]) {
          scales.resize(frame.scales_before);
          stack.pop_back();
          continue;
        }
        const std::uint32_t e = by_source_[frame.next++];
        const Edge& edge = recipe_.edges[e];
        plan_.steps.push_back({e, frame.next == firsts_[frame.vertex + 1], has_edges(edge.target),
                               period(edge.id_scope.value, frame.level)});
        Frame below{edge.target, firsts_[edge.target], frame.level, scales.size()};
        if (edge.method == Method::multiply) {
          if (edge.multi_scale.value > 1) {
            scales.push_back({frame.level, static_cast<std::uint64_t>(edge.multi_scale.value)});
          }
          ++below.level;
        }
        stack.push_back(below);
      }
    }
  }

  // No vertex has two parents, so that what no walk from a top reaches is on or below a cycle.
  Result<void> check_cycles() const {
    if (plan_.steps.size() == recipe_.edges.size()) return {};
    std::vector<bool> is_done(recipe_.edges.size(), false);
    for (const Step& step : plan_.steps) is_done[step.edge] = true;
    const auto up = [&](std::uint32_t e) { return edge_into_[recipe_.edges[e].source]; };
    auto on_cycle = static_cast<std::uint32_t>(std::ranges::find(is_done, false) - is_done.begin());
    for (std::size_t i = 0; i < recipe_.edges.size(); ++i) on_cycle = up(on_cycle);  // far enough
    std::uint32_t first = on_cycle;
    for (std::uint32_t e = up(on_cycle); e != on_cycle; e = up(e)) first = std::min(first, e);
    const Edge& edge = recipe_.edges[first];
    return error(edge.spot, {},
                 fmt::format("this edge is part of a cycle through node {}; a recipe must be a "
                             "forest, so take it out",
                             xml::quoted(source(edge).id)));
  }

  Result<void> check_step(const Edge& edge) {
    if (source(edge).root.value == 1) {
      if (auto ok = count_root(edge); !ok) return ok;
    }
    if (target(edge).type.value.empty()) {
      return error(target(edge).type.spot, target(edge).spot,
                   fmt::format("node {} has no type; give it one", xml::quoted(target(edge).id)));
    }
    if (edge.method == Method::multiply) return count_multiply(edge);
    plan_.associates = true;
    if (!types_.contains(target(edge).type.value)) {
      return error(edge.spot, {},
                   fmt::format("nothing before this edge generates pools of type {} to associate; "
                               "check the type of node {}, or declare the node that makes them "
                               "earlier",
                               xml::quoted(target(edge).type.value), xml::quoted(target(edge).id)));
    }
    if (edge.method == Method::associate_by_path_in) return count_by_path(edge);
    return count_associate(edge);
  }

  // The source of an edge is a root: its pool is made unless there is one.
  Result<void> count_root(const Edge& edge) {
    const Vertex& root = source(edge);
    Count& count = counts_[edge.source];
    if (count.known && count.pools > 0) return {};
    if (root.type.value.empty()) {
      return error(root.type.spot, root.spot,
                   fmt::format("root {} has no type; give it one", xml::quoted(root.id)));
    }
    const bool is_new = subsystem_roots_.insert(root.subsystem.value).second;
    subsystems_.insert(root.subsystem.value);
    std::uint64_t& of_type = types_[root.type.value];
    if (!count.known) return {};
    count.pools = 1;
    if (!is_new) return {};
    ++of_type;
    return add(edge, 1, 0);
  }

  Result<void> count_multiply(const Edge& edge) {
    const Vertex& made = target(edge);
    if (made.subsystem.value != edge.e_subsystem.value) {
      return error(edge.e_subsystem.spot, edge.spot,
                   fmt::format("e_subsystem is {}, but the node {} that the edge generates has "
                               "subsystem {}; make them equal",
                               xml::quoted(edge.e_subsystem.value), xml::quoted(made.id),
                               xml::quoted(made.subsystem.value)));
    }
    subsystems_.insert(edge.e_subsystem.value);
    std::uint64_t& of_type = types_[made.type.value];
    const Count from = counts_[edge.source];
    counts_[edge.target].known = from.known;
    if (!from.known || edge.multi_scale.value <= 0) return {};
    std::uint64_t pools = 0;
    if (__builtin_mul_overflow(from.pools, static_cast<std::uint64_t>(edge.multi_scale.value),
                               &pools)) {
      pools = kForever;
    }
    if (auto ok = add(edge, pools, pools); !ok) return ok;
    counts_[edge.target].pools = pools;
    of_type += pools;
    return {};
  }

  Result<void> count_associate(const Edge& edge) {
    subsystems_.insert(edge.e_subsystem.value);
    const Count from = counts_[edge.source];
    counts_[edge.target].known = from.known;
    if (!from.known) return {};
    // Both are within kEdgesMax, so that the product fits 64 bits.
    const std::uint64_t pairs = from.pools * types_.find(target(edge).type.value)->second;
    if (auto ok = add(edge, 0, pairs); !ok) return ok;
    counts_[edge.target].pools = pairs;
    return {};
  }

  Result<void> count_by_path(const Edge& edge) {
    const std::string& compared = edge.as_tgt_subsystem.value;
    if (!subsystems_.contains(compared)) {
      return error(edge.as_tgt_subsystem.spot, edge.spot,
                   fmt::format("as_tgt_subsystem is {}, but nothing before this edge is in that "
                               "subsystem; check its spelling",
                               xml::quoted(compared)));
    }
    subsystems_.insert(edge.e_subsystem.value);
    counts_[edge.target].known = false;
    auto& all = plan_.compared_subsystems;
    if (std::ranges::find(all, compared) != all.end()) return {};
    all.push_back(compared);
    if (all.size() <= kComparedMax) return {};
    return error(edge.as_tgt_subsystem.spot, edge.spot,
                 fmt::format("the recipe compares paths in more than {} subsystems", kComparedMax),
                 ErrorCode::limit);
  }

  // Adds to the totals. No sum here overflows: totals are within their bounds.
  Result<void> add(const Edge& edge, std::uint64_t pools, std::uint64_t edges) {
    if (pools > kPoolsMax - plan_.pools) {
      return error(edge.multi_scale.spot, edge.spot, too_many_pools(recipe_, edge),
                   ErrorCode::limit);
    }
    if (edges > kEdgesMax - plan_.edges) {
      return error(edge.spot, {}, too_many_edges(recipe_, edge), ErrorCode::limit);
    }
    plan_.pools += pools;
    plan_.edges += edges;
    return {};
  }

  const Recipe& recipe_;
  Plan plan_;
  std::vector<std::uint32_t> firsts_;                          // by vertex, into by_source_
  std::vector<std::uint32_t> by_source_;                       // edges
  std::vector<std::uint32_t> edge_into_;                       // by vertex
  std::vector<Count> counts_;                                  // by vertex
  std::unordered_map<std::string_view, std::uint64_t> types_;  // pools made so far
  std::unordered_set<std::string_view> subsystems_, subsystem_roots_;
};

}  // namespace

std::string too_many_pools(const Recipe& recipe, const Edge& edge) {
  return fmt::format(
      "this edge brings the graph to more than {} pools; lower multi_scale, or those "
      "above node {}",
      kPoolsMax, xml::quoted(recipe.vertices[edge.target].id));
}

std::string too_many_edges(const Recipe& recipe, const Edge& edge) {
  return fmt::format(
      "this edge brings the graph to more than {} edges; associate fewer pools with "
      "node {}",
      kEdgesMax, xml::quoted(recipe.vertices[edge.target].id));
}

Result<Plan> make_plan(const Recipe& recipe) { return Planner(recipe).make(); }

}  // namespace copse::grug
