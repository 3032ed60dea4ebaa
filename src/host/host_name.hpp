// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace copse {

// The name of this computer; "": it has none.
[[nodiscard]] std::string host_name();

}  // namespace copse
