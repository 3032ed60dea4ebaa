// SPDX-License-Identifier: Apache-2.0
//
// Reads the options of the modules sched-fluxion-resource and -feasibility: the table with the name of
// the module, overridden by arguments.
#pragma once

#include <flux/core.h>

#include <span>
#include <string>

#include "flux/fluxion/resource_options.hpp"

namespace copse::flux {

// Ignored values are logged. Errors, in one line with the key: invalid, not_found.
[[nodiscard]] Result<ResourceOptions> read_resource_arguments(
    flux_t* h, const std::string& module, std::span<const std::string> arguments);

}  // namespace copse::flux
