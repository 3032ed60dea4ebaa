// SPDX-License-Identifier: Apache-2.0
//
// The result of a match or grant for a C program.
#pragma once

#include "capi/call.hpp"
#include "copse/engine.hpp"

namespace copse::capi {

// Whether copse_result.text can have this format; "": none. Errors: COPSE_UNSUPPORTED.
[[nodiscard]] Outcome<void> check_format(const char* format);

// Fills `result`, if it is not null; `text` is in that format. REQUIRES check_format(), and
// check_struct(result) if it is not null. Errors: COPSE_INVALID (R cannot represent the result).
[[nodiscard]] Outcome<void> match_out(const Engine& engine, const Match& match, const char* format,
                                      copse_result* result);

}  // namespace copse::capi
