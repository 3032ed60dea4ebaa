// SPDX-License-Identifier: Apache-2.0
#include "hres/two_trees.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace copse {

namespace {
constexpr std::uint32_t kSource = 0, kSink = 1, kLayers = 2;
}

TwoTrees::TwoTrees(std::vector<Layer> layers, std::uint32_t first_tree)
    : layers_(std::move(layers)), first_tree_(first_tree) {}

std::uint32_t TwoTrees::add_kind(std::uint32_t first_leaf, std::uint32_t second_leaf) {
  kinds_.push_back({.leaves = {first_leaf, second_leaf}});
  return static_cast<std::uint32_t>(kinds_.size()) - 1;
}

void TwoTrees::add_edge(std::uint32_t from, std::uint32_t to, std::int64_t nodes) {
  edges_of_[from].push_back(static_cast<std::uint32_t>(edges_.size()));
  edges_.push_back({to, nodes});
  edges_of_[to].push_back(static_cast<std::uint32_t>(edges_.size()));
  edges_.push_back({from, 0});
}

// Computes the distance of each vertex from the source over edges with residual capacity.
bool TwoTrees::set_depths() {
  depths_.assign(edges_of_.size(), -1);
  depths_[kSource] = 0;
  std::deque<std::uint32_t> queue{kSource};
  while (!queue.empty()) {
    const std::uint32_t at = queue.front();
    queue.pop_front();
    for (std::uint32_t e : edges_of_[at]) {
      const std::uint32_t to = edges_[e].to;
      if (edges_[e].left <= 0 || depths_[to] >= 0) continue;
      depths_[to] = depths_[at] + 1;
      queue.push_back(to);
    }
  }
  return depths_[kSink] >= 0;
}

// Augments one path from the source to the sink along increasing depths; returns its flow, 0: there
// is none.
std::int64_t TwoTrees::push() {
  std::vector<std::uint32_t> way;  // edges
  std::uint32_t at = kSource;
  while (at != kSink) {
    if (next_[at] < edges_of_[at].size()) {
      const std::uint32_t e = edges_of_[at][next_[at]];
      if (edges_[e].left > 0 && depths_[edges_[e].to] == depths_[at] + 1) {
        way.push_back(e);
        at = edges_[e].to;
      } else {
        ++next_[at];
      }
      continue;
    }
    if (way.empty()) return 0;
    at = edges_[way.back() ^ 1U].to;  // back to the start of the last edge: it is a dead end
    way.pop_back();
    ++next_[at];
  }
  std::int64_t through = INT64_MAX;
  for (std::uint32_t e : way) through = std::min(through, edges_[e].left);
  for (std::uint32_t e : way) {
    edges_[e].left -= through;
    edges_[e ^ 1U].left += through;
  }
  return through;
}

std::int64_t TwoTrees::largest(std::int64_t wanted) {
  const auto layers = static_cast<std::uint32_t>(layers_.size());
  edges_of_.assign(kLayers + 2 * std::size_t{layers} + kinds_.size(), {});
  edges_.clear();
  // Each layer is two vertices; the edge between them has its capacity.
  auto in = [](std::uint32_t layer) { return kLayers + 2 * layer; };
  auto out = [](std::uint32_t layer) { return kLayers + 2 * layer + 1; };
  for (std::uint32_t l = 0; l < layers; ++l) {
    const Layer& layer = layers_[l];
    add_edge(in(l), out(l), std::clamp<std::int64_t>(layer.nodes, 0, wanted));
    const bool first = l < first_tree_;
    if (layer.above == kNone) {
      add_edge(first ? kSource : out(l), first ? in(l) : kSink, wanted);
    } else {
      add_edge(first ? out(layer.above) : out(l), first ? in(l) : in(layer.above), wanted);
    }
  }
  for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
    const Kind& kind = kinds_[k];
    const std::uint32_t place = kLayers + 2 * layers + k;
    const std::uint32_t from = kind.leaves[0] == kNone ? kSource : out(kind.leaves[0]);
    const std::uint32_t to = kind.leaves[1] == kNone ? kSink : in(kind.leaves[1]);
    add_edge(from, place, std::min(kind.nodes, wanted));
    add_edge(place, to, wanted);
  }
  std::int64_t sum = 0;
  while (sum < wanted && set_depths()) {
    next_.assign(edges_of_.size(), 0);
    for (std::int64_t more = push(); more > 0; more = push()) sum += more;
  }
  return std::min(sum, wanted);
}

void TwoTrees::take(std::uint32_t number, int sign) {
  Kind& kind = kinds_[number];
  kind.nodes -= sign;
  for (std::uint32_t layer : kind.leaves) {
    for (; layer != kNone; layer = layers_[layer].above) layers_[layer].nodes -= sign;
  }
}

// A node is taken if the remaining nodes suffice without the earlier ones that were not taken.
bool TwoTrees::choose(std::span<const std::uint32_t> kinds_of_nodes, std::int64_t wanted,
                      std::vector<bool>& out) {
  out.assign(kinds_of_nodes.size(), false);
  if (largest(wanted) < wanted) return false;
  std::vector<bool> given_up(kinds_.size(), false);
  for (std::size_t i = 0; i < kinds_of_nodes.size() && wanted > 0; ++i) {
    const std::uint32_t kind = kinds_of_nodes[i];
    if (given_up[kind]) {  // a kind that did not fit never fits later
      --kinds_[kind].nodes;
      continue;
    }
    bool fits = true;
    for (std::uint32_t layer : kinds_[kind].leaves) {
      for (; layer != kNone && fits; layer = layers_[layer].above) fits = layers_[layer].nodes > 0;
    }
    take(kind, 1);
    if (fits && largest(wanted - 1) == wanted - 1) {
      out[i] = true;
      --wanted;
      continue;
    }
    take(kind, -1);
    --kinds_[kind].nodes;
    given_up[kind] = true;
  }
  return wanted == 0;
}

}  // namespace copse
