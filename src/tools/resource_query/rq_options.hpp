// SPDX-License-Identifier: Apache-2.0
//
// The command line of resource-query.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "copse/policy.hpp"
#include "formats/formats.hpp"
#include "tools/options/option_table.hpp"

namespace copse {

struct QueryOptions {
  std::string load_file = "conf/default";
  std::string load_format = "grug";
  std::string load_allowlist;
  std::string divisible;  // types, separated by commas
  std::string match_subsystems = "CA";
  std::string match_policy = "first";
  std::string traverser = "simple";
  Format match_format = Format::simple;
  std::string prune_filters;  // empty: the engine's default
  bool graph_graphml = false;
  std::string graph_output;
  std::string test_output;
  bool elapse_time = false;
  bool disable_prompt = false;
};

struct ParsedOptions {
  QueryOptions options;
  std::optional<int> exit;  // if set, the program exits with this status
};

// The program, for its man page and its completion.
[[nodiscard]] OptionTable resource_query_table();

// Parses argv; messages and usage go to standard error.
[[nodiscard]] ParsedOptions parse_query_options(int argc, char** argv, std::span<const Policy> own);

}  // namespace copse
