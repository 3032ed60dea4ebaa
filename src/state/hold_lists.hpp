// SPDX-License-Identifier: Apache-2.0
//
// HoldLists: by which grants, and when, each pool is held exclusively.
//
// Invariants
//   1. The intervals of one pool are disjoint and ascend.
//   2. A pool without intervals has no record; marked(p) says in one bit whether it has.
//   3. Pools that were held together, by one hold and no other, share a record, which counts them.
//      A pool with several holds has a record of its own.
// Sketch: 4 bytes and a bit a pool; 40 bytes a run of pools that is held, or a pool that is held
// several times, which has 24 and 24 for each interval besides. held: O(1) if not marked, else
// O(log intervals). add, remove: O(pools, and of those with several holds their intervals).
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "copse/ids.hpp"

namespace copse {

struct Hold {
  std::int64_t start, end;
  std::uint32_t grant;  // number of the grant that holds
  bool operator==(const Hold&) const = default;
};

class HoldLists {
 public:
  explicit HoldLists(std::uint32_t pools) : record_(pools, 0), marks_((pools + 63) / 64, 0) {}

  void resize(std::uint32_t pools) {  // to more pools
    record_.resize(pools, 0);
    marks_.resize((pools + 63) / 64, 0);
  }

  [[nodiscard]] bool marked(PoolId p) const { return (marks_[p.v / 64] >> (p.v % 64)) & 1; }
  // Whether any hold of p overlaps [start, end).
  [[nodiscard]] bool held(PoolId p, std::int64_t start, std::int64_t end) const {
    return marked(p) && overlaps(p, start, end);
  }
  // The hold of p that covers `time`, or nullptr.
  [[nodiscard]] const Hold* at(PoolId p, std::int64_t time) const;
  // All holds of p, in order; good until the next change.
  [[nodiscard]] std::span<const Hold> all(PoolId p) const;

  // Of `count` pools from p on. REQUIRES !held(q, hold.start, hold.end) for each of them.
  void add(PoolId p, const Hold& hold, std::uint32_t count = 1);
  // REQUIRES that each of them has the hold.
  void remove(PoolId p, const Hold& hold, std::uint32_t count = 1);

  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Record {
    Hold first{};                             // the only one, if there is no `more`
    std::uint32_t pools = 0;                  // that share it
    std::unique_ptr<std::vector<Hold>> more;  // all of them, if there are at least two
  };
  [[nodiscard]] std::uint32_t make_record(const Hold& hold);
  void add_further(PoolId p, const Hold& hold);
  bool remove_further(Record& record, const Hold& hold);
  [[nodiscard]] bool overlaps(PoolId p, std::int64_t start, std::int64_t end) const;

  std::vector<std::uint32_t> record_;  // 0: none, else index + 1
  std::vector<std::uint64_t> marks_;
  std::vector<Record> records_;
  std::vector<std::uint32_t> free_;
};

}  // namespace copse
