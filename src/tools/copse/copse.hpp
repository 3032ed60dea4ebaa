// SPDX-License-Identifier: Apache-2.0
//
// The tool `copse`: its subcommands, each in a file of its own. A subcommand adds itself to the
// command line, and is a function that returns the exit status.
//
// Exit status of all: 0 done, 1 the answer is no (nothing matched, a file is not a jobspec), 2 bad
// usage or unusable input, with one line on standard error that has the cause and its place.
#pragma once

#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "host/machine_setup.hpp"
#include "host/output.hpp"
#include "tools/copse/command_line/command_line.hpp"

namespace copse {

inline constexpr int kDone = 0, kNo = 1, kUnusable = 2;

// Runs the tool; never throws.
int copse_tool(int argc, const char* const* argv);

// All commands and options.
[[nodiscard]] OptionTable copse_option_table();

// --- For the subcommands

// Options -L, -f, -W, -S, and with an engine -P, -T, -p, --auxiliary, --running,
// --down.
void add_machine_options(CommandLine& line, MachineSetup& setup, bool engine);
// "copse: file:1:2: sentence" on standard error; returns kUnusable.
int unusable(const Error& error);
// Writes a text to a file, or to standard output. The exit status: `status`, or kUnusable.
int write_text(std::string_view text, const std::string& path = {}, int status = kDone);
// Writes words to standard output; control characters in them are shown.
int write_words(std::string_view text);
// The formats of results; `more`: a format that the command has in addition.
[[nodiscard]] std::vector<std::string> result_formats(std::string_view more = {});
// Of an option, "--match-format", that names a form of results; `more`: a form that the command has
// besides.
[[nodiscard]] Error unknown_format(const std::string& option, const std::string& name,
                                   std::string_view more = {});

void add_match(CommandLine& line);    // copse_match.cpp
void add_machine(CommandLine& line);  // copse_machine.cpp: load, convert, show, find
void add_plan(CommandLine& line);     // copse_plan.cpp
void add_jobspec(CommandLine& line);  // copse_jobspec.cpp
void add_r(CommandLine& line);        // copse_r.cpp
void add_session(CommandLine& line);  // copse_session.cpp
void add_replay(CommandLine& line);   // copse_replay.cpp
void add_hres(CommandLine& line);     // copse_hres.cpp
void add_status(CommandLine& line);   // copse_status.cpp
void add_serve(CommandLine& line);    // serve/copse_serve.cpp
void add_state(CommandLine& line);    // serve/copse_state.cpp
void add_token(CommandLine& line);    // serve/copse_token.cpp
void add_flux(CommandLine& line);     // flux/copse_flux.cpp

// A session on a machine, as `copse session` has it: with the traverser of TreePool where the
// machine is its R and no other is asked for. `format` of R: "" for the default. Errors: those of
// set_up. (copse_session.cpp)
class Session;
struct SessionEnvironment;
[[nodiscard]] Result<Session> open_session(MachineSetup setup, const std::string& format,
                                           SessionEnvironment environment);

}  // namespace copse
