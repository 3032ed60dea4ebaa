// SPDX-License-Identifier: Apache-2.0
//
// The folders that tests read from. Only paths.cpp is compiled with their names, so a compiler
// cache serves the other files in every checkout.
#pragma once

#include <string>

namespace copse {

[[nodiscard]] const std::string& source_dir();  // the root of the checkout
[[nodiscard]] const std::string& build_dir();   // that of the build: its programs are in it

}  // namespace copse
