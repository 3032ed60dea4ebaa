// SPDX-License-Identifier: Apache-2.0
#include "hres/node_classes.hpp"

#include <algorithm>
#include <unordered_map>

namespace copse {

// Each layer splits the classes of its nodes: those in the layer move to another class.
void NodeClasses::make(std::span<const LayerNodes> layers, std::uint32_t node_count) {
  struct Link {  // a class: another class plus a layer
    std::uint32_t before, layer;
  };
  std::vector<Link> links{{kNone, kNone}};
  of_node_.assign(node_count, 0);
  std::unordered_map<std::uint32_t, std::uint32_t> over;
  for (const LayerNodes& layer : layers) {
    over.clear();
    for (std::uint32_t node : layer.nodes) {
      const std::uint32_t before = of_node_[node];
      const auto [at, is_new] = over.emplace(before, static_cast<std::uint32_t>(links.size()));
      if (is_new) links.push_back({before, layer.layer});
      of_node_[node] = at->second;
    }
  }
  // Classes with nodes, numbered in the order of their nodes.
  std::vector<std::uint32_t> numbers(links.size(), kNone);
  numbers[0] = 0;
  firsts_.assign(2, 0);
  layers_.clear();
  for (std::uint32_t& node_class : of_node_) {
    std::uint32_t& number = numbers[node_class];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(firsts_.size()) - 1;
      const auto first = static_cast<std::ptrdiff_t>(layers_.size());
      for (std::uint32_t at = node_class; at != 0; at = links[at].before) {
        layers_.push_back(links[at].layer);
      }
      std::reverse(layers_.begin() + first, layers_.end());
      firsts_.push_back(static_cast<std::uint32_t>(layers_.size()));
    }
    node_class = number;
  }
  tree_ = false;
  rooted_.clear();
}

NodeClasses::Fault NodeClasses::make_tree(std::span<const LayerNodes> layers, int depth_max,
                                          std::vector<std::uint32_t>& parents,
                                          std::vector<int>& levels) {
  using Kind = Fault::Kind;
  std::unordered_map<std::uint32_t, std::uint32_t> places;  // by number
  for (std::uint32_t i = 0; i < layers.size(); ++i) {
    places.emplace(layers[i].layer, i);
    if (layers[i].nodes.empty()) return {Kind::empty, layers[i].layer};
  }
  auto size = [&](std::uint32_t layer) { return layers[places.at(layer)].nodes.size(); };

  // The parent of a layer is the next larger layer of its nodes' classes: the same for all of them.
  constexpr std::uint32_t unknown = kNone - 1;
  parents.assign(layers.size(), unknown);
  for (std::uint32_t node_class = 0; node_class < count(); ++node_class) {
    const auto begin = layers_.begin() + firsts_[node_class],
               end = layers_.begin() + firsts_[node_class + 1];
    std::sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
      return size(a) != size(b) ? size(a) < size(b) : a < b;
    });
    for (auto at = begin; at != end; ++at) {
      const std::uint32_t above = at + 1 == end ? kNone : *(at + 1);
      if (above != kNone && size(*at) == size(above)) return {Kind::overlap, *at, above};
      std::uint32_t& parent = parents[places.at(*at)];
      if (parent == unknown) parent = above;
      if (parent != above) return {Kind::overlap, *at, above == kNone ? parent : above};
    }
  }
  std::uint32_t root = kNone;
  std::vector<bool> leaf(layers.size(), true);
  for (std::uint32_t i = 0; i < layers.size(); ++i) {
    if (parents[i] != kNone) {
      leaf[places.at(parents[i])] = false;
    } else if (root == kNone) {
      root = layers[i].layer;
    } else {
      return {Kind::roots, root, layers[i].layer};
    }
  }
  // Levels are counted from the leaves; all leaves are as deep as the first.
  levels.assign(layers.size(), 0);
  std::uint32_t first_leaf = kNone;
  int depth = 0;
  for (std::uint32_t i = 0; i < layers.size(); ++i) {
    if (!leaf[i]) continue;
    int level = 0;
    for (std::uint32_t up = parents[i]; up != kNone; up = parents[places.at(up)]) {
      if (++level >= depth_max) return {Kind::depth, layers[i].layer};
      levels[places.at(up)] = level;
    }
    if (first_leaf == kNone) {
      first_leaf = layers[i].layer;
      depth = level;
    }
    if (level != depth) return {Kind::uneven, first_leaf, layers[i].layer};
  }
  tree_ = true;
  rooted_.assign(count(), false);
  for (std::uint32_t node_class = 0; node_class < count(); ++node_class) {
    rooted_[node_class] = firsts_[node_class] < firsts_[node_class + 1] &&
                          leaf[places.at(layers_[firsts_[node_class]])];
  }
  return {};
}

}  // namespace copse
