// SPDX-License-Identifier: Apache-2.0
//
// A State of the small machine, with queries for its tests.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "graph/small_graph.hpp"
#include "state/state.hpp"

namespace copse {

inline constexpr std::int64_t kNow = 10;

// The selection of these pools, each exclusive with everything below it; pools above them are
// shared.
inline Selection taking(const ResourceGraph& g, const std::vector<PoolId>& pools) {
  std::map<PoolId, SelectedPools> entries;
  for (PoolId p : pools) {
    entries[p] = {p, 1, true, true};
    for (PoolId up = g.parent(p); up != kNoPool; up = g.parent(up)) {
      entries.try_emplace(up, SelectedPools{up});
    }
  }
  Selection out;
  for (const auto& [pool, entry] : entries) out.taken.push_back(entry);
  return out;
}

// The numbers of a list's candidates with at least `value` in a column.
inline std::set<std::uint32_t> with(WatchedList& watched, std::uint32_t column,
                                    std::int64_t value) {
  const std::vector<CandidateList::Need> needs{{column, static_cast<CandidateList::Value>(value)}};
  std::set<std::uint32_t> out;
  for (CandidateList::Position p; watched.list.next(p, needs); CandidateList::advance(p)) {
    out.insert(watched.list.pool(p).v);
  }
  return out;
}

class StateOfMachine : public testing::Test {
 protected:
  [[nodiscard]] PoolId pool(const std::string& path) const { return at(graph, path); }

  ResourceGraph graph = machine();
  State state{graph, kNow};
  PoolId root = graph.root();
  PoolId rack0 = pool("/cluster0/rack0"), rack1 = pool("/cluster0/rack1");
  PoolId node0 = pool("/cluster0/rack0/node0"), node1 = pool("/cluster0/rack0/node1");
  PoolId socket0 = pool("/cluster0/rack0/node0/socket0");
  PoolId core0 = pool("/cluster0/rack0/node0/socket0/core0");
};

}  // namespace copse
