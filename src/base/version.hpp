// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace copse {

// The version of the build, such as "0.2.0": that of project() in CMakeLists.txt.
[[nodiscard]] const char* version();

}  // namespace copse
