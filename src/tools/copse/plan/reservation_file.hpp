// SPDX-License-Identifier: Apache-2.0
//
// --reservations: reservations from a file, as a plan has them, and as grants of a single moment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "explain/explanation.hpp"
#include "graph/node_rows.hpp"
#include "host/machine_setup.hpp"
#include "queue/reservation/reservation_reader.hpp"
#include "tools/copse/command_line/command_line.hpp"

namespace copse {

// Finds nodes by their names, which are indexed at the first call. REQUIRES that the rows outlive it.
[[nodiscard]] std::function<std::optional<PoolId>(std::string_view)> node_finder(
    const NodeRows& rows);

// `how`: zero_s and no_dates. Errors: io; those of queue::read_reservations.
[[nodiscard]] Result<std::vector<queue::ReservationSpec>> read_reservation_file(
    const std::string& path, const Engine& engine, const NodeRows& rows,
    queue::ReservationReadOptions how, std::vector<SourceLocation>* places = nullptr);

// Allocates the nodes of the reservations of a file on an engine, after those of running jobs; nodes
// that jobs keep are a warning. Times without a date count from the engine's now. Returns the names of
// holders: "reservation NAME", and jobs by their numbers. An empty path: no reservations.
// Errors: those of read_reservation_file and JobQueue::reserve, with the place in the file.
[[nodiscard]] Result<JobNames> reserve_from_file(Engine& engine, const MachineSetup& setup,
                                                 const std::string& path);

// Adds the option to a command about a single moment.
void add_reservations_option(CommandLine& line, std::string& path);

}  // namespace copse
