// SPDX-License-Identifier: Apache-2.0
//
// NearCores: prefers cores near the GPUs of a match, on machines that say which are near (Slurm's
// gres.conf, `Cores=`).
//
// A walk chooses cores by the policy alone. Afterwards, cores of a node that are not near the chosen
// GPUs there are exchanged for near ones that the request may have, too, and that are free. So a match
// never fails, and never moves to another node, for this preference.
//
// Invariants: numbers of cores stay; only whole leaf cores without a label move, and only to siblings.
// Cost: nothing on machines without such GPUs. There O(entries of the selection + for each node with
// GPUs its cores); O(pools) after properties changed.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/idset.hpp"
#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "match/shared/eligibility.hpp"

namespace copse {

// The property of a GPU that has the numbers (ids) of the cores near it, as an idset.
inline constexpr std::string_view kNearCores = "cores";

class NearCores {
 public:
  explicit NearCores(const ResourceGraph& graph) : graph_(graph) {}

  // Exchanges cores of a match of the request over the window of `eligibility`.
  void prefer(const Eligibility& eligibility, Selection& selection);

 private:
  void update();
  [[nodiscard]] bool is_free(const Eligibility& eligibility, PoolId core) const;
  bool exchange(const Eligibility& eligibility, PoolId node, const Idset& near,
                std::vector<PoolId>& cores) const;

  const ResourceGraph& graph_;
  std::uint64_t version_ = UINT64_MAX;  // of the properties that were read
  std::size_t changes_ = 0;             // of the graph
  TypeId core_{}, gpu_{};
  std::unordered_map<std::uint32_t, Idset> near_;  // by GPU
};

}  // namespace copse
