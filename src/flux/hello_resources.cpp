// SPDX-License-Identifier: Apache-2.0
#include "flux/hello_resources.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/idset_algebra.hpp"
#include "formats/jgf/jgf_set.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "rset/rset_algebra.hpp"

namespace copse::flux {

namespace {

// A job that has whole nodes only is recorded with a request for nodes.
std::int64_t whole_nodes_of(const std::vector<PoolId>& pools, const RSet& has,
                            const ResourceGraph& graph) {
  std::int64_t nodes = 0, others = 0;
  const TypeId node = graph.find_type("node");
  for (const PoolId p : pools) {
    if (graph.type(p) == node) {
      ++nodes;
    } else if (graph.type(graph.parent(p)) != node) {
      ++others;
    }
  }
  return others == 0 && nodes == has.ranks().count() ? nodes : 0;
}

// Without children of types that the machine does not have at all: its graph may have no GPUs where
// another scheduler's R has.
RSet without_unknown_types(RSet r, const ResourceGraph& graph) {
  for (RSet::Entry& entry : r.entries) {
    std::erase_if(entry.children, [&](const auto& child) {
      return child.first != "core" && graph.find_type(child.first) == kNoType;
    });
  }
  return r;
}

bool is_below(const ResourceGraph& graph, PoolId p, const std::vector<PoolId>& sorted) {
  while (p != graph.root()) {
    p = graph.parent(p);
    if (std::ranges::binary_search(sorted, p)) return true;
  }
  return false;
}

// Adds the leaves of R's graph that R_lite cannot list: pools of other types than its own, such as disks
// of racks and memory of nodes, with their units if they are divisible. Pools that do not match the
// machine are ignored: another scheduler wrote the graph, or the ids differ.
void add_unlisted(HelloResources& out, const RSet& has, const Idset& freed,
                  const ResourceGraph& graph) {
  if (has.scheduling.text.empty()) return;
  const auto set = read_jgf_set(has.scheduling.text);
  if (!set) return;
  std::vector<PoolId> listed = out.pools;
  std::ranges::sort(listed);
  for (const JgfNode& node : set->nodes) {
    if (!node.exclusive || (node.rank >= 0 && freed.contains(node.rank))) continue;
    if (node.type == "core" || node.type == "gpu") continue;
    const auto pool = find_pool(graph, node);
    if (!pool || !graph.children(*pool).empty() || std::ranges::binary_search(listed, *pool) ||
        is_below(graph, *pool, listed)) {
      continue;
    }
    out.pools.push_back(*pool);
    if (graph.divisible(*pool)) out.amounts.push_back({*pool, node.size});
  }
}

}  // namespace

std::int64_t whole_seconds(double time_s) {
  if (!(time_s > 0)) return 0;
  return time_s < 1e15 ? static_cast<std::int64_t>(time_s) : INT64_C(1'000'000'000'000'000);
}

Result<HelloResources> hello_resources(const HelloJob& job, const ResourceGraph& graph) {
  auto r = read_r(job.r, "R", {.rules = RRules::merging});
  if (!r) return std::unexpected(r.error());
  const RSet has = without_unknown_types(
      job.freed.empty() ? std::move(*r) : select_ranks(*r, subtract(r->ranks(), job.freed)), graph);
  auto pools = pools_of_r(graph, has);
  if (!pools) return std::unexpected(pools.error());
  HelloResources out{.pools = std::move(*pools)};
  add_unlisted(out, has, job.freed, graph);
  out.whole_nodes = whole_nodes_of(out.pools, has, graph);
  const double end_s = job.expiration_s.value_or(has.expiration_s);
  if (end_s > 0) out.end_s = whole_seconds(std::ceil(end_s));
  return out;
}

Result<GrantCharges> hello_charges(const Engine& engine, std::string_view jobspec) {
  const auto request = parse_jobspec(jobspec, "jobspec");
  if (!request) return std::unexpected(request.error());
  std::vector<HresShare> shares;
  for (const HresItem& item : request->hres.items) {
    shares.push_back({.item = item});
    if (request->hres.either) break;
  }
  return engine.charges_of(shares);
}

Result<std::vector<PoolId>> freed_pools(const ResourceGraph& graph, const Idset& ranks) {
  auto out = pools_of_ranks(graph, ranks);
  const auto tops = tops_of_ranks(graph, ranks);
  if (!out || !tops) return out;
  for (const PoolId top : *tops) {
    for (PoolId p = top; p != graph.root();) {
      p = graph.parent(p);
      out->push_back(p);
    }
  }
  return out;
}

}  // namespace copse::flux
