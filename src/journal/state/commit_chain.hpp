// SPDX-License-Identifier: Apache-2.0
//
// The chain of commits: each commit has a value that depends on its content and on the value of the
// commit before it. So a commit that is changed, lost, moved or from another state does not fit its
// neighbours. Values are XXH3 of 64 bits: they detect damage, not forgery.
#pragma once

#include <cstdint>
#include <string_view>

#include "journal/store.hpp"

namespace copse::journal {

// The end of a chain: the number of the next record, and the value of the last commit (0: none).
struct ChainEnd {
  Sequence next = 0;
  std::uint64_t value = 0;
  friend bool operator==(const ChainEnd&, const ChainEnd&) = default;
};

// The end after one more commit: `count` records as `batch` (record_batch.hpp). O(bytes).
[[nodiscard]] ChainEnd chained(const ChainEnd& before, std::uint64_t count, std::string_view batch);

// The sum of a part of a snapshot, which has `parts` parts. O(bytes).
[[nodiscard]] std::uint64_t snapshot_sum(Sequence next, std::uint64_t part, std::uint64_t parts,
                                         std::string_view bytes);

}  // namespace copse::journal
