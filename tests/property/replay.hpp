// SPDX-License-Identifier: Apache-2.0
//
// Replays a case through an engine and the oracle, checks the invariants after every event, and
// shortens the event stream of a failing case.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "copse/policy.hpp"
#include "property/generator.hpp"

namespace copse::property {

// Policies that are not bundled: scores read ids, uniq_ids and properties, so that orders change
// while the engine runs; some pools have scores too low to be chosen.
[[nodiscard]] std::span<const Policy> custom_policies();  // dice-high, dice-low

struct ReplayOptions {
  std::string policy;
  bool with_oracle = true;                  // else only the invariants that need no reference
  bool exhaustive = false;                  // by the walk that never stops early
  Traverser traverser = Traverser::simple;  // the oracle supports no other
  bool reloaded = false;                    // the engine is saved and loaded after every event
  bool twinned = false;    // a twin replays its effects, and replaces it at every third event
  bool compacted = false;  // the graph is rebuilt after every change: the answers are the same
  bool rebuilt = false;    // and after every other event, too
  bool cloned = false;     // sometimes a clone replaces it: the answers are the same
};

struct Replayed {
  std::optional<std::string> failure;  // the failure, and its event
  std::vector<std::string> answers;    // one for each event
  std::uint64_t granted = 0, reserved = 0, refused = 0;
  std::uint64_t searched = 0;  // granted or reserved though the simple walk finds nothing
};

[[nodiscard]] Replayed replay(const Case& a_case, const ReplayOptions& options);

// The case with the fewest events, and then requests, that still fails. O(events²) replays.
[[nodiscard]] Case shrink(Case a_case, const ReplayOptions& options);

// Replays; "" on success, else the shortened case and its failure as text.
[[nodiscard]] std::string check(const Case& a_case, const ReplayOptions& options,
                                Replayed* replayed = nullptr);

}  // namespace copse::property
