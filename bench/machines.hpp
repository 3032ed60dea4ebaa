// SPDX-License-Identifier: Apache-2.0
//
// Machines to measure on, as GRUG text. Each is a function of its size alone, so that the same
// machine is measured everywhere and its number of pools is known without loading it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace copse::bench {

// A vertex of a recipe and what is below it; `count` copies below each copy of its parent.
struct Part {
  std::string type;
  std::string basename;
  std::int64_t count = 1;
  std::int64_t size = 1;
  std::string unit{};
  int id_scope = 0;           // 0: numbered within its parent, 1: within its grandparent, …
  std::int64_t id_start = 0;  // parts of one type below one parent need different ids
  std::vector<Part> parts{};
  bool divisible = false;

  [[nodiscard]] std::uint64_t pools() const;  // of one copy, with all that is below it
};

// The recipe of a machine. Depth is that of the parts: a few.
[[nodiscard]] std::string grug_text(const Part& root);

// cluster > node[nodes] > core[cores]. With 32 cores this is "flat32".
[[nodiscard]] Part flat(std::int64_t nodes, std::int64_t cores = 32);

// cluster > rack[nodes / 16] > node[16] > core[32], and with blocks of 8 racks above these.
[[nodiscard]] Part racks_of_16(std::int64_t nodes);
[[nodiscard]] Part blocks_of_128(std::int64_t nodes);

// cluster > node[nodes] > socket[2] > core[48]: 99 pools a node, 990,001 with 10,000 nodes.
[[nodiscard]] Part two_sockets(std::int64_t nodes);

// As many pools as Fluxion's sierra, 350,473, in the same kind of tree:
// cluster > rack[240] > node[18] > socket[2] > core[22], gpu[2], memory[15] of 8 GB;
// cluster > storage[312] of 1,024 GB.
[[nodiscard]] Part sierra_like();

// Three kinds of nodes below one cluster: six tenths have 32 cores, three tenths 64 cores, one
// tenth 16 cores and 4 gpus. REQUIRES nodes % 10 == 0. 40 cores a node on average.
[[nodiscard]] Part three_kinds(std::int64_t nodes);

// Two kinds: one half has 64 cores, the other 16 cores and 4 gpus; no node has more than 16 cores
// and a gpu. Either all of one kind before the other, or in turns, a rack of 2 + 2 at a time.
// REQUIRES nodes % 4 == 0.
[[nodiscard]] Part two_kinds(std::int64_t nodes);
[[nodiscard]] Part two_kinds_in_racks(std::int64_t nodes);

// Racks as those of examples/machines/two-kinds.graphml, but of 12 big nodes and 8 small: 20 nodes
// a rack, 71 pools a node on average. REQUIRES nodes % 20 == 0.
[[nodiscard]] Part racks_of_two_kinds(std::int64_t nodes);

}  // namespace copse::bench
