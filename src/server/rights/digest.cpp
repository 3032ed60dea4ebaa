// SPDX-License-Identifier: Apache-2.0
#include "server/rights/digest.hpp"

#include <openssl/evp.h>

#include <array>

#include <fmt/format.h>

namespace copse::server {

std::string hexadecimal(std::span<const unsigned char> bytes) {
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

std::string sha256_text(std::string_view text) {
  std::array<unsigned char, 32> hash{};
  (void)EVP_Digest(text.data(), text.size(), hash.data(), nullptr, EVP_sha256(), nullptr);
  return hexadecimal(hash);
}

}  // namespace copse::server
