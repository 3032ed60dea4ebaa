// SPDX-License-Identifier: Apache-2.0
//
// JobKindTable: the different requests of the jobs of a queue. Jobs that ask for the same, apart from
// how long, are of one kind: it is compiled once, and what one could not get the others cannot.
//
// Invariants
//   1. A kind's jobs came to one queue, and enqueue in its `line`; `waiting` are those that wait and
//      have no promise, in the order of the line.
//   2. `failed_s` is the least duration that did not fit since something was freed: nothing was
//      given back, so it still would not. 0: no duration fits. INT64_MAX: none failed.
//
// Sketch: a kind about 600 bytes and its request; 40 bytes a waiting job.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "copse/engine.hpp"
#include "queue/job_table.hpp"

namespace copse::queue {

struct Waiter {
  QueuePosition position{};
  Slot slot = kNoSlot;
  std::int64_t duration_s = 0;
  bool operator<(const Waiter& other) const { return position < other.position; }
};

struct JobKind {
  std::string key{};
  std::uint16_t waiting_queue = 0;
  std::optional<PreparedRequest> request{};  // none: it fits no machine like this, or takes nothing
  Error why_not{};
  std::int64_t nodes =
      0;              // whole nodes, any of them (NodeCounts::requested_nodes); 0: something else
  bool fixed = true;  // counts are no ranges: what does not fit does not fit for longer
  bool charges = false;          // from layers; or it may, along auxiliary subsystems
  bool windowed = false;         // too little in its window may be seen without looking at a pool
  Constraint own_constraint{};   // of its jobs; the queue's is not in it
  double cores = -1;             // that one of its jobs asks for (Priorities); -1: not known yet
  std::int64_t nodes_least = 0;  // that one of its jobs asks for, whole or in part
  std::uint32_t jobs = 0;        // in the table
  std::deque<Waiter> waiting{};  // by position; the first leaves, and the last comes, in O(1)
  std::map<std::int64_t, std::uint32_t> durations{};  // of these, and how many ask for each
  std::int64_t failed_s = INT64_MAX;

  // A job that could not start before a time (FreedIntervals).
  struct NoEarlierStart {
    std::uint32_t round = UINT32_MAX;
    std::uint32_t times = 0;  // given back before, in the round
    std::int64_t duration_s = 0, before_s = 0;
  };
  std::array<NoEarlierStart, 6> no_earlier_start{};
};

class JobKindTable {
 public:
  explicit JobKindTable(Engine& engine);

  // The same kinds for a clone of the other's engine. Cost: Engine::prepare for each kind.
  JobKindTable(const JobKindTable& other, Engine& clone);

  // Queues are numbered from 0 on. What its jobs ask for must meet the constraint, too.
  void add_queue(std::string name, std::uint16_t waiting_queue, Constraint constraint);
  [[nodiscard]] std::string_view queue_name(std::uint16_t queue) const {
    return queues_[queue].name;
  }

  [[nodiscard]] const Constraint& queue_constraint(std::uint16_t queue) const {
    return queues_[queue].constraint;
  }

  [[nodiscard]] JobKind& operator[](std::uint32_t number) { return kinds_[number]; }
  [[nodiscard]] const JobKind& operator[](std::uint32_t number) const { return kinds_[number]; }

  // The kind of a key in a queue; where there is none it is compiled, and asked of the empty
  // machine. Both together say which jobs are alike. Cost: a hash; else as Engine::prepare and a
  // match.
  [[nodiscard]] std::uint32_t find(std::string_view key, std::uint16_t queue,
                                   const Request& request);
  // The request, to be matched for so long. REQUIRES that it fits the empty machine.
  [[nodiscard]] PreparedRequest& prepared(std::uint32_t number, std::int64_t duration_s);

  // With the constraint of its queue.
  [[nodiscard]] const Request& request(std::uint32_t number) const { return requests_[number]; }
  // The same, as if it had come to another queue.
  [[nodiscard]] Request request_in(std::uint32_t number, std::uint16_t queue) const;

  void insert(std::uint32_t number, const Waiter& waiter);
  void erase(std::uint32_t number, const QueuePosition& position);
  // Numbers of the kinds of a line that somebody waits for, in no order.
  [[nodiscard]] const std::vector<std::uint32_t>& waited_for(std::uint16_t waiting_queue) const {
    return waited_for_[waiting_queue];
  }
  // Jobs of a line have other places.
  void reorder(std::uint16_t waiting_queue, const JobTable& jobs);

  // Something was freed: what failed may fit.
  void forget_failures();
  void note_failure(std::uint32_t number, std::int64_t duration_s);
  [[nodiscard]] bool may_fit(std::uint32_t number, std::int64_t duration_s) const {
    return duration_s < kinds_[number].failed_s;
  }
  // Whether the shortest that waits may.
  [[nodiscard]] bool any_may_fit(std::uint32_t number) const {
    const auto& durations = kinds_[number].durations;
    return !durations.empty() && may_fit(number, durations.begin()->first);
  }
  // A kind that no job has any more makes room, if many have none.
  void release(std::uint32_t number);
  // What all kinds ask for is compiled and asked again: the machine is another.
  void prepare_again();
  // Those that fit no machine like this, as properties or layers of it may be others now. O(kinds)
  // matches.
  void recheck_refused();

  [[nodiscard]] bool nodes_alike() const { return nodes_alike_; }

 private:
  static constexpr std::size_t kUnusedMax = 1'000;  // kinds kept that no job has

  void prepare(JobKind& kind, const Request& request);

  struct Queue {
    std::string name;
    std::uint16_t waiting_queue;
    Constraint constraint;
  };

  Engine& engine_;
  std::vector<Queue> queues_;
  bool nodes_alike_ = false;
  std::vector<JobKind> kinds_;
  std::vector<Request> requests_;
  std::vector<std::uint32_t> free_, failed_, unused_;
  std::unordered_map<std::string, std::uint32_t> by_key_;
  std::vector<std::vector<std::uint32_t>> waited_for_;
};

}  // namespace copse::queue
