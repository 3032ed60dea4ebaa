// SPDX-License-Identifier: Apache-2.0
#include "match/treepool/node_kinds.hpp"

#include <algorithm>

namespace copse {

namespace {

bool same_leaves(const ResourceGraph& graph, PoolId a, PoolId b) {
  const std::uint32_t size = graph.end(a).v - a.v;
  if (graph.end(b).v - b.v != size) return false;
  for (std::uint32_t i = 1; i < size; ++i) {
    const PoolId x{a.v + i}, y{b.v + i};
    if (graph.type(x) != graph.type(y) || graph.id(x) != graph.id(y) ||
        graph.end(x).v - x.v != graph.end(y).v - y.v || graph.removed(x) != graph.removed(y)) {
      return false;
    }
  }
  return true;
}

// Whether the groups of two kinds are the same, level by level; names do not count.
bool same_levels(const NodeKind& a, const NodeKind& b) {
  auto same_part = [&](const MaskPart& x, const MaskPart& y) {
    return x.first == y.first && x.count == y.count &&
           std::equal(a.part_words(x), a.part_words(x) + x.count, b.part_words(y));
  };
  return a.levels == b.levels &&
         std::ranges::equal(a.groups_by_level(), b.groups_by_level(),
                            [&](const AffinityGroup& x, const AffinityGroup& y) {
                              return std::ranges::equal(x.parts, y.parts, same_part);
                            });
}

}  // namespace

NodeKinds::NodeKinds(const ResourceGraph& graph, bool stocks) : graph_(graph) {
  types_.fill(kNoType);
  types_[kCore] = graph.find_type("core");
  types_[kGpu] = graph.find_type("gpu");
  if (!stocks) return;
  types_[kMemory] = graph.find_type("memory");
  types_[kStorage] = graph.find_type("storage");
}

bool NodeKinds::alike(std::uint32_t kind, PoolId node, const Layout* layout) const {
  return (kinds_[kind].layout == layout || also_of_.contains({layout, kind})) &&
         same_leaves(graph_, node, first_nodes_[kind]);
}

std::size_t NodeKinds::hash(PoolId node, const Layout* layout) const {
  std::size_t out = reinterpret_cast<std::uintptr_t>(layout);
  for (std::uint32_t v = node.v; v < graph_.end(node).v; ++v) {
    const auto id = v == node.v ? 0 : static_cast<std::size_t>(graph_.id(PoolId{v}));
    out = (out ^ (id * 31 + graph_.type(PoolId{v}).v)) * 1'099'511'628'211u;
  }
  return out;
}

Result<std::uint32_t> NodeKinds::add(PoolId node, const Layout* layout) {
  if (!kinds_.empty() && alike(last_, node, layout)) return last_;
  const std::size_t key = hash(node, layout);
  const auto [first, last] = by_hash_.equal_range(key);
  for (auto at = first; at != last; ++at) {
    if (alike(at->second, node, layout)) return last_ = at->second;
  }
  auto made = make_kind(graph_, node, types_, layout, words_left_);
  if (!made) return std::unexpected(made.error());
  for (std::uint32_t kind = 0; kind < size(); ++kind) {
    if (layout == nullptr || kinds_[kind].layout == nullptr) continue;
    if (!same_leaves(graph_, node, first_nodes_[kind]) || !same_levels(kinds_[kind], *made)) {
      continue;
    }
    by_hash_.emplace(key, kind);
    also_of_.emplace(layout, kind);
    return last_ = kind;
  }
  for (KindDomain& domain : made->domains) {
    domain.number =
        names_.emplace(domain.name, static_cast<std::uint32_t>(names_.size())).first->second;
  }
  last_ = size();
  by_hash_.emplace(key, last_);
  kinds_.push_back(std::move(*made));
  first_nodes_.push_back(node);
  return last_;
}

std::optional<std::uint32_t> NodeKinds::name(const std::string& text) const {
  const auto known = names_.find(text);
  if (known == names_.end()) return std::nullopt;
  return known->second;
}

}  // namespace copse
