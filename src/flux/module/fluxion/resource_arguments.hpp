// SPDX-License-Identifier: Apache-2.0
//
// Options of the modules sched-fluxion-resource and -feasibility, from Flux: the table of the
// module's name, and arguments over it.
#pragma once

#include <flux/core.h>

#include <span>
#include <string>

#include "flux/fluxion/resource_options.hpp"

namespace copse::flux {

// What is passed over is logged. Errors: invalid, not_found: one line, which names the key.
[[nodiscard]] Result<ResourceOptions> read_resource_arguments(
    flux_t* h, const std::string& module, std::span<const std::string> arguments);

}  // namespace copse::flux
