// SPDX-License-Identifier: Apache-2.0
//
// NodeClasses: which layers of one resource each node lies in, and how layers of mode 3 form a tree.
//
// Nodes in the same layers form a class, so that a property of a node is computed once for its
// class. Class 0 has no layers.
//
// Size: 4 bytes per node, and 4 bytes per layer of each class. Building them: O(sum of the layers'
// nodes).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/error.hpp"

namespace copse {

// The nodes of a layer: numbers, ascending, distinct.
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
  // In the order of the file; after make_tree() from the leaf to the root.
  [[nodiscard]] std::span<const std::uint32_t> layers(std::uint32_t node_class) const {
    return std::span(layers_).subspan(firsts_[node_class],
                                      firsts_[node_class + 1] - firsts_[node_class]);
  }

  // Why layers are not a tree; `layer`, and perhaps `other`, are the cause.
  struct Fault {
    enum class Kind : std::uint8_t { none, empty, overlap, roots, depth, uneven };
    Kind kind = Kind::none;
    std::uint32_t layer = kNone, other = kNone;
  };
  // Computes parents and levels (leaves 0), by index into `layers` of make(). Leaves must be
  // equally deep, at most `depth_max`; of two layers one contains the other, or they are disjoint.
  // O(sum of the layers' nodes · log).
  [[nodiscard]] Fault make_tree(std::span<const LayerNodes> layers, int depth_max,
                                std::vector<std::uint32_t>& parents, std::vector<int>& levels);
  // Whether the class has a leaf: nodes without one are not in the tree.
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
