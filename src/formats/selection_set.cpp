// SPDX-License-Identifier: Apache-2.0
#include "formats/selection_set.hpp"

#include <algorithm>
#include <utility>

#include "base/idset_algebra.hpp"
#include "rset/rset_properties.hpp"

namespace copse {

namespace {

Idset set_of(std::span<const std::int64_t> ids) {
  std::vector<Idset::Range> ranges;
  ranges.reserve(ids.size());
  for (const std::int64_t id : ids) ranges.emplace_back(id, id);
  return idset_of(std::move(ranges));
}

// Finds the pools without a core or GPU listed below. REQUIRES calls in the order of copse::expand.
class ListedBelow {
 public:
  explicit ListedBelow(const ResourceGraph& graph)
      : graph_(graph), core_(graph.find_type("core")), gpu_(graph.find_type("gpu")) {}

  // Whether the contents of e are missing.
  bool lacks(const ExpandedPool& e) {
    const TypeId type = graph_.type(e.pool);
    const bool is_listed = type == core_ || type == gpu_;
    if (is_listed || deepest_ > e.depth) {
      deepest_ = e.depth;
      return false;
    }
    if (!e.exclusive || graph_.leaf(e.pool) || !has(e.pool)) return false;
    deepest_ = e.depth;
    return true;
  }

 private:
  [[nodiscard]] bool has(PoolId p) const {
    const auto in = [&](TypeId type) { return type != kNoType && graph_.shape(p).total(type) > 0; };
    return in(core_) || in(gpu_);
  }

