// SPDX-License-Identifier: Apache-2.0
//
// Grants that change: made from pools that were chosen elsewhere, given back in part, with another
// end.
#pragma once

#include <cstdint>
#include <span>

#include "engine/parts.hpp"

namespace copse {

struct StartAndDuration {
  std::int64_t start = 0, duration_s = 0;
};
// As Engine::update, Engine::cancel_part and Engine::set_end.
[[nodiscard]] Result<const Match*> update(EngineParts& e, JobId job, std::span<const PoolId> pools,
                                          const StartAndDuration& when,
                                          const GrantCharges& charges);
[[nodiscard]] Result<bool> cancel_part(EngineParts& e, JobId job, std::span<const PoolId> pools,
                                       bool planned_too);
[[nodiscard]] Result<void> set_end(EngineParts& e, JobId job, std::int64_t end);

// The first pool of a selection that somebody else has at some time of [start, end); else kNoPool.
// O(pools × depth).
[[nodiscard]] PoolId first_conflict(EngineParts& e, const Selection& selection, std::int64_t start,
                                    std::int64_t end);
// Whether somebody may be given this who does not ask: its pools are free, and what it draws is
// there. Errors: insufficient, invalid.
[[nodiscard]] Result<void> check_available(EngineParts& e, const Grant& grant);
// Takes pools out of a grant; returns how many it had of them. REQUIRES that it is not applied.
[[nodiscard]] std::uint32_t remove_pools(EngineParts& e, std::uint32_t number,
                                         const PoolMarks& pools);

}  // namespace copse
