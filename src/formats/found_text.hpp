// SPDX-License-Identifier: Apache-2.0
//
// What a find expression found, as text.
#pragma once

#include <string>

#include "copse/engine.hpp"
#include "formats/formats.hpp"

namespace copse {

// Appends it in the format of the writer; nothing, if nothing was found. O(pools found).
void append_found(const Engine& engine, const Engine::FindResult& found, Writer& writer,
                  std::string& out);

}  // namespace copse
