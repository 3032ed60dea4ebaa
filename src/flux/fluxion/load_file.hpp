// SPDX-License-Identifier: Apache-2.0
//
// The machine of the option load-file.
#pragma once

#include <cstdint>
#include <memory>

#include "copse/engine.hpp"
#include "flux/fluxion/resource_options.hpp"

namespace copse::flux {

// REQUIRES a load_file. Errors: io, and those of engine_of_file().
[[nodiscard]] Result<std::unique_ptr<Engine>> engine_of_load_file(const ResourceOptions& options,
                                                                  std::int64_t now_s);

}  // namespace copse::flux
