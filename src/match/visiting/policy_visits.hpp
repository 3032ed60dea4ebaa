// SPDX-License-Identifier: Apache-2.0
//
// PolicyVisits: the calls of a visiting policy (copse/policy/visit.hpp) during one walk of the
// FlexibleTraverser. Each call sees the groups of the arena from some group on: what was found below
// the pool. It may pick groups, which the walk then takes first.
//
// If the policy throws, VisitFailure is thrown: the engine refuses the request with it.
//
// Invariant: calls do not nest. Size: 40 bytes per group that the
// policy asked for. Cost of a call: what the policy asks for.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "copse/ids.hpp"
#include "copse/policy/visit.hpp"
#include "hres/channels.hpp"
#include "match/compile/compiled.hpp"
#include "match/shared/choice_arena.hpp"
#include "match/shared/eligibility.hpp"
#include "match/shared/slot_packer.hpp"
#include "state/grants.hpp"

namespace copse {

// What a visiting policy may ask about, besides graph and state. The engine sets it; the pointers stay
// valid as long as it does.

// The users of jobs with a grant, as far as they are known.
using JobUsers = std::map<JobId, std::string>;

struct VisitSources {
  const Grants* grants = nullptr;
  const JobUsers* users = nullptr;
  const Channels* channels = nullptr;  // nullptr: no auxiliary subsystems
  JobId job = 0;                       // that is matched; 0: a question without a job
};

class PolicyVisits {
 public:
  PolicyVisits(const Eligibility& eligibility, const Policy& policy, const ChoiceArena& arena)
      : eligibility_(eligibility), graph_(eligibility.graph), policy_(policy), arena_(arena) {}

  void set_sources(const VisitSources* sources) { sources_ = sources; }

  // A pool for a level; `below`: the level's children; found are the groups from `first` on.
  [[nodiscard]] Score pool(PoolId u, const Level& level, std::span<const Level> below,
                           std::size_t first);
  // The slot that was formed last, at a pool: sets its score, or refuses it and returns false.
  [[nodiscard]] bool slot(PoolId place, const Level& level, SlotPacker& packer);
  // The end: the top level of the request, and all groups.
  [[nodiscard]] Score request(std::span<const Level> top);

  // Whether the last call had enough below for what is wanted there: a refusal is the policy's own.
  [[nodiscard]] bool enough();
  // If the last call picked groups of a type, these become the order. O(picked).
  void order_picked(TypeId type, std::vector<std::uint32_t>& order) const;

 private:
  [[nodiscard]] Score call(Visit::Values values);
  [[nodiscard]] WantedPools wanted_of(const Level& level) const;
  [[nodiscard]] std::string_view type_name(TypeId type, bool slot) const;

  // --- The functions of a Visit
  std::span<const WantedPools> below();
  std::span<const FoundPools> found();
  bool choose(std::size_t number);
  std::span<const PoolAbove> above();
  std::span<const JobOnPool> jobs(PoolId on);
  [[nodiscard]] PoolAbove above_at(PoolId p, SubsystemId s) const;
  void note_jobs(PoolId p);
  static const Visit::Functions kFunctions;

  const Eligibility& eligibility_;
  const ResourceGraph& graph_;
  const Policy& policy_;
  const ChoiceArena& arena_;
  const VisitSources* sources_ = nullptr;

  // The current call
  PoolId pool_{};
  std::span<const Level> levels_;       // below()
  std::span<const UsedGroup> in_slot_;  // groups of a slot; else those from first_ on
  std::size_t first_ = 0;
  bool of_slot_ = false;
  bool found_known_ = false, below_known_ = false, above_known_ = false;
  std::vector<WantedPools> below_;
  std::vector<FoundPools> found_;
  std::vector<bool> is_picked_;
  std::vector<std::uint32_t> picked_;
  std::vector<PoolAbove> above_;
  std::vector<JobOnPool> jobs_;
};

}  // namespace copse
