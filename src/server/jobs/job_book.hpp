// SPDX-License-Identifier: Apache-2.0
//
// JobBook: the jobs that a service knows, and what happened to them, as lines for its journal and for
// those who watch.
//
// Invariants
//   1. Rows are never changed in place: a state that is being written shares them.
//   2. All lines of take_lines(), applied in order to a book with the rows of an earlier state, make
//      this book.
//   3. Of jobs that ended, the last are kept, as Limits say. While one is kept, its id is in use.
//
// Cost: a change O(log jobs) and the length of its row; a state O(jobs) pointers now, and the text
// when it is written.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/jobs/job_event_log.hpp"
#include "server/jobs/job_quota.hpp"
#include "server/jobs/job_row.hpp"
#include "server/rights/user_names.hpp"

namespace copse::server {

// What an event has beside the members that it changed: JSON, or text.
struct BesideEvent {
  std::string r{};       // "R": JSON
  std::string layers{};  // what it draws from hierarchical resources
  std::string ranks{};   // given back
};

class JobBook {
 public:
  struct Limits {
    std::size_t ended = 10'000;
    std::size_t ended_bytes = std::size_t{64} << 20;  // of their texts
    JobQuota::Limits active{};
    JobEventLog::Limits events{};
  };
  using Rows = std::map<JobId, std::shared_ptr<const JobRow>>;

  explicit JobBook(Limits limits)
      : limits_(limits), quota_(limits.active), events_(limits.events) {}

  [[nodiscard]] const Rows& rows() const { return rows_; }
  [[nodiscard]] const JobRow* find(JobId id) const;
  [[nodiscard]] std::size_t active() const { return quota_.jobs(); }
  [[nodiscard]] JobId next_id() const { return next_id_; }
  [[nodiscard]] const JobEventLog& events() const { return events_; }

  // Whether there is a place for one more job. Errors: as JobQuota::admit.
  [[nodiscard]] Result<void> admit(const JobRow& row, bool operates) const {
    return quota_.admit(row, operates);
  }
  // A job that nobody knows yet. Sets its arrival.
  void add(JobRow row, std::int64_t now_s);
  // REQUIRES that it is there.
  void change(JobId id, std::string_view event, std::int64_t now_s,
              const std::function<void(JobRow&)>& how, const BesideEvent& beside = {});

  // Whether there are events that are in no record.
  [[nodiscard]] bool changed() const { return !lines_.empty(); }
  // Events since the last call, as lines; then they are in a record.
  [[nodiscard]] std::string take_lines();
  void kept_in(journal::Sequence record) { events_.kept_in(record); }

  // --- On disk. Errors: invalid, with the line. `user_of`: how users are called by now.
  [[nodiscard]] std::function<std::string()> saver() const;
  // Of saver(); what was in the book is gone.
  [[nodiscard]] Result<void> load(std::string_view lines, const UserOf& user_of = {});
  [[nodiscard]] Result<void> apply(std::string_view lines, journal::Sequence record,
                                   const UserOf& user_of = {});
  // Between the two: events that the state has already, for those who watch. What comes to no whole
  // row of them up to the state is forgotten by end_recall().
  void recall(std::string_view lines, journal::Sequence record);
  void end_recall();

 private:
  void put(JobRow row);
  void forget_ended(JobId id);
  void make_way(JobId id);
  void forget_old();

  Limits limits_;
  Rows rows_;
  std::deque<JobId> ended_;
  std::size_t ended_bytes_ = 0;
  JobQuota quota_;
  JobId next_id_ = 1;
  JobEventLog events_;
  std::optional<std::uint64_t> recalled_until_{};  // the next event of the state
  std::string lines_;
};

}  // namespace copse::server
