// SPDX-License-Identifier: Apache-2.0
//
// Changes of grants: from pools that the caller chose, released in part, or with another end.
#pragma once

#include <cstdint>
#include <span>

#include "engine/parts.hpp"

namespace copse {

struct StartAndDuration {
  std::int64_t start = 0, duration_s = 0;
};
// As Engine::update, Engine::cancel_part and Engine::set_end.
[[nodiscard]] Result<const Match*> update(EngineParts& e, JobId job, const PoolChoice& choice,
                                          const StartAndDuration& when,
                                          const GrantCharges& charges);
[[nodiscard]] Result<bool> cancel_part(EngineParts& e, JobId job, const PoolChoice& choice,
                                       bool planned_too);
[[nodiscard]] Result<void> set_end(EngineParts& e, JobId job, std::int64_t end);

// The first pool of a selection that another job has at some time of [start, end); else kNoPool.
// O(pools × depth).
[[nodiscard]] PoolId first_conflict(EngineParts& e, const Selection& selection, std::int64_t start,
                                    std::int64_t end);
// Checks that a given grant is possible: its pools are free, and its charges are valid. Errors:
// insufficient, invalid.
[[nodiscard]] Result<void> check_available(EngineParts& e, const Grant& grant);
// Whether some of these selected pools are among the others, shared and hidden ones too. O(1) for each of
// the fewer of the two.
[[nodiscard]] bool has_any(const SelectedPools& selected, const PoolMarks& pools);
// Removes pools from a grant, or these amounts of divisible ones; returns how many of the pools it
// had. REQUIRES that it is not applied.
[[nodiscard]] std::uint32_t remove_pools(EngineParts& e, std::uint32_t number,
                                         const PoolMarks& pools,
                                         std::span<const PoolAmount> amounts = {});

}  // namespace copse
