// SPDX-License-Identifier: Apache-2.0
//
// MatchCommands: the functions of Engine that search for a request and grant what they find.
//
// The request is compiled against the engine's current graph. Durations are in seconds; nullopt: an
// invalid duration. Errors and costs: copse/engine.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/parts.hpp"

namespace copse {

// Starts in [from, before).
struct StartRange {
  std::int64_t from = 0, before = 0;
};

class MatchCommands {
 public:
  explicit MatchCommands(EngineParts& parts) : e_(parts) {}

  // As the functions of Engine of the same names.
  [[nodiscard]] MatchResult match(Operation operation, LearnedRequest& request,
                                  std::optional<std::int64_t> duration_s, JobId job);
  [[nodiscard]] MatchResult match_between(LearnedRequest& request,
                                          std::optional<std::int64_t> duration_s, JobId job,
                                          StartRange starts);
  // `number`: of the grant. `duration_s`: as requested; 0: the whole window, negative: invalid.
  // REQUIRES now <= starts.from < starts.before <= the start of the grant.
  [[nodiscard]] bool move_earlier(std::uint32_t number, LearnedRequest& request,
                                  std::int64_t duration_s, StartRange starts);

 private:
  EngineParts& e_;
};

}  // namespace copse
