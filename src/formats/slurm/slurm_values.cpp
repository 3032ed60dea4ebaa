// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "formats/slurm/slurm_lines.hpp"

namespace copse {

std::optional<std::int64_t> parse_slurm_number(std::string_view text) {
  constexpr std::int64_t kMax = INT64_C(1) << 40, kThousand = 1024;
  const bool thousands = text.size() > 1 && (text.back() == 'k' || text.back() == 'K');
  if (thousands) text.remove_suffix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
  }
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (error != std::errc() || end != text.data() + text.size() || text.front() == '-') {
    return std::nullopt;
  }
  if (out > (thousands ? kMax / kThousand : kMax)) return std::nullopt;
  return thousands ? out * kThousand : out;
}

bool is_slurm_yes(std::string_view text) {
  constexpr std::array<std::string_view, 4> kYes{"YES", "UP", "TRUE", "1"};
  return std::ranges::any_of(kYes, [&](std::string_view word) { return same_key(word, text); });
}

bool slurm_consumes_memory(std::string_view parameters) {
  constexpr std::string_view kMemory = "MEMORY";
  if (parameters.empty()) return true;
  for (std::size_t at = 0; at + kMemory.size() <= parameters.size(); ++at) {
    if (same_key(parameters.substr(at, kMemory.size()), kMemory)) return true;
  }
  return false;
}

}  // namespace copse
