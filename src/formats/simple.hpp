// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "formats/output_request.hpp"

namespace copse {

// One line a pool: 6 blanks, "---" for each level, name[units:x] (exclusive) or :s (shared).
void write_simple(const OutputRequest& request, std::string& out);
// The lines of write_simple in reverse, with words: name[units:exclusive]. Then, by subsystem and
// root first, what is drawn along auxiliary ones: path[units:drawn].
void write_pretty_simple(const OutputRequest& request, std::string& out);

}  // namespace copse
