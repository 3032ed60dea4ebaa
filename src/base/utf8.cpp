// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.hpp"

#include <array>
#include <cassert>
#include <cstring>

namespace copse {
namespace {

// The bytes that may follow a first byte (RFC 3629, section 4): the number of continuation bytes
// and the range of the first of them; the others are 0x80 … 0xBF.
struct Sequence {
  std::size_t more = 0;  // 0: not a first byte of a longer sequence
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
};

Sequence sequence_of(unsigned char first) {
  if (first < 0xC2 || first > 0xF4) return {};
  if (first < 0xE0) return {.more = 1};
  if (first == 0xE0) return {.more = 2, .low = 0xA0};
  if (first == 0xED) return {.more = 2, .high = 0x9F};
  if (first < 0xF0) return {.more = 2};
  if (first == 0xF0) return {.more = 3, .low = 0x90};
  if (first == 0xF4) return {.more = 3, .high = 0x8F};
  return {.more = 3};
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  assert(!text.empty());
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const Sequence sequence = sequence_of(first);
  if (sequence.more == 0 || text.size() <= sequence.more) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  if (second < sequence.low || second > sequence.high) return 0;
  for (std::size_t k = 2; k <= sequence.more; ++k) {
    if (!is_utf8_continuation(text[k])) return 0;
  }
  return sequence.more + 1;
}

std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    std::array<std::uint64_t, 4> words;
    if (text.size() - i >= sizeof words) {  // most text is ASCII: 32 bytes at once
      std::memcpy(words.data(), text.data() + i, sizeof words);
      const std::uint64_t any = words[0] | words[1] | words[2] | words[3];
      if ((any & UINT64_C(0x8080808080808080)) == 0) {
        i += sizeof words;
        continue;
      }
    }
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace copse
