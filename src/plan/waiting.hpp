// SPDX-License-Identifier: Apache-2.0
//
// Waiting: the jobs that wait, in the order of the queue and by request.
//
// A job is known by its rank: its place in the queue if all jobs waited.
//
// Invariants
//   1. Every waiting rank stands in order() and in the list of its request, both ascending.
//   2. A list has the durations beside the ranks, so that the next job that asks for less time is
//      found without looking at jobs.
//
// Sketch: 16 bytes a waiting job in its list, and a bit a job in all for the order, summed up 64 to
// a word. insert and erase O(waiting with the same request), by memmove.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace copse::plan {

// A set of numbers below a bound, with the next one found in a few steps.
class RankSet {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  explicit RankSet(std::uint32_t bound);
  void insert(std::uint32_t rank);
  void erase(std::uint32_t rank);
  [[nodiscard]] std::uint32_t next(std::uint32_t from) const;  // the least at or after; or kNone
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;  // a bit says that the word below has a bit
  std::uint32_t size_ = 0;
};

class Waiting {
 public:
  struct Entry {
    std::uint32_t rank;
    std::int64_t duration_s;
  };

  Waiting(std::uint32_t jobs, std::size_t requests) : order_(jobs), lists_(requests) {}

  void insert(std::uint32_t rank, std::uint32_t request, std::int64_t duration_s);
  void erase(std::uint32_t rank, std::uint32_t request);

  [[nodiscard]] const RankSet& order() const { return order_; }
  [[nodiscard]] const std::vector<Entry>& of(std::uint32_t request) const {
    return lists_[request];
  }
  // Numbers of the requests that somebody waits for, in no order.
  [[nodiscard]] const std::vector<std::uint32_t>& requests() const { return requests_; }

 private:
  RankSet order_;
  std::vector<std::vector<Entry>> lists_;
  std::vector<std::uint32_t> requests_;
};

}  // namespace copse::plan
