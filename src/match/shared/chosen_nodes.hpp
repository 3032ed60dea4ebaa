// SPDX-License-Identifier: Apache-2.0
//
// ChosenNodes: a set of nodes to which a walk is restricted.
//
// Invariant: a pool is in the set exactly if it is listed. Size: a bit per pool of the machine.
#pragma once

#include <vector>

#include "copse/ids.hpp"

namespace copse {

class ChosenNodes {
 public:
  // Empties the set, for a machine with this many pools. O(size of the set), or O(pools) once.
  void clear(std::size_t pools) {
    for (PoolId p : listed_) chosen_[p.v] = false;
    listed_.clear();
    if (chosen_.size() < pools) chosen_.resize(pools);
  }
  void add(PoolId p) {
    chosen_[p.v] = true;
    listed_.push_back(p);
  }
  [[nodiscard]] bool has(PoolId p) const { return chosen_[p.v]; }
  [[nodiscard]] const std::vector<PoolId>& listed() const { return listed_; }

 private:
  std::vector<bool> chosen_;
  std::vector<PoolId> listed_;
};

}  // namespace copse
