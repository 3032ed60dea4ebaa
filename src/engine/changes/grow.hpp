// SPDX-License-Identifier: Apache-2.0
//
// A machine that grows and shrinks. Grants with an exclusive pool above the changed subtree are
// removed from the state before and applied again afterwards, so that the state is always the
// result of applying every grant to the current machine.
//
// The parts are replaced if the graph has to be rebuilt (rebuild.hpp).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/parts.hpp"

namespace copse {

// As Engine::attach, without notifying the effect sink.
[[nodiscard]] Result<void> attach(std::unique_ptr<EngineParts>& parts,
                                  std::span<const NewSubtree> subtrees);
[[nodiscard]] Result<void> grow(std::unique_ptr<EngineParts>& parts,
                                std::span<const NewSubtree> subtrees);

// As Engine::remove, without notifying the effect sink. `settle` receives the jobs that lost pools,
// before the graph is rebuilt if it needs to be (`again`); it returns whether to rebuild it.
using Settle = std::function<bool(std::span<const JobId> jobs, bool again)>;
[[nodiscard]] Result<std::vector<JobId>> remove(std::unique_ptr<EngineParts>& parts,
                                                std::span<const PoolId> tops);
[[nodiscard]] Result<std::vector<JobId>> shrink(std::unique_ptr<EngineParts>& parts,
                                                std::span<const PoolId> tops, const Settle& settle);

}  // namespace copse
