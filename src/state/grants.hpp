// SPDX-License-Identifier: Apache-2.0
//
// Grants: the grants of an engine, by number and by job.
//
// Numbers are dense; a released number is reused, the last one first. Jobs are in a hash table with
// open addressing and linear probing.
//
// Invariants
//   1. A number is either free or that of one grant; a free one has job 0 and no time.
//   2. Every grant's job is in the table once, with its number, and nothing else is.
// A copy shares grants and table, by chunks (copy on write).
//
// Cost: number_of O(1) expected, 21 to 43 bytes per job; add and drop the same, amortized; for_each
// O(numbers); a copy takes 4 bytes for each free number, and 16 for each 32 grants and each 256
// places of the table.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/shared_chunks.hpp"
#include "copse/grant.hpp"

namespace copse {

class Grants {
 public:
  // REQUIRES that the job has none.
  std::uint32_t add(JobId job, std::int64_t start, std::int64_t end);
  void drop(std::uint32_t number);

  [[nodiscard]] const Grant& operator[](std::uint32_t number) const { return grants_[number]; }
  // For changes, except of its job. Valid until the next copy.
  [[nodiscard]] Grant& own(std::uint32_t number) { return grants_.own(number); }
  [[nodiscard]] std::optional<std::uint32_t> number_of(JobId job) const;
  [[nodiscard]] const Grant* find(JobId job) const;  // nullptr: it has none
  [[nodiscard]] bool contains(JobId job) const { return number_of(job).has_value(); }
  [[nodiscard]] std::size_t size() const { return grants_.size() - free_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::vector<JobId> jobs() const;  // ascending

  // visit(number, grant), by number; the grant may be changed if *this is not const.
  template <class Visit>
  void for_each(Visit visit) {
    for (std::uint32_t n = 0; n < grants_.size(); ++n) {
      if (!is_free(n)) visit(n, grants_.own(n));
    }
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t n = 0; n < grants_.size(); ++n) {
      if (!is_free(n)) visit(n, grants_[n]);
    }
  }

  // --- Numbers, for images
  [[nodiscard]] std::uint32_t numbers() const { return static_cast<std::uint32_t>(grants_.size()); }
  [[nodiscard]] const std::vector<std::uint32_t>& free_numbers() const { return free_; }
  // REQUIRES that there are no grants yet; then call put() for each number that is not free.
  void restore(std::size_t numbers, std::vector<std::uint32_t> free);
  bool put(std::uint32_t number, Grant grant);  // false: its job has a grant already

  [[nodiscard]] bool check() const;  // invariants; O(numbers + places)

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kLeast = 256;  // places
  struct Entry {
    JobId job = 0;
    std::uint32_t number = kNone;  // kNone: a free place
  };

  [[nodiscard]] bool is_free(std::uint32_t number) const {
    return grants_[number].job == 0 && grants_[number].start == grants_[number].end;
  }
  // Eight jobs with consecutive numbers are neighbours: usually they start and end one after the
  // other.
  [[nodiscard]] std::size_t home(JobId job) const {
    const std::uint64_t eight = (job >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> (shift_ + 3);
    return static_cast<std::size_t>(eight << 3 | (job & 7));
  }
  [[nodiscard]] std::size_t place_of(JobId job) const;  // its place, or the one where it would be
  void widen();

  SharedChunks<Grant, 32> grants_;  // by number
  std::vector<std::uint32_t> free_;
  SharedChunks<Entry, 256> table_;  // a power of two
  int shift_ = 64;                  // leaves as many bits as the table has places
};

}  // namespace copse
