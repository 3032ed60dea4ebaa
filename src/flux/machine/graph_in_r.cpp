// SPDX-License-Identifier: Apache-2.0
#include "flux/machine/graph_in_r.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/idset_algebra.hpp"
#include "formats/jgf/jgf.hpp"
#include "formats/rv1/rv1_pools.hpp"

namespace copse::flux {

namespace {

constexpr std::string_view kShorthand = "fluxion:jgf_shorthand";

std::unexpected<Error> not_usable(std::string why) {
  return fail(ErrorCode::unsupported, std::move(why));
}

// The pools of a rank that are below no other of it.
struct Home {
  std::int64_t rank = -1;  // in R
  std::vector<PoolId> tops;
};

// Finds the numbers that the pools of a graph have in R.
class NumbersInR {
 public:
  NumbersInR(const ResourceGraph& graph, const RSet& r) : graph_(graph), r_(r) {
    numbers_.resize(graph.pool_count());
    for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
      const PoolId pool{v};
      numbers_[graph.created(pool)] = {.rank = graph.rank(pool), .id = graph.id(pool)};
    }
  }

  Result<void> find() {
    if (auto ok = find_homes(); !ok) return ok;
    for (const Home& home : homes_) {
      for (const PoolId top : home.tops) set_rank(top, home.rank);
    }
    return number_children();
  }

  // By order of creation.
  [[nodiscard]] std::vector<PoolNumbers>& numbers() { return numbers_; }
  [[nodiscard]] bool changed() const { return changed_; }
  [[nodiscard]] std::vector<std::string>& remarks() { return remarks_; }

 private:
  using ByRank = std::map<std::int32_t, std::vector<PoolId>>;

  // --- Ranks
  Result<void> find_homes() {
    const Idset ranks = r_.ranks();
    const ByRank tops = tops_of_graph();
    if (by_names(tops)) return {};
    if (tops.empty()) {
      return not_usable("it has no ranks, and not a node for each host of R");
    }
    Idset known;
    for (const auto& [rank, pools] : tops) known.add(rank);
    const std::int64_t missing = first_missing(ranks, known);
    if (missing >= 0 && known.count() != ranks.count()) {
      return not_usable(fmt::format("it has no rank {}", missing));
    }
    auto next = tops.begin();
    for (const auto& [first, last] : ranks.ranges()) {
      for (std::int64_t rank = first; rank <= last; ++rank) {
        const auto at = missing < 0 ? tops.find(static_cast<std::int32_t>(rank)) : next++;
        homes_.push_back({.rank = rank, .tops = at->second});
      }
    }
    return {};
  }

  [[nodiscard]] ByRank tops_of_graph() const {
    ByRank out;
    std::vector<std::pair<PoolId, std::int32_t>> above;  // pools with their ranks, root first
    graph_.preorder(graph_.root(), [&](PoolId pool) {
      while (!above.empty() && !graph_.below(pool, above.back().first)) above.pop_back();
      const std::int32_t rank = graph_.rank(pool);
      const bool inside =
          std::ranges::any_of(above, [&](const auto& one) { return one.second == rank; });
      if (rank >= 0 && !inside) out[rank].push_back(pool);
      if (rank >= 0 && !graph_.leaf(pool)) above.emplace_back(pool, rank);
      return true;
    });
    return out;
  }

  // With ranks in the graph, their tops; else nodes, and other pools that are no leaves.
  bool by_names(const ByRank& tops) {
    if (r_.hosts.empty() || std::set(r_.hosts.begin(), r_.hosts.end()).size() != r_.hosts.size()) {
      return false;
    }
    std::unordered_map<std::string, std::vector<std::vector<PoolId>>> named;
    if (tops.empty()) {
      graph_.preorder(graph_.root(), [&](PoolId pool) {
        if (!graph_.leaf(pool)) named[graph_.name(pool)].push_back({pool});
        return true;
      });
    } else {
      for (const auto& [rank, pools] : tops) named[graph_.name(node_among(pools))].push_back(pools);
    }
    const Idset ranks = r_.ranks();
    std::vector<Home> homes;
    std::size_t host = 0;
    for (const auto& [first, last] : ranks.ranges()) {
      for (std::int64_t rank = first; rank <= last; ++rank, ++host) {
        const auto at = named.find(r_.hosts[host]);
        if (at == named.end() || at->second.size() != 1) return false;
        homes.push_back({.rank = rank, .tops = at->second.front()});
      }
    }
    homes_ = std::move(homes);
    return true;
  }

  [[nodiscard]] PoolId node_among(const std::vector<PoolId>& pools) const {
    const TypeId node = graph_.find_type("node");
    const auto at = std::ranges::find(pools, node, [&](PoolId pool) { return graph_.type(pool); });
    return at == pools.end() ? pools.front() : *at;
  }

  void set_rank(PoolId top, std::int64_t rank) {
    const std::int32_t before = graph_.rank(top);
    graph_.preorder(top, [&](PoolId pool) {
      if (graph_.rank(pool) != before) return graph_.rank(pool) < 0;  // else another rank begins
      auto& number = numbers_[graph_.created(pool)];
      changed_ = changed_ || number.rank != rank;
      number.rank = static_cast<std::int32_t>(rank);
      return true;
    });
  }

