// SPDX-License-Identifier: Apache-2.0
//
// NodeClasses: which layers of one resource each node lies in, and how layers of mode 3 form a tree.
//
// Nodes that lie in the same layers are one class, so that what holds for a node is found out once
// for its class. Class 0 has no layers.
//
// Size: 4 bytes per node, and 4 bytes per layer of each class. Making them: O(sum of the layers'
// nodes).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/error.hpp"

namespace copse {

// A layer as far as its nodes matter: numbers, ascending, each once.
struct LayerNodes {
  std::uint32_t layer = 0;  // its number
  std::span<const std::uint32_t> nodes;
};

class NodeClasses {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // Layers in the order of the file.
  void make(std::span<const LayerNodes> layers, std::uint32_t node_count);

  [[nodiscard]] std::uint32_t of(std::uint32_t node) const {
    return node < of_node_.size() ? of_node_[node] : 0;
  }
  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(firsts_.size()) - 1;
  }
  // In the order of the file; once make_tree() was called from the leaf to the root.
  [[nodiscard]] std::span<const std::uint32_t> layers(std::uint32_t node_class) const {
    return std::span(layers_).subspan(firsts_[node_class],
                                      firsts_[node_class + 1] - firsts_[node_class]);
  }

  // What is wrong with layers that do not make a tree; `layer` and perhaps `other` are to blame.
  struct Fault {
    enum class Kind : std::uint8_t { none, empty, overlap, roots, depth, uneven };
    Kind kind = Kind::none;
    std::uint32_t layer = kNone, other = kNone;
  };
  // Parents and levels (leaves 0), by the layers' places in `layers` of make(). Leaves must be
  // equally deep, `depth_max` at most; a layer contains another, or has no node in common with it.
  // O(sum of the layers' nodes · log).
  [[nodiscard]] Fault make_tree(std::span<const LayerNodes> layers, int depth_max,
                                std::vector<std::uint32_t>& parents, std::vector<int>& levels);
  // Whether the class has a leaf: nodes without one have no place in the tree.
  [[nodiscard]] bool rooted(std::uint32_t node_class) const {
    return !tree_ || rooted_[node_class];
  }

 private:
  std::vector<std::uint32_t> of_node_;
  std::vector<std::uint32_t> firsts_{0, 0};  // by class, and the end
  std::vector<std::uint32_t> layers_;
  bool tree_ = false;
  std::vector<bool> rooted_;
};

}  // namespace copse
