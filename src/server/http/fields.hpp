// SPDX-License-Identifier: Apache-2.0
//
// ?fields=id,state: of what an answer lists, the members that somebody wants.
#pragma once

#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse::server {

// An answer whose objects have these members alone: those of its lists; or itself, if it is `one`. What
// it has beside its lists stays. A member that an object does not have is not there. REQUIRES that the
// answer is an object, as JsonWriter writes it. Errors: invalid (no list of names); limit.
[[nodiscard]] Result<std::string> keep_fields(std::string_view answer, std::string_view fields,
                                              bool one);

}  // namespace copse::server
