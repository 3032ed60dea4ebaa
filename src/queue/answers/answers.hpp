// SPDX-License-Identifier: Apache-2.0
//
// Answers: why and when, for everything that waits.
//
//   Answers answers(queue);
//   while (!answers.work(budget)) answer_others();      // of all: an outlook, and reasons
//   const auto answer = answers.of(17);                // of one: with what would help
//
// Starts of all are kept until work() has made newer ones, so that a thousand who ask cost one look;
// of() says when as of then, and why as of now. REQUIRES that the queue lives as long.
// Cost: work() as Outlook; at() as Reasons; of() a few explanations more, for what would help.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "queue/answers/outlook.hpp"
#include "queue/answers/reasons.hpp"

namespace copse::queue {

// With this the job would start now.
struct Help {
  enum class Kind : std::uint8_t { fewer, shorter, queue } kind = Kind::fewer;
  std::int64_t amount = 0;  // fewer: of `type`; shorter: seconds
  std::string type{};
  std::string queue{};  // its name
};

struct Answer {
  JobId job = 0;
  JobState state = JobState::waiting;
  std::string queue;
  std::size_t ahead = 0;  // jobs that enqueue in front of it
  JobId first = 0;        // of these; 0: there is none
  Reason reason;
  std::optional<std::int64_t> promised_s;  // its start
  // Its start if nothing else happens; none: at no time, or nobody knows yet.
  std::optional<std::int64_t> expected_s;
  // Of a job that waits for a reservation: when that begins.
  std::optional<std::int64_t> earliest_s{};
  std::optional<std::int64_t> deadline_s{};  // when it leaves if it has not started
  // Why nobody knows: a reservation that repeats, from_s being a time that is not booked yet.
  std::optional<ReservationReason> unbooked{};
  std::vector<Help> help{};

  // It leaves then. A start that is not before that is none: deadlines come before starts.
  void set_deadline(std::int64_t time_s);
};

class Answers {
 public:
  // `names`: how reasons call jobs.
  explicit Answers(JobQueue& queue, JobNames names = {})
      : queue_(queue), names_(std::move(names)) {}

  // Makes those of the state that the queue is in when it begins. True if they are made, and
  // nothing has happened since.
  bool work(WorkBudget& budget);
  // The state of the queue that they are of (JobQueue::sequence); none: there are none yet.
  [[nodiscard]] std::optional<std::uint64_t> made_for() const {
    return outlook_ == nullptr ? std::nullopt : std::optional(outlook_->sequence());
  }
  // Those that were there before are still taken apart: work() goes on with that.
  [[nodiscard]] bool freeing() const { return old_ != nullptr; }
  // Of all that waited then: in the order of the queue, then those that are held or wait for
  // reservations, by id. None before work() is done.
  struct Brief {
    Outlook::Entry when;
    Reason why;  // as of then, or of when somebody else of its kind was asked for
  };
  [[nodiscard]] std::size_t size() const;
  // None: it does not wait any more. REQUIRES n < size(). O(1), but for the first of a kind.
  [[nodiscard]] std::optional<Brief> at(std::size_t n);
  [[nodiscard]] std::vector<Brief> all();  // that still wait

  // Errors: not_found; invalid (it runs).
  [[nodiscard]] Result<Answer> of(JobId id);

 private:
  [[nodiscard]] std::vector<Help> help_for(const QueueView& view, const QueuedJob& job,
                                           const Reason& reason, Reasons& reasons) const;

  JobQueue& queue_;
  JobNames names_;
  std::unique_ptr<Outlook> outlook_, making_;
  std::unique_ptr<Outlook> old_;    // is taken apart
  std::optional<Reasons> reasons_;  // of the state that outlook_ is of
  std::vector<JobId> outside_,
      outside_made_;  // those that enqueue in no waiting_queue; while making
};

}  // namespace copse::queue
