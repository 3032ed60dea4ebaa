// SPDX-License-Identifier: Apache-2.0
//
// JobEventLog: the latest job events of a service. Their numbers start at 0, have no gaps and
// continue after a restart, so that a watcher can resume.
//
// Nothing is stored per watcher: each asks for its next event. A watcher that is slower than Limits
// allow misses events, and is notified. An event is shown when its record is on disk.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
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
  // Continues at this number. REQUIRES an empty log.
  void begin_at(std::uint64_t next) { oldest_ = next; }
  // Continues at this number; existing events are dropped.
  void restart_at(std::uint64_t next);

  // A line, with its newline. It is shown after set_record().
  void add(JobId job, std::string line);
  // The events added since the last call are in this record.
  void set_record(journal::Sequence record);

  // The job of an event. REQUIRES oldest() <= number < next().
  [[nodiscard]] JobId job(std::uint64_t number) const { return events_[number - oldest_].job; }
  // The record of an event; UINT64_MAX: none yet. REQUIRES the same.
  [[nodiscard]] journal::Sequence record(std::uint64_t number) const {
    return events_[number - oldest_].record;
  }
  // The latest events of a job, newest first, as numbers and lines. O(events).
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::string_view>> of(JobId job,
                                                                           std::size_t most) const;

  // What a watcher sees of an event.
  using VisibilityOf = std::function<Visibility(std::uint64_t number)>;
  // Appends the watcher's next events whose records are before `durable`, until `out` has bytes_max
  // bytes; hidden ones are left out. False: the next event was dropped; appends a line that says so.
  bool read(EventWatch& watch, journal::Sequence durable, std::size_t bytes_max,
            const VisibilityOf& visibility, std::string& out) const;

 private:
  struct Event {
    JobId job;
    journal::Sequence record;
    std::string line;
  };

  Limits limits_;
  std::deque<Event> events_;
  std::uint64_t oldest_ = 0;
  std::size_t bytes_ = 0, unrecorded_ = 0;  // unrecorded: the last ones, in no record yet
};

}  // namespace copse::server
