// SPDX-License-Identifier: Apache-2.0
#include "server/rights/digest.hpp"

#include <openssl/evp.h>

#include <array>

namespace copse::server {

std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

std::string sha256_text(std::string_view text) {
  std::array<unsigned char, 32> hash{};
  (void)EVP_Digest(text.data(), text.size(), hash.data(), nullptr, EVP_sha256(), nullptr);
  return hexadecimal(hash);
}

}  // namespace copse::server
