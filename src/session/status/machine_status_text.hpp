// SPDX-License-Identifier: Apache-2.0
//
// What MachineStatus says, as a table and as JSON. O(length of the text).
#pragma once

#include <string>

#include "session/status/machine_status.hpp"

namespace copse {

// The levels are left out, unless they are asked for.
enum class StatusLevels : bool { without, with };
// Appends a table with a line for each state; then one of the devices of a type, one of the reasons,
// and one of the levels, if there are some.
void append_status_text(std::string& out, const MachineStatus& status,
                        StatusLevels levels = StatusLevels::without);
// Appends {"now", "running", "planned", "free": {"nodes", "nodelist", "units": {TYPE: N}}, …};
// "reserved" follows if there are reservations, and "drained" if some nodes are. "down" has "reasons":
// [{"reason", "nodelist"}, …], if there are some. "devices" is {TYPE: {PROPERTY: {STATE: N}}}, and
// "levels" is {LEVEL: {"free", "largest", "fragmentation"}}. A last member "unit" has the units of the
// types that have one: {"memory": "GB"}.
void append_status_json(std::string& out, const MachineStatus& status,
                        StatusLevels levels = StatusLevels::without);

}  // namespace copse
