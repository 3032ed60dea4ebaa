// SPDX-License-Identifier: Apache-2.0
#include "formats/selection_set.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/idset_algebra.hpp"
#include "formats/rv1/rv1_selection.hpp"

namespace copse {

RSet SelectionSet::make(const ResourceGraph& graph, const Selection& selection) {
  const TypeId core = graph.find_type("core"), gpu = graph.find_type("gpu"),
               node = graph.find_type("node"), storage = graph.find_type("storage_node");
  expand(graph, selection, pools_);
  list_contents(graph, pools_);
  nodes_.clear();
  Node at;
  for (const ExpandedPool& e : pools_) {
    const TypeId type = graph.type(e.pool);
    if (type == core || type == gpu) {
      const std::int64_t id = graph.id(e.pool);
      if (id >= 0) (type == core ? at.cores : at.gpus).emplace_back(id, id);
    } else if ((type == node || type == storage) && !(at.cores.empty() && at.gpus.empty())) {
      at.rank = graph.rank(e.pool);
      at.pool = e.pool;
      nodes_.push_back(std::move(at));
      at = {};
    }
  }
  std::ranges::stable_sort(nodes_, {}, &Node::rank);

  RSet r;
  r.hosts.reserve(nodes_.size());
  std::map<std::string, std::vector<Idset::Range>> properties;
  const Node* last = nullptr;
  std::vector<Idset::Range> ranks;
  const auto close = [&] {
    if (last == nullptr) return;
    RSet::Entry& entry = r.entries.emplace_back();
    entry.ranks = idset_of(std::move(ranks));
    ranks.clear();
    if (!last->cores.empty()) entry.children.emplace_back("core", idset_of(last->cores));
    if (!last->gpus.empty()) entry.children.emplace_back("gpu", idset_of(last->gpus));
  };
  for (const Node& n : nodes_) {
    if (last == nullptr || last->cores != n.cores || last->gpus != n.gpus) {
      close();
      last = &n;
    }
    ranks.emplace_back(n.rank, n.rank);
    graph.append_name(n.pool, r.hosts.emplace_back());
    if (const auto* of_node = graph.properties(n.pool)) {
      for (const auto& [key, value] : *of_node) {
        if (key.starts_with('+')) continue;
        std::string name = key;
        if (!value.empty()) name.append(1, '=').append(value);
        properties[std::move(name)].emplace_back(n.rank, n.rank);
      }
    }
  }
  close();
  r.properties.reserve(properties.size());
  for (auto& [name, of] : properties) r.properties.emplace_back(name, idset_of(std::move(of)));
  return r;
}

}  // namespace copse
