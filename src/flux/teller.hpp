// SPDX-License-Identifier: Apache-2.0
//
// Teller: when those who wait are told why they do, and when they start. Answers are made, then
// told one after another, as budgets allow; all are told again when something has changed, but not
// more often than every so many seconds. The more there are, the longer that is: they take a fifth
// of the time at most.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "queue/answers/answers.hpp"
#include "queue/job_queue.hpp"

namespace copse::flux {

class Teller {
 public:
  static constexpr std::int64_t kEvery_s = 5;

  // REQUIRES that both live longer.
  Teller(const queue::JobQueue& queue, queue::Answers& answers, std::int64_t every_s = kEvery_s)
      : queue_(queue), answers_(answers), every_s_(every_s) {}

  // Goes on; true if that is all for now. `tell` is called for each answer.
  bool work(std::int64_t now_s, queue::WorkBudget& budget,
            const std::function<void(const queue::Answers::Brief&)>& tell);
  // When there is something to tell again; none: when something changes.
  [[nodiscard]] std::optional<std::int64_t> next_time() const;

 private:
  enum class State : std::uint8_t { over, making, telling };

  const queue::JobQueue& queue_;
  queue::Answers& answers_;
  const std::int64_t every_s_;
  State state_ = State::over;
  std::uint64_t told_sequence_ = UINT64_MAX;  // of the state that all were told of
  std::uint64_t making_sequence_ = 0;
  std::int64_t begun_s_ = INT64_MIN;
  std::int64_t next_s_ = INT64_MIN;  // not before
  std::size_t next_ = 0;
};

}  // namespace copse::flux
