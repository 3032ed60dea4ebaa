// SPDX-License-Identifier: Apache-2.0
//
// The header of stored data: its type, version, length and hash.
//
//   8 bytes   magic, "COPSESAV"
//   4 bytes   version, the low byte first, as all numbers here
//   4 bytes   0
//   8 bytes   bytes that follow the header
//   8 bytes   XXH3 (64 bits) of those, seeded with the version
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse {

inline constexpr std::size_t kSealBytes = 32;

struct Seal {
  std::string_view magic;  // 8 bytes
  std::uint32_t version;   // the latest known version
  std::string_view name;   // in sentences: "save"
};

inline constexpr Seal kSaveSeal{"COPSESAV", 1, "save"};

[[nodiscard]] std::string sealed(const Seal& seal, std::string_view content);
// The content, and its version. Errors: invalid, unsupported (a later version), limit.
struct SealedContent {
  std::string_view content;
  std::uint32_t version = 0;
};
[[nodiscard]] Result<SealedContent> unsealed(const Seal& seal, std::string_view bytes,
                                             std::uint64_t bytes_max);

}  // namespace copse
