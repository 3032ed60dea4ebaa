// SPDX-License-Identifier: Apache-2.0
//
// The tool `copse`: its subcommands, each in a file of its own. A subcommand adds itself to the
// command line, and is a function that returns the exit status.
//
// Exit status of all: 0 done, 1 the answer is no (nothing matched, a file is no jobspec), 2 bad
// usage or input that cannot be used; one line on standard error says what and where.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "copse/error.hpp"
#include "tools/machine_setup.hpp"
#include "tools/output.hpp"

namespace copse {

inline constexpr int kDone = 0, kNo = 1, kUnusable = 2;

// Runs the tool; never throws.
int copse_tool(int argc, const char* const* argv);

// --- For the subcommands

using Command = std::function<int()>;

// Adds "copse NAME" with a description, and examples that --help ends with.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& examples, Command& chosen, const Command& command);
// Options -L, -f, -W, -S, and with an engine -P, -T, -p, --auxiliary, --running,
// --down.
void add_machine_options(CLI::App& app, MachineSetup& setup, bool engine);
// "copse: file:1:2: sentence" on standard error; returns kUnusable.
int unusable(const Error& error);

void add_match(CLI::App& app, Command& chosen);    // copse_match.cpp
void add_machine(CLI::App& app, Command& chosen);  // copse_machine.cpp: load, convert, show, find
void add_plan(CLI::App& app, Command& chosen);     // copse_plan.cpp
void add_jobspec(CLI::App& app, Command& chosen);  // copse_jobspec.cpp
void add_r(CLI::App& app, Command& chosen);        // copse_r.cpp
void add_session(CLI::App& app, Command& chosen);  // copse_session.cpp
void add_supply(CLI::App& app, Command& chosen);   // copse_supply.cpp

// A session on a machine, as `copse session` has it: with the traverser of TreePool where the
// machine is its R and no other is asked for. `format` of R: "" for the default. Errors: those of
// set_up, read_treepool. (copse_session.cpp)
class Session;
[[nodiscard]] Result<Session> open_session(MachineSetup setup, bool traverser_given,
                                           const std::string& format);

}  // namespace copse
