// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace copse::reapi {

// JSON without the blanks and line ends between its words. REQUIRES valid JSON. O(length).
[[nodiscard]] std::string compact_json(std::string_view text);

}  // namespace copse::reapi
