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
  std::string load_format{};  // empty: the text says what it is
  std::string load_allowlist{};
  std::vector<std::string> subsystems{"containment"};  // dominant first
  Policy policy{};
  Traverser traverser = Traverser::simple;
  Format match_format = Format::jgf;
  std::string prune_filters = "ALL:core,ALL:node";
};

// Unknown keys are passed over; a match format that is not known means simple. Errors: invalid, the
// sentence as Fluxion begins it: "can't set resource graph parameters" (no JSON object, a value of
// another kind), "can't create matcher" (policy, subsystems, traverser), "can't create reader"
// (format).
[[nodiscard]] Result<Options> read_options(std::string_view text);

}  // namespace copse::reapi
