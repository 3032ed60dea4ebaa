// SPDX-License-Identifier: Apache-2.0
//
// The operations `attach` and `remove` of a session: pools that come and go while jobs run.
#pragma once

#include <string>

#include "copse/engine.hpp"
#include "session/job_host.hpp"

namespace copse {

// Adds the pools of the JGF that the machine does not have yet. They are in the layers that name them.
// `jobs`: nullptr: the session has no JobHost. Errors: those of read_jgf_set, subtrees_of and
// Engine::attach.
[[nodiscard]] Result<void> attach_pools(Engine& engine, JobHost* jobs, const SessionRequest& line);

// Removes nodes, or other pools with all below them, and appends the answer: the jobs that lost
// resources. Errors: as those of Engine::remove; not_found (a node or a rank).
[[nodiscard]] Result<void> remove_pools(Engine& engine, JobHost* jobs, const SessionRequest& line,
                                        std::string& out);

}  // namespace copse
