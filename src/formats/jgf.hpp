// SPDX-License-Identifier: Apache-2.0
//
// JGF, the JSON Graph Format as Fluxion writes it (RFC 40): pools as nodes, children before
// parents.
#pragma once

#include <string>

#include "formats/formats.hpp"

namespace copse {

// Appends {"graph": {"nodes": […], "edges": […]}}, without a newline. With `shorthand`, pools and
// edges below an exclusive pool are left out, and "writer" says so if there were any.
// Cost: O(length of the text).
void append_jgf(const Emission& emission, bool shorthand, std::string& out);

}  // namespace copse
