// SPDX-License-Identifier: Apache-2.0
//
// Reasons: why each waiting job does not run, in the present state of the queue.
//
//   Reasons reasons(queue);
//   const Reason why = reasons.of(17);   // why.text: "needs 4 nodes; of 12 nodes 2 fit now: …"
//
// A shortage is found once for all jobs of a kind. So each further reason is cheap: a hash, and a
// few steps of the planner if a promise blocks the job.
//
// Results are cached for the state of the queue in which they were found: make a new object when
// that has changed (JobQueue::sequence). The engine is queried, and not changed. Cost: one
// explanation per kind (Engine::explain), two if there is a constraint.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "explain/explanation.hpp"
#include "queue/job_queue.hpp"

namespace copse::queue {

struct Reason {
  enum class Cause : std::uint8_t {
    starting,     // no obstacle: the next pass starts it
    on_hold,      // until it is released
    stopped,      // its queue is stopped
    limit,        // too many jobs of its user, group or queue run (RunningLimits)
    depth,        // its queue examines only its first jobs
    in_front,     // no job may overtake the first one
    promises,     // it fits now, but a promised start of another job comes before its end
    resources,    // other jobs use what it needs
    down,         // it would fit if all nodes were up
    constraint,   // it would fit on nodes that its constraint, or its queue, excludes
    layer,        // a hierarchical resource is short
    reservation,  // a reservation blocks it, or it waits for the one that it names
    unreachable,  // it fits at no time, in the present state of the machine
  };
  Cause cause = Cause::starting;
  std::string text{};  // a sentence without its full stop, with all numbers and times
  // The obstacle, if it is one job (0: none) or one reservation (its name).
  JobId job = 0;
  std::string reservation{};
  bool reserved_for_it = false;  // the job names that reservation, and waits only for it
  std::optional<std::int64_t> from_s{},
      until_s{};                     // the start of the obstacle; its end, if it is a reservation
  std::optional<Explanation> why{};  // the numbers of a shortage
  // Holders in the explanation that are not jobs, with their names.
  std::vector<std::pair<JobId, std::string>> holder_names{};
  std::string brief{};  // the cause in at most 80 characters, without times (short_cause.hpp)
};

// The same names for jobs; the grant of a reservation is named 'reservation "maintenance"'.
// REQUIRES that the reservations outlive the result.
[[nodiscard]] JobNames names_with_reservations(const Reservations& reservations, JobNames names);

// Words that do not change: "resources", "down", …
[[nodiscard]] const char* word(Reason::Cause cause);

class Reasons {
 public:
  // REQUIRES that the queue outlives this object.
  explicit Reasons(JobQueue& queue, JobNames names = {});
  // REQUIRES that the job waits, is promised a start, or is on hold. `ahead`: jobs before it in its
  // queue.
  [[nodiscard]] Reason of(JobId job, std::size_t ahead);

  // Whether a request would fit now for this duration, next to all running and planned jobs.
  [[nodiscard]] bool fits(PreparedRequest& request, std::int64_t duration_s);
  // The same for what counts decide. REQUIRES that promises are counted.
  [[nodiscard]] bool fits_counted(std::int64_t duration_s, const NodeCounts::Need& need) const;
  // The longest time, shorter than its own, for which the job would fit now; 0: none. `likely_s` is
  // tried first, unless it is 0.
  [[nodiscard]] std::int64_t longest(const QueuedJob& job, std::int64_t likely_s);

 private:
  // The reason of a kind for the shortest duration.
  struct KindReason {
    std::optional<Reason> reason;  // none: it fits
    // If it fits: the shortest duration known to fail, and the reason for it and all longer ones.
    std::int64_t fails_s = INT64_MAX;
    Reason later{};
    // By the start of a reservation: how many of the fitting pools the reservation takes, as text.
    std::map<std::int64_t, std::string> taken{};
  };
  // An occurrence of a reservation that has not begun.
  struct UpcomingOccurrence {
    std::int64_t from_s = 0, until_s = 0;
    std::string name;
  };
  // The current occurrence of a reservation.
  struct ActiveOccurrence {
    std::int64_t nodes = 0, down = 0;
  };
  [[nodiscard]] Reason whole_reason(const QueuedJob& job, std::size_t ahead);
  [[nodiscard]] bool fits(const QueuedJob& job, std::int64_t duration_s);
  [[nodiscard]] Reason reason_of_named(const ReservationReason& named, const QueuedJob& job);
  [[nodiscard]] KindReason& reason_of_kind(const QueuedJob& job);
  [[nodiscard]] Reason shortage(const QueuedJob& job, Explanation why);
  [[nodiscard]] Reason blocked(const QueuedJob& job);
  [[nodiscard]] std::string excluding(const QueuedJob& job) const;
  [[nodiscard]] std::optional<Reason> reserved(const QueuedJob& job, const Explanation& why) const;
  [[nodiscard]] Reason promised_before(JobId job, std::int64_t start_s) const;
  void add_upcoming(const QueuedJob& job, KindReason& kind, Reason& reason);
  void add_until(const QueuedJob& job, Reason& reason);
  [[nodiscard]] std::string taken_by(const QueuedJob& job, const UpcomingOccurrence& upcoming);
  [[nodiscard]] const std::vector<UpcomingOccurrence>& upcoming();
  void attach(Reason& reason, Explanation why) const;

  QueueView view_;
  JobNames names_;
  std::unordered_map<std::uint32_t, KindReason> kinds_;
  std::optional<std::vector<UpcomingOccurrence>> upcoming_;  // by start; none: not read yet
  std::map<std::string, ActiveOccurrence> active_;           // by name, read on demand
};

}  // namespace copse::queue
