// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace copse {

// A UUID of version 8 (RFC 9562) from the XXH3 hash of a key: equal keys have equal UUIDs. O(key).
[[nodiscard]] std::string uuid_of(std::string_view key);

}  // namespace copse
