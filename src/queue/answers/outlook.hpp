// SPDX-License-Identifier: Apache-2.0
//
// Outlook: when each waiting job would start if no job arrived or ended early, and no node failed.
//
// First a conservative plan of the queue as it is now. In the order of the queues, and of the jobs
// in each, every job gets the earliest start that breaks no promise and delays no job before it. A
// promised start is kept. Where no job may overtake (fcfs), no job starts before the job ahead of
// it; if that one never starts, neither do the others.
//
// The plan is what the queue will do if promises are counted, priorities do not move with time, and
// all jobs are promised a start, or none may overtake another. In all other cases the queue itself
// is simulated (QueueSimulation), up to kStartsMax starts. The starts after these are estimates:
// the jobs may start earlier, by overtaking others, or later, when others overtake them.
//
// Pinned promises are counted once the last job that cannot be counted has ended (promises.hpp).
// From then on particular nodes block no job, and the remaining promises move to earlier starts.
// The outlook does the same, from that time on.
//
// The outlook is computed piecewise, and the queue may continue meanwhile; sequence() is the state
// that it describes. If the queue changes while the waiting jobs are read, the outlook describes
// the state at the end of the reading, without jobs that arrived meanwhile. sequence() is then the
// state at the beginning.
// Cost: 2 to 3 µs per waiting job while promises are counted (promises.hpp). Otherwise a clone of
// the engine, and one reservation per job; if promises become counted later, the cost of counting
// in addition. A simulation costs a clone of the queue, O(waiting), and a pass per event: while promises
// are pinned, about as much as the plan.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "queue/answers/what_if.hpp"
#include "queue/job_queue.hpp"
#include "queue/queue_table.hpp"
#include "queue/reservation/unbooked_occurrences.hpp"

namespace copse::queue {

// WaitingOrder: the waiting jobs, in the order of the queues and of the jobs in each, read
// piecewise.
//
// The queue may change between calls. A job that has left its position by the end of the reading is
// left out. A job that arrived before a position that was already read is missing.
//
// Cost: 24 bytes and O(1) per waiting job; O(log waiting) per call.
class WaitingOrder {
 public:
  struct Read {
    QueuePosition position;
    Slot slot = kNoSlot;
    std::uint16_t waiting_queue = 0;
  };

  // REQUIRES that the queues exist until the reading is done.
  explicit WaitingOrder(const QueueTable& queues) : queues_(queues) {}
  // Continues; returns true if all are read. REQUIRES that it returned false so far.
  bool read(WorkBudget& budget);
  // Each as it was when it was read.
  [[nodiscard]] const std::vector<Read>& all() const { return all_; }

 private:
  const QueueTable& queues_;
  std::size_t queue_number_ = 0;
  std::optional<Waiter> last_{};  // the last one read of this queue
  std::vector<Read> all_;
};

class Outlook {
 public:
  struct Entry {
    JobId job = 0;
    std::size_t ahead = 0;  // jobs before it in its queue
    // None: no start is possible, its queue is stopped, or the start is unknown (`unbooked`).
    std::optional<std::int64_t> start_s{};
    bool estimated = false;  // it may start at another time, though nothing else happens
    // A repeating reservation with an occurrence that is not booked yet and may conflict. None if
    // there is a start that conflicts with no such occurrence.
    std::optional<ReservationReason> unbooked{};
  };

  // A simulation stops after this number of starts, or of events beyond two for each job; or when its
  // passes have examined this number of jobs: while promises are pinned, beyond one for each waiting
  // job.
  static constexpr std::size_t kStartsMax = 1'000, kEventsMore = 200;
  static constexpr std::uint64_t kCountedMax = 200'000, kPinnedMore = 5'000;

  // REQUIRES that the queue exists until work() is done.
  explicit Outlook(const JobQueue& queue);
  // Returns true if the outlook is complete.
  bool work(WorkBudget& budget);
  // Frees memory piecewise: freeing 100,000 jobs at once would take 50 ms. Returns true if little
  // is left. REQUIRES that work() is done; no other function may be called afterwards.
  bool free_gradually(WorkBudget& budget);

