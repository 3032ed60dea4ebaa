// SPDX-License-Identifier: Apache-2.0
//
// Outlook: when everything that waits would start, if nothing came, ended early or went down.
//
// A conservative shadow of the queue as it stands: in the order of the lines and of each line,
// every job has the earliest start that breaks no promise and delays none before it. A promise
// stands for itself. Where nobody may pass (fcfs), nobody starts before who is in front; if that is
// at no time, nobody does.
//   conservative, fcfs  it comes true to the second, if nothing else happens
//   easy, hybrid        who has no promise may start earlier, by passing others, or later, when
//                       others pass
//
// Held promises are counted when the last job that cannot be counted is over (promises.hpp). Then
// particular nodes keep nobody from a start any more, and those that are left move to earlier ones.
// The outlook does the same, from that time on.
//
// It is made in budgets, beside the queue: the queue may go on, and of() says which state it saw.
// If the queue goes on while it is read who waits, the outlook is of the state at the end of the
// reading, without those that came meanwhile; then of() is the state at its beginning.
// Cost: while promises are counted (promises.hpp) 2 to 3 µs a waiting job; else a clone of the
// engine, and a reservation each; and where they are counted later, as much as counted ones again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "queue/answers/waiting_order.hpp"
#include "queue/job_queue.hpp"
#include "queue/reservation/unbooked_occurrences.hpp"

namespace copse::queue {

class Outlook {
 public:
  struct Entry {
    JobId job = 0;
    std::size_t ahead = 0;  // jobs that wait in front of it, in its waiting_queue
    // None: at no time, as things are; or its queue is stopped; or nobody knows (`beyond`).
    std::optional<std::int64_t> start_s{};
    // A reservation that repeats, with a time that is not booked yet and may be in its way. None if
    // there is a start which no such time is in the way of.
    std::optional<ReservationReason> unbooked{};
  };

  // REQUIRES that the queue lives until work() is done.
  explicit Outlook(const JobQueue& queue);
  // True if it is done.
  bool work(WorkBudget& budget);
  // Frees it piece by piece: 100,000 jobs at once would take 50 ms. True if little is left. REQUIRES
  // that work() is done; nothing else may be called then.
  bool free_gradually(WorkBudget& budget);

  // The state of the queue that it is of (JobQueue::sequence).
  [[nodiscard]] std::uint64_t sequence() const { return sequence_; }
  // nullptr: it did not wait; or its turn has not come.
  [[nodiscard]] const Entry* find(JobId job) const;
  // In the order of the lines and of the queue, as far as it is done.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  struct Waiting {
    JobId job = 0;
    std::uint32_t kind = 0;
    std::size_t ahead = 0;
    std::int64_t nodes = 0, duration_s = 0;
    std::optional<std::int64_t> promised_s;
    std::int64_t end_s = 0;         // if it starts
    bool blocked_by_first = false;  // nobody of its waiting_queue passes anybody
    bool stopped = false;           // its waiting_queue is
    std::size_t depth = SIZE_MAX;   // its waiting_queue looks at so many
  };
  void read_state(const JobQueue& queue);
  bool plan_all(WorkBudget& budget);
  void find_start(Waiting& waiting, Entry& entry);
  void pass_later_times(Waiting& waiting, Entry& entry);
  void note_seen(const Waiting& waiting, const Entry& entry);
  [[nodiscard]] std::optional<std::int64_t> plan_start(Waiting& waiting, std::int64_t from_s);
  [[nodiscard]] std::optional<std::int64_t> plan_counted(Waiting& waiting, std::int64_t from_s);
  [[nodiscard]] std::int64_t requested_duration(const Waiting& waiting) const;
  void book(Waiting& waiting, std::int64_t start_s);
  void note_running(const QueueParts& parts);
  void begin_counting();
  bool move(Waiting& waiting, Entry& entry);
  bool move_earlier(WorkBudget& budget);

  const JobQueue& queue_;
  std::uint64_t sequence_;
  std::optional<WaitingOrder> reading_;  // none: the state is read
  std::int64_t now_s_ = 0, horizon_s_ = 0;
  std::vector<Waiting> waiting_;
  std::size_t next_ = 0;
  std::optional<UnbookedOccurrences> unbooked_{};
  // The last starts of this line, as many as it looks at: when the first of these is over, it looks
  // at one more (queue-depth).
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> last_starts_;
  std::int64_t not_before_s_ =
      0;  // in this waiting_queue: when who is in front starts, if nobody passes
  std::vector<Entry> entries_;
  std::unordered_map<JobId, std::size_t> indices_;

  std::optional<NodeCounts> counts_;
  std::unique_ptr<Engine> engine_;  // a clone
  std::unordered_map<std::uint32_t, PreparedRequest> prepared_;

  // Counted later
  struct Running {
    std::int64_t end_s = 0, nodes = 0;
  };
  std::vector<Running> running_;
  bool counted_later_ = false;
  std::int64_t counted_from_s_ = 0;  // none that cannot be counted is left then
  std::uint32_t rounds_left_ = 0;
  std::size_t next_moved_ = 0;
  bool moved_ = false;  // somebody, in this round
};

}  // namespace copse::queue
