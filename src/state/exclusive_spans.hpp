// SPDX-License-Identifier: Apache-2.0
//
// ExclusiveSpans: when each pool is allocated exclusively, and by which grant.
//
// Invariants
//   1. The spans of one pool are disjoint and ascend.
//   2. A pool without spans has no record; marked(p) is one bit that tells whether it has any.
//   3. active(p) is one bit that tells whether a span of p covers the present. Most queries are about the present, and need no record.
//   4. A record counts the pools that share it, because they got the same spans together. Pools with equal spans may have different records.
// Size: 4 bytes and two bits per pool; 40 bytes per record, and 24 per span if it has several.
// allocated: O(1) if not marked or active, else O(log spans). add, remove: O(pools + spans of each
// record). A copy shares all but the bits, by chunks (copy on write).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/shared_chunks.hpp"
#include "copse/ids.hpp"
#include "copse/shared.hpp"

namespace copse {

struct ExclusiveSpan {
  std::int64_t start, end;
  std::uint32_t grant;  // number of the grant
  bool operator==(const ExclusiveSpan&) const = default;
};

class ExclusiveSpans {
 public:
  explicit ExclusiveSpans(std::uint32_t pools, std::int64_t now = 0)
      : record_(pools), marks_((pools + 63) / 64), now_(now) {}

  void resize(std::uint32_t pools) {  // to a larger number of pools
    record_.resize(pools);
    marks_.resize((pools + 63) / 64);
  }

  [[nodiscard]] bool marked(PoolId p) const {
    return (marks_[p.v / 64].allocated >> (p.v % 64)) & 1;
  }
  // Whether a span of p covers the present.
  [[nodiscard]] bool active(PoolId p) const { return (marks_[p.v / 64].active >> (p.v % 64)) & 1; }
  // The first and the last of the pools [first, end) without a span that covers the present; `end`
  // if there is none. O(pools / 64).
  [[nodiscard]] PoolId first_inactive(PoolId first, PoolId end) const {
    for (std::uint32_t v = first.v; v < end.v; v = (v / 64 + 1) * 64) {
      const std::uint64_t open = ~marks_[v / 64].active >> (v % 64);
      if (open != 0)
        return std::min(end, PoolId{v + static_cast<std::uint32_t>(std::countr_zero(open))});
    }
    return end;
  }
  [[nodiscard]] PoolId last_inactive(PoolId first, PoolId end) const {
    for (std::uint32_t v = end.v; v > first.v; v = (v - 1) / 64 * 64) {
      const std::uint64_t open = ~marks_[(v - 1) / 64].active << (63 - (v - 1) % 64);
      if (open == 0) continue;
      const std::uint32_t closed = static_cast<std::uint32_t>(std::countl_zero(open));
      return v - first.v > closed ? PoolId{v - 1 - closed} : end;
    }
    return end;
  }
  // Whether any span of p overlaps [start, end).
  [[nodiscard]] bool allocated(PoolId p, std::int64_t start, std::int64_t end) const {
    if (!marked(p)) return false;
    return (active(p) && start <= now_ && now_ < end) || overlaps(p, start, end);
  }
  // All spans of p, in order; valid until the next change.
  [[nodiscard]] std::span<const ExclusiveSpan> all(PoolId p) const;

  // Consecutive pools.
  struct Range {
    PoolId first;
    std::uint32_t count = 1;
  };
  // REQUIRES !allocated(q, span.start, span.end) for each of these pools, which are distinct.
  void add(std::span<const Range> ranges, const ExclusiveSpan& span);
  void add(PoolId p, const ExclusiveSpan& span, std::uint32_t count = 1) {
    const Range range{p, count};
    add({&range, 1}, span);
  }
  // REQUIRES that each of these pools has the span.
  void remove(std::span<const Range> ranges, const ExclusiveSpan& span);
  void remove(PoolId p, const ExclusiveSpan& span, std::uint32_t count = 1) {
    const Range range{p, count};
    remove({&range, 1}, span);
  }

  // Moves the present. REQUIRES that no span that covered the present before ends by then, and
  // begin() for those that now cover it and did not before.
  void set_now(std::int64_t now) { now_ = now; }
  void begin(std::span<const Range> ranges);
  void begin(PoolId p, std::uint32_t count = 1) {
    const Range range{p, count};
    begin({&range, 1});
  }

  [[nodiscard]] std::uint64_t bytes() const;
  // Invariants. O(pools + intervals).
  [[nodiscard]] bool check() const;

 private:
  struct Record {
    ExclusiveSpan first{};                    // the only span, if there is no `more`
    std::uint32_t pools = 0;                  // that share this record
    Shared<std::vector<ExclusiveSpan>> more;  // all spans, if there are at least two

    void add(const ExclusiveSpan& span);
    void remove(const ExclusiveSpan& span);  // REQUIRES that it is not the only span
  };
  struct Run {
    std::uint32_t first, end;  // pools
    std::uint32_t record;      // the same for all of them, as in record_
  };
  struct Marks {  // of 64 pools
    std::uint64_t allocated = 0, active = 0;
  };
  [[nodiscard]] bool covers_now(const ExclusiveSpan& span) const {
    return span.start <= now_ && now_ < span.end;
  }
  [[nodiscard]] Run run_at(std::uint32_t first, std::uint32_t end) const;
  [[nodiscard]] std::uint32_t make_record(Record record);
  void give(const Run& run, std::uint32_t record);
  // A record that was changed, and its changed copy. 0: none yet.
  struct Copied {
    std::uint32_t from = 0, to = 0;
  };
  template <class Change>
  void change(const Run& run, Copied& copied, Change change_record);
  void leave(const Run& run);
  [[nodiscard]] bool overlaps(PoolId p, std::int64_t start, std::int64_t end) const;

  SharedChunks<std::uint32_t, 1024> record_;  // by pool; 0: none, else index + 1
  std::vector<Marks> marks_;
  SharedChunks<Record, 64> records_;
  std::vector<std::uint32_t> free_;
  std::int64_t now_;
};

}  // namespace copse