  // The state of the queue that the outlook describes (JobQueue::sequence).
  [[nodiscard]] std::uint64_t sequence() const { return sequence_; }
  // nullptr: the job did not wait, or is not evaluated yet.
  [[nodiscard]] const Entry* find(JobId job) const;
  // In the order of the queues, and of the jobs in each; those evaluated so far.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  struct Waiting {
    JobId job = 0;
    std::uint32_t kind = 0;
    std::size_t ahead = 0;
    bool is_counted = false;  // numbers decide when it can start
    std::int64_t duration_s = 0;
    std::optional<std::int64_t> promised_s;
    std::int64_t end_s = 0;         // if it starts
    CountedUse use{};               // the same, while promises are counted
    bool blocked_by_first = false;  // no job of its queue overtakes another
    bool stopped = false;           // its queue is stopped
    std::size_t depth = SIZE_MAX;   // jobs that a pass over its queue examines
  };
  void read_state(const JobQueue& queue);
  [[nodiscard]] bool plan_comes_true(const QueueParts& parts) const;
  [[nodiscard]] QueueSimulation::Limits simulation_limits(const QueueParts& parts) const;
  bool simulate(WorkBudget& budget);
  bool plan_all(WorkBudget& budget);
  void find_start(Waiting& waiting, Entry& entry);
  void pass_later_times(Waiting& waiting, Entry& entry);
  void note_seen(const Waiting& waiting, const Entry& entry);
  [[nodiscard]] std::optional<std::int64_t> plan_start(Waiting& waiting, std::int64_t from_s);
  [[nodiscard]] std::optional<std::int64_t> plan_counted(Waiting& waiting, std::int64_t from_s);
  [[nodiscard]] std::int64_t requested_duration(const Waiting& waiting) const;
  void note_running(const QueueParts& parts);
  void begin_counting();
  [[nodiscard]] std::vector<std::uint32_t> nodes_of(JobId job) const;
  bool move(Waiting& waiting, Entry& entry);
  bool move_earlier(WorkBudget& budget);

  const JobQueue& queue_;
  std::uint64_t sequence_;
  std::optional<WaitingOrder> reading_;  // none: the state is read
  std::int64_t now_s_ = 0, horizon_s_ = 0;
  std::vector<Waiting> waiting_;
  std::size_t next_ = 0;
  std::optional<UnbookedOccurrences> unbooked_{};
  // The latest starts in this queue, at most as many as its depth. When the earliest of them has
  // passed, the queue examines one job more (queue-depth).
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> last_starts_;
  std::int64_t not_before_s_ = 0;  // in this queue without overtaking: the start of the job ahead
  std::vector<Entry> entries_;
  std::unordered_map<JobId, std::size_t> indices_;

  std::unique_ptr<QueueSimulation> simulation_;  // none: the plan is exact
  std::optional<NodeCounts> counts_;
  std::map<std::uint32_t, NodeCounts::Need> needs_;  // by kind, of those that are known
  std::unique_ptr<Engine> engine_;                   // a clone
  std::unordered_map<std::uint32_t, PreparedRequest> prepared_;

  // Members for promises that become counted later.
  struct Running {
    std::int64_t end_s = 0;
    std::vector<std::uint32_t> nodes{};
    std::vector<LayerCharge> charges{};
  };
  std::vector<Running> running_;
  std::optional<NodeCounts> later_;  // without jobs; none: promises do not become counted
  std::shared_ptr<const CountedNodes> nodes_;
  std::int64_t counted_from_s_ = 0;  // when the last job that cannot be counted ends
  std::uint32_t rounds_left_ = 0;
  std::size_t next_moved_ = 0;
  bool moved_ = false;  // a job moved in this round
};

}  // namespace copse::queue
