// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace copse {

// Who holds a grant. Its caller gives the number; 0 is nobody.
using JobId = std::uint64_t;

}  // namespace copse
