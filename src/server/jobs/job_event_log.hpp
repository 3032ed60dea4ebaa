// SPDX-License-Identifier: Apache-2.0
//
// JobEventLog: the last events of a service, for those who watch. Events have numbers without a gap,
// from 0 on, which go on after a restart; who stopped watching goes on where it was.
//
// Nothing is kept for those who watch: each says which event it wants next. Who is slower than Limits
// allow has missed some, and is told so. An event is shown when the record that has it is on disk.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "journal/store.hpp"
#include "session/job_host.hpp"

namespace copse::server {

class JobEventLog {
 public:
  struct Limits {
    std::size_t events = 100'000;
    std::size_t bytes = std::size_t{16} << 20;
  };

  explicit JobEventLog(Limits limits) : limits_(limits) {}

  [[nodiscard]] std::uint64_t next() const { return oldest() + events_.size(); }
  [[nodiscard]] std::uint64_t oldest() const { return oldest_; }
  [[nodiscard]] std::size_t size() const { return events_.size(); }
  // Goes on at this number. REQUIRES that there are no events.
  void begin_at(std::uint64_t next) { oldest_ = next; }
  // The same; what there is goes.
  void restart_at(std::uint64_t next);

  // A line, with its end. It is not shown before kept_in().
  void add(JobId job, std::string line);
  // The events that were added since are in this record.
  void kept_in(journal::Sequence record);

  // Whose event it is. REQUIRES oldest() <= number < next().
  [[nodiscard]] JobId job(std::uint64_t number) const { return events_[number - oldest_].job; }
  // The record that has it; UINT64_MAX: none has it yet. REQUIRES the same.
  [[nodiscard]] journal::Sequence record(std::uint64_t number) const {
    return events_[number - oldest_].record;
  }
  // The last events of a job, the newest first. O(events).
  [[nodiscard]] std::vector<std::string_view> of(JobId job, std::size_t most) const;

  // Appends the events that a watcher wants, as far as records before `durable` have them, until
  // `out` has bytes_max bytes. False: the next one is no longer there; appends a line that says so.
  bool read(JobCaller::Watch& watch, journal::Sequence durable, std::size_t bytes_max,
            std::string& out) const;

 private:
  struct Event {
    JobId job;
    journal::Sequence record;
    std::string line;
  };

  Limits limits_;
  std::deque<Event> events_;
  std::uint64_t oldest_ = 0;
  std::size_t bytes_ = 0, loose_ = 0;  // loose: at the end, in no record yet
};

}  // namespace copse::server
