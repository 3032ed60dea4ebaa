// SPDX-License-Identifier: Apache-2.0
//
// A slow schedule of whole-node jobs, second by second: the number of free nodes in each second,
// and the job of each node now. Promises are counted: nodes are chosen when a job starts. It shares
// no code with src/plan, src/queue and the engine.
//
// Nodes are chosen like the policies do on a flat machine: `low` takes the lowest numbers; `first`
// prefers those that were never chosen, and of these the highest numbers.
#pragma once

#include <cstdint>
#include <vector>

namespace copse::plan {

struct OracleJob {
  int submit = 0, duration = 1, run = 1, nodes = 1, priority = 0;
};
struct OraclePlace {
  int start = -1, end = -1;  // -1: refused
  std::vector<std::uint32_t> nodes;
};
enum class OracleDiscipline { fcfs, easy, conservative };

[[nodiscard]] std::vector<OraclePlace> oracle(int nodes, const std::vector<OracleJob>& jobs,
                                              OracleDiscipline discipline, bool first);

}  // namespace copse::plan
