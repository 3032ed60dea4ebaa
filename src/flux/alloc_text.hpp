// SPDX-License-Identifier: Apache-2.0
//
// Reads the job manager's requests for resources (RFC 27, sched.alloc). The jobspec in them is not
// parsed here: parse_job() does it, once.
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "flux/messages.hpp"

namespace copse::flux {

// The jobspec is a view into the text. Errors: invalid (a key is missing, or of another type).
// Cost: O(bytes).
[[nodiscard]] Result<AllocRequest> read_alloc(std::string_view text);

}  // namespace copse::flux
