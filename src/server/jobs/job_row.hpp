// SPDX-License-Identifier: Apache-2.0
//
// JobRow: a job of a service, and its JSON in answers, events and the journal.
//
// An event has the members that it changed, with their new values: all events, applied in order,
// make the rows. A state has complete rows. Readers skip unknown members, so that later versions
// may add some; they also read "ran", the older name of "placement".
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
  std::string reservation{};             // in which it may start; "": none
  std::string shape{}, hres{};           // a shape, or a jobspec
  std::string constraints{}, jobspec{};  // JSON
  std::int64_t priority = 0;
  std::int64_t submitted = 0;       // seconds since 1970, as all times
  std::int64_t duration = 0;        // 0: no end
  std::int64_t lease = 0;           // seconds without renewal until the job is lost; 0: none
  std::int64_t planned = -1;        // promised start; -1: none, as in the following
  std::int64_t first_planned = -1;  // the first promise
  std::int64_t started = -1, ended = -1;
  std::int64_t arrival = 0;  // unique order of submission
  std::int64_t status = 0;   // reported by its executor
  // The sizes of a jobspec (queue::JobSize); 0 for a shape, which shows them.
  std::int64_t nnodes = 0, ncores = 0, ngpus = 0;
  // What its queue gave it: memory in the machine's unit, and whole nodes (RequestDefaults).
  std::int64_t memory_per_core = 0, memory_per_node = 0;
  bool whole_nodes = false;
  std::int64_t restarts = 0;  // how often it was submitted again
  bool held = false;
  bool operator_hold = false;  // held by an operator: only operators release it
  bool requeue = false;        // submitted again if it loses its nodes
  bool stopping = false;       // cancelled while running: its executor must stop it
  std::string result{};        // of an ended job: done, cancelled, denied, lost
  std::string message{};       // the reason of the result
  std::string placement{};     // of a job that ran and ended (JobPlacement), JSON
  bool operator==(const JobRow&) const = default;

  [[nodiscard]] bool waits() const {
    return stage == JobStage::pending || stage == JobStage::planned;
  }
};

[[nodiscard]] const char* word(JobStage stage);
// Errors: not_found, with the nearest word.
[[nodiscard]] Result<JobStage> parse_stage(std::string_view word);

// Writes the members of `after` that differ, without "job".
void write_changes(JsonWriter& json, const JobRow& before, const JobRow& after);

// The head of a line that is an event or a row: {"seq", "t", "event", "job", …}.
struct JobEventHead {
  std::uint64_t seq = 0;
  std::int64_t t = 0;
  std::string event{};  // "": a row
  JobId job = 0;
  std::string used_ids{};  // of a state (UsedIds::text)
};
// Reads a line, and stores the members of the job in the row that `row_of` returns for the head.
// Errors: invalid, with the column.
[[nodiscard]] Result<JobEventHead> read_event(
    std::string_view line, const std::function<JobRow&(const JobEventHead&)>& row_of);

}  // namespace copse::server
