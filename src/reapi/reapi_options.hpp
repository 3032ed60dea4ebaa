// SPDX-License-Identifier: Apache-2.0
//
// The options of reapi_cli_initialize().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/policy.hpp"
#include "copse/traverser.hpp"
#include "formats/output_request.hpp"

namespace copse::reapi {

struct Options {
  std::string load_format{};  // empty: detected from the text
  std::string load_allowlist{};
  std::vector<std::string> subsystems{"containment"};  // dominant first
  Policy policy{};
  Traverser traverser = Traverser::simple;
  Format match_format = Format::jgf;
  std::string prune_filters = "ALL:core,ALL:node";
};

// Unknown keys are ignored; an unknown match format means simple. Errors: invalid. The text begins as
// in Fluxion: "can't set resource graph parameters" (not a JSON object, a value of the wrong type),
// "can't create matcher" (policy, subsystems), "can't create traverser", "can't create reader"
// (format).
[[nodiscard]] Result<Options> read_options(std::string_view text);

}  // namespace copse::reapi
