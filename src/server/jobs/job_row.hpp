// SPDX-License-Identifier: Apache-2.0
//
// JobRow: what a service knows of a job, and the JSON that it is in answers, events and on disk.
//
// On disk is what a job is, not what was asked for: an event has the members that it changed, with
// their values after it. Who applies all events in order has the rows. A state has rows whole. Members
// that a reader does not know are passed over, so that later versions may have more.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "copse/ids.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

// Words: "pending", "planned", "running", "ended".
enum class JobStage : std::uint8_t { pending, planned, running, ended };

struct JobRow {
  JobId id = 0;
  JobStage stage = JobStage::pending;
  std::string name{}, user{}, queue{};
  std::string reservation{};             // that it waits for, or runs in; "": none
  std::string shape{}, hres{};           // what it asks for: a shape, or a jobspec
  std::string constraints{}, jobspec{};  // JSON
  std::int64_t priority = 0;
  std::int64_t submitted = 0;       // seconds since 1970, as all times
  std::int64_t duration = 0;        // 0: without end
  std::int64_t lease = 0;           // seconds after which a silent executor is dead; 0: never
  std::int64_t planned = -1;        // the promised start; -1: none, as of the others
  std::int64_t first_planned = -1;  // the first that it was promised
  std::int64_t started = -1, ended = -1;
  std::int64_t arrival = 0;  // its place among those that were submitted; unique
  std::int64_t status = 0;   // that its executor reported
  bool held = false;
  bool stopping = false;  // somebody wants it to end: its executor is to stop it
  std::string result{};   // of one that ended: done, cancelled, denied, lost
  std::string message{};  // why, if there is something to say
  std::string ran{};      // of one that ran and ended: where (JobStay), JSON
  bool operator==(const JobRow&) const = default;
};

[[nodiscard]] const char* word(JobStage stage);
// Errors: not_found, with the nearest word.
[[nodiscard]] Result<JobStage> find_stage(std::string_view word);

// The members of `after` that differ, without "job".
void write_difference(JsonWriter& json, const JobRow& before, const JobRow& after);

// A line that is an event or a row: {"seq", "t", "event", "job", …}.
struct JobEventHead {
  std::uint64_t seq = 0;
  std::int64_t t = 0;
  std::string event{};  // "": a row
  JobId job = 0;
};
// Reads the line, and puts the members of the job into the row that `row_of` returns for its head.
// Errors: invalid, with the column.
[[nodiscard]] Result<JobEventHead> read_event(
    std::string_view line, const std::function<JobRow&(const JobEventHead&)>& row_of);

}  // namespace copse::server
