// SPDX-License-Identifier: Apache-2.0
//
// Reasons: why each job that waits does not run, as the queue stands.
//
//   Reasons reasons(queue);
//   const Reason why = reasons.of(17);   // why.text: "needs 4 nodes; of 12 nodes 2 fit now: …"
//
// What is too little now is found once for all jobs of a kind, so that a reason for each of many
// jobs costs little: a hash, and where a promise is in the way a few steps of the planner.
//
// What is found once is of the state that the queue was in then: make new ones when that has
// changed (JobQueue::sequence). The engine is asked, and left as it was. Cost: an explanation for
// each kind (Engine::explain), two where there is a constraint.
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
    starting,     // nothing: it starts when the queue is looked at
    on_hold,      // until it is released
    stopped,      // its queue is
    depth,        // its queue looks at the first jobs only
    in_front,     // nobody passes the job that stands in front of it
    promises,     // it fits now, but others are promised their starts before it would end
    resources,    // others have what it needs
    down,         // it would fit if what is down were up
    constraint,   // it would fit on nodes that it, or its queue, excludes
    layer,        // a hierarchical resource has too little left
    reservation,  // one stands in its way; or it waits for the one that it names
    unreachable,  // it fits at no time, as things are
  };
  Cause cause = Cause::starting;
  std::string text{};  // a sentence without its full stop
  // What is in the way or in front, if it is one job (0: none) or one reservation (its name).
  JobId job = 0;
  std::string reservation{};
  bool reserved_for_it = false;  // the job asks for that reservation, and waits for nothing else
  std::optional<std::int64_t> from_s{}, until_s{};  // when that starts; and ends, a reservation
  std::optional<Explanation> why{};                 // the numbers, where something is too little
  // Of the explanation: holders that are no jobs, and what they are called.
  std::vector<std::pair<JobId, std::string>> holder_names{};
};

// The same names for jobs; a reservation's grant is called 'reservation "maintenance"'. REQUIRES that
// the reservations live as long.
[[nodiscard]] JobNames names_with_reservations(const Reservations& reservations, JobNames names);

// Stable words: "resources", "down", …
[[nodiscard]] const char* word(Reason::Cause cause);

class Reasons {
 public:
  // REQUIRES that the queue lives as long.
  explicit Reasons(JobQueue& queue, JobNames names = {});
  // REQUIRES that the job waits, promised or held ones, too. `ahead`: jobs in front in its line.
  [[nodiscard]] Reason of(JobId job, std::size_t ahead);

  // Whether something would fit now for so long, beside all that is held.
  [[nodiscard]] bool fits(PreparedRequest& request, std::int64_t duration_s);
  // The same for whole nodes. REQUIRES that promises are counted.
  [[nodiscard]] bool fits_counted(std::int64_t duration_s, std::int64_t nodes) const;
  // The longest time below its own for which the job would fit now; 0: there is none. `likely_s` is
  // tried first; 0: nobody knows.
  [[nodiscard]] std::int64_t longest(const QueuedJob& job, std::int64_t likely_s);

 private:
  // Of a kind, for the shortest time.
  struct KindReason {
    std::optional<Reason> reason;  // none: it fits
    // Where it fits: what is in the way of those that ask for as long, or longer.
    std::int64_t fails_s = INT64_MAX;
    Reason later{};
    // By the start of a reservation: how many of those that fit until then it takes, in words.
    std::map<std::int64_t, std::string> taken{};
  };
  // A time of a reservation that has not begun.
  struct UpcomingOccurrence {
    std::int64_t from_s = 0, until_s = 0;
    std::string name;
  };
  // Of the time of a reservation that lasts.
  struct ActiveOccurrence {
    std::int64_t nodes = 0, down = 0;
  };
  [[nodiscard]] bool fits(const QueuedJob& job, std::int64_t duration_s);
  [[nodiscard]] Reason of_named(const ReservationReason& named, const QueuedJob& job);
  [[nodiscard]] KindReason& reason_of_kind(const QueuedJob& job);
  [[nodiscard]] Reason too_little(const QueuedJob& job, Explanation why);
  [[nodiscard]] Reason blocked(const QueuedJob& job);
  [[nodiscard]] const char* excluded_by(const QueuedJob& job) const;
  [[nodiscard]] std::optional<Reason> reserved(const QueuedJob& job, const Explanation& why) const;
  [[nodiscard]] Reason promised_before(JobId job, std::int64_t start_s) const;
  void add_coming(const QueuedJob& job, KindReason& kind, Reason& reason);
  void add_until(const QueuedJob& job, Reason& reason);
  [[nodiscard]] std::string taken_by(const QueuedJob& job, const UpcomingOccurrence& coming);
  [[nodiscard]] const std::vector<UpcomingOccurrence>& coming();
  void keep(Reason& reason, Explanation why) const;

  QueueView view_;
  JobNames names_;
  std::unordered_map<std::uint32_t, KindReason> kinds_;
  std::optional<std::vector<UpcomingOccurrence>> coming_;  // by start; none: not asked for yet
  std::map<std::string, ActiveOccurrence> lasting_;        // those that were asked for, by name
};

}  // namespace copse::queue
