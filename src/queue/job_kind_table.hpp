// SPDX-License-Identifier: Apache-2.0
//
// JobKindTable: the different requests of the jobs of a queue. Jobs whose requests differ only in
// the duration are of one kind: it is compiled once, and a failure of one job holds for the others.
//
// Invariants
//   1. The jobs of a kind were submitted to one queue, and wait in `waiting_queue`. `waiting` has
//      those that wait without a promise, in the order of that queue.
//   2. `failed_s` is the shortest duration that did not fit since resources were last freed, so it
//      still would not fit. 0: no duration fits. INT64_MAX: none failed.
//
// Memory: a kind takes about 900 bytes and its request, a set of nodes that kinds share a bit per node;
// a waiting job 40 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "copse/engine.hpp"
#include "queue/counts/counted_request.hpp"
#include "queue/job_table.hpp"
#include "queue/limits/running_limits.hpp"

namespace copse::queue {

struct Waiter {
  QueuePosition position{};
  Slot slot = kNoSlot;
  std::int64_t duration_s = 0;
  bool operator<(const Waiter& other) const { return position < other.position; }
};
using Waiters = ChunkedSet<Waiter>;  // by position

// The same jobs in the order of the positions that they have now.
[[nodiscard]] Waiters reordered(const Waiters& waiters, const JobTable& jobs);

struct JobKind {
  std::string key{};
  std::uint16_t waiting_queue = 0;
  std::optional<PreparedRequest> request{};  // none: it can never be served, or requests nothing
  Error why_not{};
  std::optional<CountedRequest> counted{};  // none: numbers do not decide
  bool fixed = true;             // counts are not ranges: a failure holds for all longer durations
  bool charges = false;          // it charges layers, or may charge auxiliary subsystems
  bool windowed = false;         // a shortage in its window may be found without visiting a pool
  Constraint own_constraint{};   // of its jobs, without that of the queue
  double cores = -1;             // requested by one job (Priorities); -1: not computed yet
  RunningSize most{};            // that one job may get; computed with `cores`
  std::int64_t nodes_least = 0;  // requested by one job, whole or in part
  std::uint32_t jobs = 0;        // in the table
  Waiters waiting{};
  std::map<std::int64_t, std::uint32_t> durations{};  // of these, and the number of jobs with each
  std::int64_t failed_s = INT64_MAX;

  // A job that could not start before a time (FreedIntervals).
  struct NoEarlierStart {
    std::uint32_t round = UINT32_MAX;
    std::uint32_t times = 0;  // intervals freed before, in the round
    std::int64_t duration_s = 0, before_s = 0;
  };
  std::array<NoEarlierStart, 6> no_earlier_start{};
};

class JobKindTable {
 public:
  explicit JobKindTable(Engine& engine);

  // The same kinds for a clone of the other's engine. Cost: Engine::prepare per kind.
  JobKindTable(const JobKindTable& other, Engine& clone);

  // Queues are numbered from 0. The nodes of their jobs must meet the constraint, too.
  void add_queue(std::string name, std::uint16_t waiting_queue, Constraint constraint);
  [[nodiscard]] std::string_view queue_name(std::uint16_t queue) const {
    return queues_[queue].name;
  }

  [[nodiscard]] const Constraint& queue_constraint(std::uint16_t queue) const {
    return queues_[queue].constraint;
  }

  [[nodiscard]] JobKind& operator[](std::uint32_t number) { return kinds_[number]; }
  [[nodiscard]] const JobKind& operator[](std::uint32_t number) const { return kinds_[number]; }

  // The kind for a key in a queue. A new kind is compiled, and matched on the empty machine. Key
  // and queue together identify the kind. Cost: a hash; for a new kind Engine::prepare and a match.
  [[nodiscard]] std::uint32_t find(std::string_view key, std::uint16_t queue,
                                   const Request& request);
  // The request with this duration. REQUIRES that it fits the empty machine.
  [[nodiscard]] PreparedRequest& prepared(std::uint32_t number, std::int64_t duration_s);

  // With the constraint of its queue.
  [[nodiscard]] const Request& request(std::uint32_t number) const { return requests_[number]; }
  // The same, as if it were submitted to another queue.
  [[nodiscard]] Request request_in(std::uint32_t number, std::uint16_t queue) const;

  void insert(std::uint32_t number, const Waiter& waiter);
  void erase(std::uint32_t number, const QueuePosition& position);
  // Kinds with waiting jobs in a queue, unordered.
  [[nodiscard]] const std::vector<std::uint32_t>& waited_for(std::uint16_t waiting_queue) const {
    return waited_for_[waiting_queue];
  }
  // Positions of jobs in the queue have changed.
  void reorder(std::uint16_t waiting_queue, const JobTable& jobs);

  // Resources were freed: kinds that failed may fit.
  void forget_failures();
  void note_failure(std::uint32_t number, std::int64_t duration_s);
  [[nodiscard]] bool may_fit(std::uint32_t number, std::int64_t duration_s) const {
    return duration_s < kinds_[number].failed_s;
  }
  // Whether the shortest waiting duration may fit.
  [[nodiscard]] bool any_may_fit(std::uint32_t number) const {
    const auto& durations = kinds_[number].durations;
    return !durations.empty() && may_fit(number, durations.begin()->first);
  }
  // A kind without jobs is removed if there are many such kinds.
  void release(std::uint32_t number);
  // Compiles all kinds again, because the machine has changed.
  void prepare_again();
  // Reads again what counts decide, because properties or layers have changed. O(kinds · nodes).
  void count_again();
  // Checks the kinds that did not fit the empty machine again, because properties or layers have
  // changed. O(kinds) matches.
  void recheck_refused();

  [[nodiscard]] const CountedNodes& nodes() const { return *nodes_; }
  [[nodiscard]] const std::shared_ptr<const CountedNodes>& shared_nodes() const { return nodes_; }
  // Kinds are numbered below it.
  [[nodiscard]] std::uint32_t end() const { return static_cast<std::uint32_t>(kinds_.size()); }

 private:
  static constexpr std::size_t kUnusedMax = 1'000;  // kinds kept without a job
  static constexpr std::size_t kSetsMax = 64;       // sets of nodes that are found again

  void prepare(JobKind& kind, Request& request);
  void count(JobKind& kind, const Request& request);

  struct Queue {
    std::string name;
    std::uint16_t waiting_queue;
    Constraint constraint;
  };

  Engine& engine_;
  std::vector<Queue> queues_;
  std::shared_ptr<const CountedNodes> nodes_;         // of the machine; shared by clones
  std::vector<std::shared_ptr<const NodeSet>> sets_;  // that kinds share
  std::vector<JobKind> kinds_;
  std::vector<Request> requests_;
  std::vector<std::uint32_t> free_, failed_, unused_;
  std::unordered_map<std::string, std::uint32_t> by_key_;
  std::vector<std::vector<std::uint32_t>> waited_for_;
};

}  // namespace copse::queue
