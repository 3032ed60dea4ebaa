// SPDX-License-Identifier: Apache-2.0
//
// Whatever Idset::parse accepts must keep its invariant and read back as the same set.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/idset.hpp"
#include "go_on.hpp"
#include "target.hpp"

FUZZ_TARGET(idset) {
  constexpr std::size_t kTextMax = 4096;
  constexpr std::size_t kRangesMax = 512;
  if (size > kTextMax) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto set = copse::Idset::parse(text, kRangesMax);
  if (!set) return 0;

  if (set->ranges().size() > kRangesMax) std::abort();
  std::int64_t before = -2;  // an id 0 touches nothing before it
  for (const auto& [first, last] : set->ranges()) {
    if (first <= before + 1 || last < first || last >= copse::Idset::kIdMax) std::abort();
    before = last;
  }
  for (const bool brackets : {false, true}) {
    const auto again = copse::Idset::parse(set->text(brackets), kRangesMax);
    if (!again || *again != *set) std::abort();
  }
  static const auto engine = copse::fuzz::engine_on(copse::fuzz::small_machine(), "high");
  copse::Constraint ranks;
  ranks.op = copse::Constraint::Op::ranks;
  ranks.ranks = set->ranges();
  copse::fuzz::match_once(*engine, copse::fuzz::with_constraint(std::move(ranks)));
  return 0;
}
