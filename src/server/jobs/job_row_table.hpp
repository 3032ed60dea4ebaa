// SPDX-License-Identifier: Apache-2.0
//
// JobRowTable: the jobs of a service and their events, as lines for the journal and for watchers.
//
// Invariants
//   1. Rows are not changed in place: a state that is being written shares them.
//   2. The lines of take_lines(), applied in order to a table with the rows of an earlier state, make
//      this table.
//   3. The last ended jobs are kept, as Limits allow. The id of a kept job cannot be reused.
//
// Cost: a change O(log jobs) and the length of its row; a state O(jobs) pointers now, and its text
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

#include "server/grants/used_ids.hpp"
#include "server/jobs/job_event_log.hpp"
#include "server/jobs/job_quota.hpp"
#include "server/jobs/job_row.hpp"
#include "server/rights/user_names.hpp"

namespace copse::server {

// Members of an event other than changed members of the row.
struct EventExtras {
  std::string r{};            // "R": JSON
  std::string layers{};       // charges to hierarchical resources
  std::string ranks{};        // released
  std::int64_t restarts = 0;  // of the run that starts; 0: it is not written
};

class JobRowTable {
 public:
  struct Limits {
    std::size_t ended = 10'000;
    std::size_t ended_bytes = std::size_t{64} << 20;  // of their texts
    JobQuota::Limits active{};
    JobEventLog::Limits events{};
  };
  using Rows = std::map<JobId, std::shared_ptr<const JobRow>>;

  explicit JobRowTable(Limits limits)
      : limits_(limits), quota_(limits.active), events_(limits.events) {}

  [[nodiscard]] const Rows& rows() const { return rows_; }
  [[nodiscard]] const JobRow* find(JobId id) const;
  [[nodiscard]] std::size_t active() const { return quota_.jobs(); }
  // An id that no job and no grant has had.
  [[nodiscard]] JobId next_id() const { return used_ids_.next(); }
  // The same. Errors: limit (all are used).
  [[nodiscard]] Result<JobId> new_id() const;
  // Whether a new job or grant may have this id. Errors: invalid (not below kIdEnd); exists (a job
  // has it; recently ended jobs are kept: a client that asks for one must not get another).
  [[nodiscard]] Result<void> check_new_id(JobId id) const;
  // A grant has this id.
  void add_used_id(JobId id) { used_ids_.add(id); }
  // The user of an event's job; "": unknown, as for a job that is no longer kept. A later job with
  // the same id has later events only. REQUIRES that the event is kept.
  [[nodiscard]] std::string_view user_of_event(std::uint64_t number) const;
  [[nodiscard]] const JobEventLog& events() const { return events_; }

  // Whether one more job is allowed. Errors: as JobQuota::admit.
  [[nodiscard]] Result<void> admit(const JobRow& row, bool is_operator) const {
    return quota_.admit(row, is_operator);
  }
  // Adds a new job, and sets its arrival.
  void add(JobRow row, std::int64_t now_s);
  // REQUIRES that the job exists.
  void change(JobId id, std::string_view event, std::int64_t now_s,
              const std::function<void(JobRow&)>& how, const EventExtras& extras = {});

  // Changes stored rows without events, before any client watches. REQUIRES that ids, stages and
  // texts stay.
  void correct_rows(const std::function<void(JobRow&)>& how);

  // Whether there are events in no record yet.
  [[nodiscard]] bool changed() const { return !lines_.empty(); }
  // The events since the last call, as lines for the next record.
  [[nodiscard]] std::string take_lines();
  void set_record(journal::Sequence record) { events_.set_record(record); }

  // --- On disk. Errors: invalid, with the line. `user_of`: today's user names.
  [[nodiscard]] std::function<std::string()> saver() const;
  // Replaces the content by a state of saver().
  [[nodiscard]] Result<void> load(std::string_view lines, const UserOf& user_of = {});
  [[nodiscard]] Result<void> apply(std::string_view lines, journal::Sequence record,
                                   const UserOf& user_of = {});
  // After load() and before apply(): events that the state already includes, for watchers.
  // finish_earlier_events() drops them if they do not reach the state without a gap.
  void add_earlier_events(std::string_view lines, journal::Sequence record);
  void finish_earlier_events();

 private:
  void put(JobRow row);
  void erase_ended(JobId id);
  void erase_ended_id(JobId id);
  void trim_ended();

  Limits limits_;
  Rows rows_;
  std::deque<JobId> ended_;
  std::size_t ended_bytes_ = 0;
  JobQuota quota_;
  UsedIds used_ids_{};
  JobEventLog events_;
  std::optional<std::uint64_t> state_next_event_{};  // number of the next event as of the state
  std::string lines_;
};

}  // namespace copse::server
