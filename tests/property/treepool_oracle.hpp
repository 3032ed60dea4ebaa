// SPDX-License-Identifier: Apache-2.0
//
// The oracle of the treepool traverser: RFC 49's scheduler on sets of ids, without an index. It
// shares no code with the engine. Slow: every request checks every node.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace copse::property {

struct Ids {
  std::set<int> cores, gpus;
  bool operator==(const Ids&) const = default;
  [[nodiscard]] bool empty() const { return cores.empty() && gpus.empty(); }
};

struct Topo {
  std::string name;  // "": the node
  Ids own;
  std::vector<Topo> inside;

  [[nodiscard]] Ids all() const;
  [[nodiscard]] std::string json() const;
};

struct TreeJob {  // one request
  bool by_node = false, whole = false;
  std::int64_t nodes_min = 0, nodes_max = 0;  // if by_node
  std::int64_t units_min = 1, units_max = 1;  // on each node, else in all
  int cores = 0, gpus = 0;                    // of a slot, or
  std::string domain;                         // a whole domain of this name
  std::set<int> ranks;                        // of the constraint; empty: any
  [[nodiscard]] std::string shape() const;
};

class TreeOracle {
 public:
  struct Node {
    Ids owned;
    Topo topo;
    bool up = true;
  };
  struct Given {
    std::int64_t start = 0, end = 0, slots = 0;
    std::map<int, Ids> ids;  // by rank
  };

  std::map<int, Node> nodes;  // by rank
  std::map<std::uint64_t, Given> jobs;
  std::int64_t now = 0;

  // Among nodes with the same ids and the same groups at each level, the first one's domains are
  // used for all: flux-core compares levels, and a recorded cluster pins it. To be called when all
  // nodes are added.
  void merge_layouts();

  [[nodiscard]] bool ever(const TreeJob& job) const;
  [[nodiscard]] std::optional<Given> at(const TreeJob& job, std::int64_t start,
                                        std::int64_t end) const;
  void advance(std::int64_t to);

 private:
  struct Fixed {
    std::int64_t nodes, units;
  };
  [[nodiscard]] Ids free_of(int rank, std::int64_t start, std::int64_t end) const;
  [[nodiscard]] std::optional<Given> place(const TreeJob& job, const Fixed& fixed,
                                           const std::map<int, Ids>& free, bool spill) const;
  [[nodiscard]] std::optional<Given> answer(const TreeJob& job,
                                            const std::map<int, Ids>& free) const;
};

}  // namespace copse::property
