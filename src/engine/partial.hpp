// SPDX-License-Identifier: Apache-2.0
//
// Grants pool by pool: made from pools that were chosen elsewhere, given back in part.
#pragma once

#include <cstdint>
#include <span>

#include "engine/parts.hpp"

namespace copse {

// As Engine::update and Engine::cancel_part.
[[nodiscard]] Result<const Match*> update(EngineParts& e, JobId job, std::span<const PoolId> pools,
                                          std::int64_t start, std::int64_t duration_s);
[[nodiscard]] Result<bool> cancel_part(EngineParts& e, JobId job, std::span<const PoolId> pools,
                                       bool planned_too);

// The first pool of a selection that somebody else has at some time of [start, end); else kNoPool.
// O(pools × depth).
[[nodiscard]] PoolId not_free(EngineParts& e, const Selection& selection, std::int64_t start,
                              std::int64_t end);
// Whether somebody may be given this who does not ask: its pools are free, and what it draws is
// there. Errors: insufficient, invalid.
[[nodiscard]] Result<void> may_have(EngineParts& e, const Grant& grant);
// Takes pools out of a grant; returns how many it had of them. REQUIRES that it is not applied.
[[nodiscard]] std::uint32_t take_from(EngineParts& e, std::uint32_t number, const PoolMarks& pools);

}  // namespace copse
