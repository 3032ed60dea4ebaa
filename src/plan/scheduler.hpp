// SPDX-License-Identifier: Apache-2.0
//
// Scheduler: what schedule() keeps while it runs.
//
// Invariants, between events
//   1. A job that waits has no grant (fcfs), none but the head's reservation (easy), or a
//      reservation that starts later (conservative). A job that runs has a grant until it ends.
//   2. freed_ says that since the last pass over the queue a grant was given back, a reservation
//      moved, or what is kept of a layer changed. While it is false, failed_ holds: of a request,
//      the least duration that did not match; nothing was given back, so it still would not.
#pragma once

#include <optional>
#include <queue>
#include <set>
#include <vector>

#include "plan/schedule.hpp"
#include "plan/start_chances.hpp"
#include "plan/waiting.hpp"

namespace copse::plan {

class Scheduler {
 public:
  Scheduler(Engine& engine, const Jobs& jobs, Discipline discipline, const Watch& watch);
  [[nodiscard]] Result<void> run();

 private:
  static constexpr std::uint32_t kOther = UINT32_MAX;  // a grant that was there before

  // --- Events
  [[nodiscard]] std::optional<std::int64_t> next_time() const;
  [[nodiscard]] std::optional<std::int64_t> next_layer_change() const;
  void end_jobs();
  void submit_jobs();
  void start_reserved();

  // --- One job
  [[nodiscard]] const Job& job_at(std::uint32_t rank) const { return jobs_.jobs[by_rank_[rank]]; }
  [[nodiscard]] JobId grant_of(std::uint32_t rank) const { return first_grant_ + rank; }
  // The request of the job, with its duration. REQUIRES that it is acceptable.
  [[nodiscard]] PreparedRequest* prepared(std::uint32_t rank);
  [[nodiscard]] bool acceptable(std::uint32_t rank);  // else it is refused
  void start(std::uint32_t rank);                     // REQUIRES that its grant runs
  void refuse(std::uint32_t rank, const Error& error);
  // Why a job will never start, whatever it waits for.
  [[nodiscard]] static Error never(const Error& error);
  void leave_queue(std::uint32_t rank);

  // --- First come first served, and EASY
  void pass_fcfs();
  void pass_easy();
  [[nodiscard]] bool settle_head();
  void hasten_head();
  void backfill_all();
  struct Candidate {
    std::uint32_t rank, request;
    std::size_t place;  // in the list of its request
  };
  void backfill(std::uint32_t rank);
  [[nodiscard]] bool try_now(std::uint32_t rank, PreparedRequest& request);
  void forget_failures();

  // --- Conservative backfill
  void reserve(std::uint32_t rank);
  void compress();
  void hasten(std::uint32_t rank);

  Engine& engine_;
  const Jobs& jobs_;
  const Discipline discipline_;
  const Watch& watch_;

  std::vector<std::uint32_t> submits_;  // ranks, in the order of submission
  std::size_t next_submit_ = 0;
  std::vector<std::uint32_t> by_rank_;  // job
  JobId first_grant_ = 1;
  Waiting waiting_;

  struct End {
    std::int64_t time_s;
    std::uint64_t order;
    std::uint32_t rank;
    bool operator>(const End& other) const {
      return time_s != other.time_s ? time_s > other.time_s : order > other.order;
    }
  };
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::uint64_t ends_made_ = 0;
  std::size_t running_ = 0;
  std::set<std::pair<std::int64_t, std::uint32_t>> reserved_;  // (start, rank) of reservations

  struct Prepared {
    bool asked = false;
    std::optional<PreparedRequest> request;
    Error why_not{};
  };
  std::vector<Prepared> prepared_;  // by request

  bool freed_ = false;
  std::vector<std::int64_t> failed_;        // by request; INT64_MAX: nothing failed
  std::vector<std::uint32_t> failures_;     // requests whose entry is not INT64_MAX
  std::vector<std::uint32_t> fresh_;        // ranks submitted at this event
  std::vector<Candidate> candidates_;       // scratch of backfill_all
  std::uint32_t head_ = RankSet::kNone;     // easy: the job that has the reservation
  std::uint32_t blocked_ = RankSet::kNone;  // fcfs: the head, which did not match
  std::optional<StartChances> chances_;     // conservative
};

}  // namespace copse::plan
