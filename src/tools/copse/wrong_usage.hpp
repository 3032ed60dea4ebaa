// SPDX-License-Identifier: Apache-2.0
//
// What is said of a command line that cannot be run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace copse {

// unknown_word() of base/nearest_word.hpp.
[[nodiscard]] std::string unknown_among(std::string_view what, std::string_view word,
                                        const std::vector<std::string>& known);

// The command that the line names, as far as it is known.
[[nodiscard]] const CLI::App& innermost(const CLI::App& app);

// "copse r encode", for who looks for help.
[[nodiscard]] std::string path_of(const CLI::App& command);

// One line, as of the error that the parser of `app` met, that ends with where help is.
[[nodiscard]] std::string wrong_usage(const CLI::App& app, const CLI::ParseError& error);

}  // namespace copse
