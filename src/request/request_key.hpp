// SPDX-License-Identifier: Apache-2.0
//
// One text for all requests that ask for the same, whatever they were written as.
#pragma once

#include <string>

#include "copse/request.hpp"

namespace copse {

// Equal for two requests exactly if they differ in nothing but duration, queue and places in their
// texts. For hashing, not for reading. O(size of the request).
[[nodiscard]] std::string request_key(const Request& request);

}  // namespace copse
