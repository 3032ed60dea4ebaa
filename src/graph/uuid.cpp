// SPDX-License-Identifier: Apache-2.0
#include "graph/uuid.hpp"

#include <cstdint>

#include <xxhash.h>

namespace copse {

std::string uuid_of(std::string_view key) {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  std::uint64_t hi = hash.high64, lo = hash.low64;
  hi = (hi & ~UINT64_C(0xf000)) | UINT64_C(0x8000);        // version 8: vendor-specific
  lo = (lo & ~(UINT64_C(3) << 62)) | (UINT64_C(2) << 62);  // variant of RFC 9562
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (int nibble = 0; nibble < 32; ++nibble) {
    if (nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20) out += '-';
    const std::uint64_t word = nibble < 16 ? hi : lo;
    out += kDigits[(word >> (60 - 4 * (nibble % 16))) & 15];
  }
  return out;
}

}  // namespace copse
