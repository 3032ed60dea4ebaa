// SPDX-License-Identifier: Apache-2.0
#include "property/shrink.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace copse::property {

Case shrink(Case a_case, const ReplayOptions& options) {
  auto fails = [&](const Case& smaller) { return replay(smaller, options).failure.has_value(); };
  for (std::size_t cut = std::max<std::size_t>(a_case.events.size() / 2, 1); cut > 0; cut /= 2) {
    for (std::size_t at = 0; at + cut <= a_case.events.size();) {
      Case smaller = a_case;
      const auto first = smaller.events.begin() + static_cast<std::ptrdiff_t>(at);
      smaller.events.erase(first, first + static_cast<std::ptrdiff_t>(cut));
      if (fails(smaller)) {
        a_case = std::move(smaller);
      } else {
        ++at;
      }
    }
  }
  return a_case;
}

std::string check(const Case& a_case, const ReplayOptions& options, Replayed* replayed) {
  Replayed first = replay(a_case, options);
  if (replayed != nullptr) *replayed = first;
  if (!first.failure) return {};
  const Case smaller = shrink(a_case, options);
  return fmt::format("COPSE_SEED={} policy {}\n{}{}\n", a_case.seed, options.policy, text(smaller),
                     *replay(smaller, options).failure);
}

}  // namespace copse::property
