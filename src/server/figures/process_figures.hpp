// SPDX-License-Identifier: Apache-2.0
//
// Figures of this process, under the names that Prometheus gives them in all programs.
#pragma once

#include <string>

namespace copse::server {

// From /proc; what that does not tell is left out.
void append_process_figures(std::string& out);

}  // namespace copse::server
