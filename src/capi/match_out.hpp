// SPDX-License-Identifier: Apache-2.0
//
// What a match or a grant came to, for a program in C.
#pragma once

#include <string>
#include <string_view>

#include "capi/call.hpp"
#include "copse/engine.hpp"
#include "formats/output_request.hpp"

namespace copse::capi {

// A form that copse_result.text may have; "": none. Errors: COPSE_UNSUPPORTED.
[[nodiscard]] Outcome<void> check_format(const char* format);

// Fills `result`, if it is not null; `text` is in that format. REQUIRES check_format(), and
// check_struct(result) if it is not null. Errors: COPSE_INVALID (nothing that an R can name).
[[nodiscard]] Outcome<void> match_out(const ResourceGraph& graph, const Match& match,
                                      const char* format, copse_result* result);

}  // namespace copse::capi