  const ResourceGraph& graph_;
  const TypeId core_, gpu_;
  // The depth of the last pool that was listed or filled, or that contains such a pool.
  std::uint32_t deepest_ = 0;
};

}  // namespace

void list_contents(const ResourceGraph& graph, std::vector<ExpandedPool>& pools) {
  ListedBelow find(graph);
  if (std::ranges::none_of(pools, [&](const ExpandedPool& e) { return find.lacks(e); })) return;
  ListedBelow listed(graph);
  std::vector<ExpandedPool> out, contents;
  for (const ExpandedPool& e : pools) {
    if (listed.lacks(e)) {
      expand(graph, {.taken = {{e.pool, 1, true, true}}, .labels = {}}, contents);
      contents.pop_back();  // e itself
      for (ExpandedPool& below : contents) {
        below.depth += e.depth;
        out.push_back(below);
      }
    }
    out.push_back(e);
  }
  pools = std::move(out);
}

std::span<const SelectedNodes::Node> SelectedNodes::collect(const ResourceGraph& graph,
                                                            std::span<const ExpandedPool> pools) {
  const TypeId core = graph.find_type("core"), gpu = graph.find_type("gpu"),
               node = graph.find_type("node"), storage = graph.find_type("storage_node");
  cores_.clear();
  gpus_.clear();
  nodes_.clear();
  std::uint32_t core_first = 0, gpu_first = 0;
  for (const ExpandedPool& e : pools) {
    const TypeId type = graph.type(e.pool);
    if (type == core || type == gpu) {
      if (graph.id(e.pool) >= 0) (type == core ? cores_ : gpus_).push_back(graph.id(e.pool));
      continue;
    }
    const auto core_end = static_cast<std::uint32_t>(cores_.size()),
               gpu_end = static_cast<std::uint32_t>(gpus_.size());
    if ((type != node && type != storage) || (core_end == core_first && gpu_end == gpu_first)) {
      continue;
    }
    nodes_.push_back({graph.rank(e.pool), e.pool, core_first, core_end - core_first, gpu_first,
                      gpu_end - gpu_first});
    core_first = core_end;
    gpu_first = gpu_end;
  }
  std::ranges::stable_sort(nodes_, {}, &Node::rank);
  return nodes_;
}

std::map<std::string, std::vector<Idset::Range>> device_properties(
    const ResourceGraph& graph, std::span<const ExpandedPool> pools) {
  std::map<std::string, std::vector<Idset::Range>> out;
  const TypeId gpu = graph.find_type("gpu");
  if (gpu == kNoType) return out;
  std::map<std::int32_t, std::size_t> all;  // gpus by rank
  std::map<std::pair<std::string, std::int32_t>, std::vector<std::int64_t>> ids;
  for (const ExpandedPool& e : pools) {
    const std::int32_t rank = graph.rank(e.pool);
    if (graph.type(e.pool) != gpu || rank < 0 || graph.id(e.pool) < 0) continue;
    ++all[rank];
    const auto* properties = graph.properties(e.pool);
    if (properties == nullptr) continue;
    for (const auto& [name, value] : *properties) {
      if (value.empty()) ids[{name, rank}].push_back(graph.id(e.pool));
    }
  }
  for (const auto& [of, some] : ids) {
    const auto& [name, rank] = of;
    std::string key = name + "@gpu";
    if (some.size() < all.at(rank)) key += "[" + set_of(some).text() + "]";
    out[std::move(key)].emplace_back(rank, rank);
  }
  return out;
}

bool is_of_devices(const ResourceGraph& graph, PoolId node, std::string_view property) {
  const auto devices = property_devices(property);
  const TypeId gpu = graph.find_type("gpu");
  if (!devices || devices->type != "gpu" || gpu == kNoType || graph.rank(node) < 0) return false;
  const std::string name(property_name(property).name);
  return std::ranges::any_of(graph.of_rank(graph.rank(node)), [&](PoolId p) {
    const auto* properties = graph.type(p) == gpu ? graph.properties(p) : nullptr;
    return properties != nullptr && properties->contains(name);
  });
}

RSet SelectionSet::make(const ResourceGraph& graph, const Selection& selection) {
  expand(graph, selection, pools_);
  list_contents(graph, pools_);
  const auto nodes = nodes_.collect(graph, pools_);
  RSet r;
  r.hosts.reserve(nodes.size());
  std::map<std::string, std::vector<Idset::Range>> properties;
  const SelectedNodes::Node* last = nullptr;
  std::vector<Idset::Range> ranks;
  const auto close = [&] {
    if (last == nullptr) return;
    RSet::Entry& entry = r.entries.emplace_back();
    entry.ranks = idset_of(std::move(ranks));
    ranks.clear();
    if (last->core_count > 0) entry.children.emplace_back("core", set_of(nodes_.cores(*last)));
    if (last->gpu_count > 0) entry.children.emplace_back("gpu", set_of(nodes_.gpus(*last)));
  };
  const auto equal = [&](const SelectedNodes::Node& a, const SelectedNodes::Node& b) {
    return std::ranges::equal(nodes_.cores(a), nodes_.cores(b)) &&
           std::ranges::equal(nodes_.gpus(a), nodes_.gpus(b));
  };
  for (const SelectedNodes::Node& n : nodes) {
    if (last == nullptr || !equal(*last, n)) {
      close();
      last = &n;
    }
    ranks.emplace_back(n.rank, n.rank);
    graph.append_name(n.pool, r.hosts.emplace_back());
    if (const auto* of_node = graph.properties(n.pool)) {
      for (const auto& [key, value] : *of_node) {
        if (key.starts_with('+') || is_of_devices(graph, n.pool, key)) continue;
        std::string name = key;
        if (!value.empty()) name.append(1, '=').append(value);
        properties[std::move(name)].emplace_back(n.rank, n.rank);
      }
    }
  }
  close();
  for (auto& [name, ranks_of] : device_properties(graph, pools_)) {
    properties.emplace(name, std::move(ranks_of));
  }
  r.properties.reserve(properties.size());
  for (auto& [name, of] : properties) r.properties.emplace_back(name, idset_of(std::move(of)));
  return r;
}

}  // namespace copse
