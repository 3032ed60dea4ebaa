// SPDX-License-Identifier: Apache-2.0
#include "base/job_id.hpp"

#include <algorithm>
#include <charconv>

namespace copse {

namespace {

using Id = std::optional<std::uint64_t>;

Id number(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(digits.begin(), digits.end(), value, base);
  if (read.ec != std::errc() || read.ptr != digits.end()) return std::nullopt;
  return value;
}

// RFC 19, *F58*: Bitcoin's base 58, which leaves out 0, I, O and l.
constexpr std::string_view kBase58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

Id base58(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (char c : digits) {
    const std::size_t digit = kBase58.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    if (__builtin_mul_overflow(value, kBase58.size(), &value)) return std::nullopt;
    if (__builtin_add_overflow(value, digit, &value)) return std::nullopt;
  }
  return value;
}

// Four groups of four hex digits.
Id dotted_hex(std::string_view text) {
  constexpr std::size_t kGroups = 4, kGroup = 4;
  if (text.size() != kGroups * (kGroup + 1) - 1) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kGroups; ++i) {
    if (i > 0 && text[i * (kGroup + 1) - 1] != '.') return std::nullopt;
    const Id group = number(text.substr(i * (kGroup + 1), kGroup), 16);
    if (!group) return std::nullopt;
    value = value << 16 | *group;
  }
  return value;
}

}  // namespace

std::optional<std::uint64_t> parse_job_id(std::string_view text) {
  for (std::string_view prefix : {"ƒ", "f"}) {
    if (text.starts_with(prefix)) return base58(text.substr(prefix.size()));
  }
  if (text.starts_with("0x")) return number(text.substr(2), 16);
  if (text.starts_with("job.")) return dotted_hex(text.substr(4));
  return text.find('.') == std::string_view::npos ? number(text, 10) : dotted_hex(text);
}

std::string f58_text(std::uint64_t id) {
  std::string digits;
  do {
    digits += kBase58[id % kBase58.size()];
    id /= kBase58.size();
  } while (id > 0);
  std::ranges::reverse(digits);
  return "ƒ" + digits;
}

}  // namespace copse
