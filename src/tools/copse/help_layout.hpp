// SPDX-License-Identifier: Apache-2.0
//
// How --help of all commands is laid out: at most 80 columns, names on the left, what they mean on
// the right, the options of the command before those of the machine.
#pragma once

#include <cstddef>

namespace CLI {
class App;
}  // namespace CLI

namespace copse {

inline constexpr std::size_t kHelpColumns = 80;

// Of a program, before its commands are added: they inherit it.
void lay_out_help(CLI::App& app);

}  // namespace copse
