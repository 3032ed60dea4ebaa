// SPDX-License-Identifier: Apache-2.0
#include "save/seal.hpp"

#include <xxhash.h>

#include <fmt/format.h>

namespace copse {

namespace {

void append(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t out = 0;
  for (std::size_t i = size; i-- > 0;) {
    out = out << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return out;
}

}  // namespace

std::string sealed(const Seal& seal, std::string_view content) {
  std::string out;
  out.reserve(kSealBytes + content.size());
  out += seal.magic;
  append(out, seal.version, 4);
  append(out, 0, 4);
  append(out, content.size(), 8);
  append(out, XXH3_64bits_withSeed(content.data(), content.size(), seal.version), 8);
  out += content;
  return out;
}

Result<SealedContent> unsealed(const Seal& seal, std::string_view bytes, std::uint64_t bytes_max) {
  if (!bytes.starts_with(seal.magic.substr(0, bytes.size())) || bytes.empty()) {
    return fail(ErrorCode::invalid, fmt::format("this is not a {} of Copse", seal.name));
  }
  if (bytes.size() < kSealBytes) {
    return fail(ErrorCode::invalid,
                fmt::format("the {} is truncated: it has {} bytes", seal.name, bytes.size()));
  }
  const auto version = static_cast<std::uint32_t>(number_at(bytes, 8, 4));
  if (version == 0 || version > seal.version || number_at(bytes, 12, 4) != 0) {
    return fail(ErrorCode::unsupported,
                fmt::format("the {} has version {}; this Copse reads up to {}", seal.name, version,
                            seal.version));
  }
  const std::uint64_t size = number_at(bytes, 16, 8);
  const std::string_view content = bytes.substr(kSealBytes);
  if (size > bytes_max) {
    return fail(ErrorCode::limit,
                fmt::format("the {} has {} bytes; the limit is {}", seal.name, size, bytes_max));
  }
  if (size != content.size()) {
    return fail(ErrorCode::invalid, fmt::format("the {} says that it has {} bytes, and has {}",
                                                seal.name, kSealBytes + size, bytes.size()));
  }
  if (number_at(bytes, 24, 8) != XXH3_64bits_withSeed(content.data(), content.size(), version)) {
    return fail(ErrorCode::invalid,
                fmt::format("the {} is damaged: its hash is another", seal.name));
  }
  return SealedContent{content, version};
}

}  // namespace copse