  // --- Ids
  Result<void> number_children() {
    const std::vector<RankRange> ranges = sorted_ranges(r_);
    std::map<std::string, Idset> without;  // by type: ranks whose ids the graph does not have
    auto range = ranges.begin();
    for (const Home& home : homes_) {
      while (range->range.second < home.rank) ++range;
      for (const auto& [type, ids] : r_.entries[range->entry].children) {
        const auto pools = pools_of(home, type);
        if (number(ids, pools)) continue;
        if (type == "core") {
          return not_usable(fmt::format("it has {} of the {} cores of rank {}", pools.size(),
                                        ids.count(), home.rank));
        }
        without[type].add(home.rank);
      }
    }
    for (const auto& [type, ranks] : without) {
      remarks_.push_back(
          fmt::format("the graph in R lacks {}s that R has on rank {}", type, ranks.text(true)));
    }
    return {};
  }

  [[nodiscard]] std::map<std::int64_t, PoolId> pools_of(const Home& home,
                                                        std::string_view name) const {
    std::map<std::int64_t, PoolId> out;
    const TypeId type = graph_.find_type(name);
    for (const PoolId top : home.tops) {
      graph_.preorder(top, [&](PoolId pool) {
        const bool other = graph_.rank(pool) != graph_.rank(top);
        if (other && graph_.rank(pool) >= 0) return false;
        if (graph_.type(pool) == type) out.emplace(graph_.id(pool), pool);
        return true;
      });
    }
    return out;
  }

  // False: neither are these the ids of the pools, nor are they as many.
  bool number(const Idset& ids, const std::map<std::int64_t, PoolId>& pools) {
    Idset has;
    for (const auto& [id, pool] : pools) {
      if (id >= 0) has.add(id);
    }
    if (first_missing(ids, has) < 0) return true;
    if (std::cmp_not_equal(ids.count(), pools.size())) return false;
    auto pool = pools.begin();
    for (const auto& [first, last] : ids.ranges()) {
      for (std::int64_t id = first; id <= last; ++id, ++pool) {
        numbers_[graph_.created(pool->second)].id = id;
      }
    }
    return changed_ = true;
  }

  const ResourceGraph& graph_;
  const RSet& r_;
  std::vector<Home> homes_;
  std::vector<PoolNumbers> numbers_;
  bool changed_ = false;
  std::vector<std::string> remarks_;
};

// Whether a pool below the top has one of the ranks.
bool has_inside(const ResourceGraph& graph, PoolId top, const Idset& ranks) {
  bool found = false;
  graph.preorder(top, [&](PoolId pool) {
    found = found || (graph.rank(pool) >= 0 && ranks.contains(graph.rank(pool)));
    return !found;
  });
  return found;
}

// Finds the tops of pools of other ranks, and nodes without one.
void leave_out_others(const RSet& r, GraphInR& out) {
  const ResourceGraph& graph = out.graph;
  const Idset ranks = r.ranks();
  const TypeId node = graph.find_type("node");
  std::set<std::int32_t> others;
  std::int64_t unranked = 0;
  graph.preorder(graph.root(), [&](PoolId pool) {
    const std::int32_t rank = graph.rank(pool);
    const bool unknown = rank >= 0 && !ranks.contains(rank);
    const bool loose = rank < 0 && graph.type(pool) == node;
    if ((!unknown && !loose) || has_inside(graph, pool, ranks)) return true;
    if (unknown) others.insert(rank);
    if (loose) ++unranked;
    out.outside.push_back(pool);
    return false;
  });
  if (!others.empty()) {
    Idset left;
    for (const std::int32_t rank : others) left.add(rank);
    out.remarks.push_back(
        fmt::format("the graph in R has rank {}, which R has not: left out", left.text(true)));
  }
  if (unranked > 0) {
    out.remarks.push_back(
        fmt::format("the graph in R has nodes without a rank, {}: left out", unranked));
  }
}

void add_properties_of(const RSet& r, ResourceGraph& graph) {
  for (const auto& [name, ranks] : r.properties) {
    const auto tops = tops_of_ranks(graph, ranks);
    if (!tops) continue;
    for (const PoolId top : *tops) {
      if (graph.leaf(top)) continue;
      const auto* has = graph.properties(top);
      if (has == nullptr || !has->contains(name)) graph.set_property(top, name, {});
    }
  }
}

}  // namespace

Result<GraphInR> graph_in_r(std::string_view r, const RSet& inventory) {
  if (!has_graph(inventory.scheduling)) return not_usable("it is not JGF");
  std::string writer;
  auto graph = read_jgf_of_set(r, {.units = false}, {}, &writer);
  if (writer == kShorthand) return not_usable("it leaves out what whole nodes contain");
  if (!writer.empty()) return not_usable(fmt::format("its writer is {:.40}", writer));
  if (!graph) return std::unexpected(graph.error());
  NumbersInR find(*graph, inventory);
  if (auto found = find.find(); !found) return std::unexpected(found.error());
  if (find.changed()) {
    graph = read_jgf_of_set(r, {.units = false}, find.numbers());
    if (!graph) return std::unexpected(graph.error());
  }
  GraphInR out{.graph = std::move(*graph), .outside = {}, .remarks = std::move(find.remarks())};
  leave_out_others(inventory, out);
  add_properties_of(inventory, out.graph);
  return out;
}

}  // namespace copse::flux
