// SPDX-License-Identifier: Apache-2.0
//
// Laws of grants that need no second opinion, from the grants of an engine alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "property/live_machine.hpp"
#include "property/oracle.hpp"

namespace copse::property {

// The pools of a selection, with whether it has them alone.
[[nodiscard]] std::map<Number, bool> pools_of(const ResourceGraph& graph,
                                              const Selection& selection);

// The units that it takes of divisible pools.
[[nodiscard]] std::map<Number, std::int64_t> amounts_of(const ResourceGraph& graph,
                                                        const Selection& selection);

// Now, and when the grants of these jobs start and end later; sorted.
[[nodiscard]] std::vector<std::int64_t> change_times(const Engine& engine,
                                                     const std::vector<JobId>& jobs,
                                                     std::int64_t now);

// "" if the grant of the job has the answer's times, within the machine's window, and shares no unit with
// the grants of other jobs at the same time: a pool that one job has alone, with all below it, is in
// no other, and no divisible pool gives more units than it has. Else what is wrong.
[[nodiscard]] std::string grant_fault(const Engine& engine, const LiveMachine& machine,
                                      const std::vector<JobId>& others, JobId job,
                                      const Answer& answer);

// The fingerprint of an idle engine of the machine as it is now. An error if its graph is another
// than that of the engine which grew and shrank to it. REQUIRES that the engine's graph is compact.
[[nodiscard]] Result<std::uint64_t> fresh_fingerprint(const Engine& engine, const Machine& now);

}  // namespace copse::property
