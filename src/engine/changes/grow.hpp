// SPDX-License-Identifier: Apache-2.0
//
// A machine that grows and shrinks. Grants that hold something above what comes or goes are taken
// back before and applied again afterwards, so that the state is always what applying every grant
// to the machine as it is gives.
//
// The parts may be others afterwards: where the graph has to be built again (rebuild.hpp).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/parts.hpp"

namespace copse {

// As Engine::attach, and without a word to the sink of effects.
[[nodiscard]] Result<void> attach(std::unique_ptr<EngineParts>& parts,
                                  std::span<const NewSubtree> subtrees);
[[nodiscard]] Result<void> grow(std::unique_ptr<EngineParts>& parts,
                                std::span<const NewSubtree> subtrees);

// As Engine::remove, and without a word to the sink of effects. `settle` is told of the jobs that
// lost something, before the graph is built again if it is (`again`), and says whether it shall be.
using Settle = std::function<bool(std::span<const JobId> jobs, bool again)>;
[[nodiscard]] Result<std::vector<JobId>> remove(std::unique_ptr<EngineParts>& parts,
                                                std::span<const PoolId> tops);
[[nodiscard]] Result<std::vector<JobId>> shrink(std::unique_ptr<EngineParts>& parts,
                                                std::span<const PoolId> tops, const Settle& settle);

}  // namespace copse
