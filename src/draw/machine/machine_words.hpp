// SPDX-License-Identifier: Apache-2.0
//
// MachineWords: the tooltips of a machine's picture, and the classes of its colours: f free, p
// partly and u wholly used, j0 … j11 by job, s several jobs, r reserved; over them d down, n
// drained, x excluded.
#pragma once

#include <string>

#include "draw/machine/machine_plan.hpp"

namespace copse::draw {

// "d", "n", "x", or "" for none; and as a word.
[[nodiscard]] const char* css(Mark mark);
[[nodiscard]] const char* word(Mark mark);

class MachineWords {
 public:
  static constexpr std::size_t kColours = 12;  // jobs with a colour of their own

  // Both must outlive it.
  MachineWords(const MachineUse& use, const MachinePlan& plan)
      : use_(use), g_(use.graph()), plan_(plan) {}

  // With more jobs than colours, colours show the share in use.
  [[nodiscard]] bool by_job() const { return use_.running().size() <= kColours; }
  [[nodiscard]] std::string colour(PoolId p) const;
  [[nodiscard]] std::string job_class(std::uint32_t job, double share) const;
  [[nodiscard]] std::string jobs(const UnitCounts& counts) const;
  [[nodiscard]] std::string path(PoolId p) const;
  [[nodiscard]] std::string unit(const UnitBox& unit, const UnitCounts& counts) const;
  [[nodiscard]] std::string state(PoolId p) const;

 private:
  const MachineUse& use_;
  const ResourceGraph& g_;
  const MachinePlan& plan_;
};

}  // namespace copse::draw
