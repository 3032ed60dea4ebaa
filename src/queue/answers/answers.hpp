// SPDX-License-Identifier: Apache-2.0
//
// Answers: for each waiting job, why it waits and when it starts.
//
//   Answers answers(queue);
//   while (!answers.work(budget)) answer_others();      // for all jobs: an outlook, and reasons
//   const auto answer = answers.of(17);                 // for one job, with suggestions
//
// The starts of all jobs are kept until work() has made newer ones, so a thousand questions cost
// one evaluation. of() gives the expected start as of that state, and the reason as of now.
// REQUIRES that the queue outlives this object.
// Cost: work() as Outlook; at() as Reasons; of() the same, and some walks for its suggestions.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "queue/answers/outlook.hpp"
#include "queue/answers/reasons.hpp"

namespace copse::queue {

// A change of the request with which the job would start now.
struct Help {
  enum class Kind : std::uint8_t { fewer, shorter, queue } kind = Kind::fewer;
  std::int64_t amount = 0;  // fewer: units of `type`; shorter: seconds
  std::string type{};
  std::string queue{};  // the name of another queue
};

struct Answer {
  JobId job = 0;
  JobState state = JobState::waiting;
  std::string queue;
  std::size_t ahead = 0;  // jobs before it in its queue
  JobId first = 0;        // the first of these; 0: none
  Reason reason;
  std::optional<std::int64_t> promised_s;  // the promised start
  // The start if nothing else happens; none: no start is possible, or it is unknown.
  std::optional<std::int64_t> expected_s;
  bool estimated = false;  // that start is an estimate, see Outlook
  // For a job that waits for a reservation: when the reservation begins.
  std::optional<std::int64_t> earliest_s{};
  std::optional<std::int64_t> deadline_s{};  // when the job leaves the queue if it has not started
  // Why the start is unknown: a repeating reservation may conflict. from_s is the start of an
  // occurrence that is not booked yet.
  std::optional<ReservationReason> unbooked{};
  std::vector<Help> help{};
  std::int64_t now_s = 0;  // of the reason

  // Sets the deadline. Starts at or after it are cleared, because deadlines take effect before
  // starts.
  void set_deadline(std::int64_t time_s);
};

class Answers {
 public:
  // `names` gives the names of jobs in reasons.
  explicit Answers(JobQueue& queue, JobNames names = {})
      : queue_(queue), names_(std::move(names)) {}

  // Evaluates the state of the queue at the first call. Returns true if the evaluation is complete
  // and the queue has not changed since.
  bool work(WorkBudget& budget);
  // The state of the queue that they are of (JobQueue::sequence); none: there are none yet.
  [[nodiscard]] std::optional<std::uint64_t> made_for() const {
    return outlook_ == nullptr ? std::nullopt : std::optional(outlook_->sequence());
  }
  // The memory of the previous outlook is still being freed: work() continues with that.
  [[nodiscard]] bool freeing() const { return old_ != nullptr; }
  // All jobs that waited at the evaluation: in the order of the queues, then the jobs on hold or
  // waiting for reservations, by id. Empty before work() is done.
  struct Brief {
    Outlook::Entry when;
    Reason why;  // as of the evaluation, or of the first question about its kind
  };
  [[nodiscard]] std::size_t size() const;
  // REQUIRES n < size(). O(1).
  [[nodiscard]] Outlook::Entry entry(std::size_t n) const;
  // None: the job no longer waits. REQUIRES an entry. O(1), except for the first job of a kind.
  [[nodiscard]] std::optional<Brief> brief(const Outlook::Entry& entry);
  [[nodiscard]] std::optional<Brief> at(std::size_t n) { return brief(entry(n)); }
  [[nodiscard]] std::vector<Brief> all();  // jobs that still wait

  // Errors: not_found; invalid (the job runs).
  [[nodiscard]] Result<Answer> of(JobId id) { return answer(id, present_reasons()); }
  // The same for a viewer that has other names of jobs. REQUIRES that a viewer's names are the same
  // at each call, and outlive this object.
  [[nodiscard]] Result<Answer> of(JobId id, const std::string& viewer, const JobNames& names) {
    return answer(id, reasons_of(viewer, names));
  }

 private:
  static constexpr std::size_t kViewersMax = 32;  // with reasons in memory
  void forget_older();
  [[nodiscard]] Reasons& present_reasons();
  [[nodiscard]] Reasons& reasons_of(const std::string& viewer, const JobNames& names);
  [[nodiscard]] Result<Answer> answer(JobId id, Reasons& reasons);
  [[nodiscard]] std::size_t ahead_of(const WaitingQueue& queue, const QueuedJob& job) const;
  [[nodiscard]] const std::vector<Help>& help_for(const QueueView& view, const QueuedJob& job,
                                                  const Reason& reason, Reasons& reasons);

  JobQueue& queue_;
  JobNames names_;
  std::unique_ptr<Outlook> outlook_, making_;
  std::unique_ptr<Outlook> old_;    // being freed
  std::optional<Reasons> reasons_;  // of the same state as outlook_
  // Of the state of the queue at the last of(), so that a thousand questions share its explanations.
  std::optional<Reasons> present_;
  std::map<std::string, Reasons> of_viewers_;
  std::uint64_t present_sequence_ = 0;  // of both
  // Suggestions, which all jobs of a kind and a duration share in one state at one time.
  struct HelpKey {
    std::uint32_t kind;
    std::int64_t duration_s, promised_s;  // -1: it has no promise
    JobId job;                            // whose promise is in the engine; 0: none
    bool of_request;                      // a smaller request may help, not only another queue
    auto operator<=>(const HelpKey&) const = default;
  };
  std::map<HelpKey, std::vector<Help>> help_;
  std::pair<std::uint64_t, std::int64_t> help_state_{};  // of them: sequence and time
  std::vector<JobId> outside_,
      outside_made_;  // jobs in no queue: of outlook_, and of making_
};

}  // namespace copse::queue
