// SPDX-License-Identifier: Apache-2.0
//
// Layouts: the locality of the cores and GPUs of a node (RFC 49, *topo*), for the treepool
// traverser.
//
// A layout is a tree of locality domains (sockets, NUMA domains, or others that a site names). It
// is a property of a kind of node, not a part of the graph: equal nodes share one. Ids that a node
// does not have are ignored for that node.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace copse {

// A set of ids as closed ranges that ascend and are neither overlapping nor adjacent.
using IdRanges = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct Domain {
  std::string name;          // "socket", "numa", …; "" is the node itself
  std::uint32_t parent = 0;  // index into Layout::domains; the node is its own parent, 0
  IdRanges cores{}, gpus{};  // without those of the domains inside
  std::int64_t memory_gib = 0;
  IdRanges memory{}, storage{};  // ids of its memory and storage pools, see Layouts::piece_gib
  bool operator==(const Domain&) const = default;
};

struct Storage {
  std::string path;
  double capacity = 0;
  std::string unit = "GiB";
  bool operator==(const Storage&) const = default;
};

// Invariants: domains[0] is the node; the others are in preorder, so that parents come first.
struct Layout {
  std::vector<Domain> domains;
  std::vector<Storage> storage;  // of the node
  bool operator==(const Layout&) const = default;
};

// The layouts of a machine. Invariants: no two layouts are equal; `ranks` ascend and are disjoint.
// A node whose rank is not in `ranks` has a layout without domains.
// Cost: O(domains) a layout, 24 bytes per range of ranks.
struct Layouts {
  struct Ranks {
    std::int64_t first, last;
    std::uint32_t layout;
  };
  std::vector<Layout> layouts;
  std::vector<Ranks> ranks;
  // 0: memory and storage are hints (RFC 49). Else nodes have pools of type memory and storage of
  // this many GiB each, and the domains locate them (formats/rv1/treepool_memory.hpp).
  std::int64_t piece_gib = 0;

  // nullptr if the rank has none. O(log ranges).
  [[nodiscard]] const Layout* of_rank(std::int64_t rank) const;
};

}  // namespace copse
