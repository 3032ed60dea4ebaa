// SPDX-License-Identifier: Apache-2.0
//
// ?fields=id,state: reduces the objects of an answer to the named members.
#pragma once

#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse::server {

// Returns the answer with only these members in the objects of its lists; with `one`, in itself.
// Other members of the answer stay. Names that an object does not have are ignored. REQUIRES an
// object as JsonWriter writes it. Errors: invalid (not a list of names); limit.
[[nodiscard]] Result<std::string> select_fields(std::string_view answer, std::string_view fields,
                                                bool one);

}  // namespace copse::server
