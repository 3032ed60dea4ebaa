// SPDX-License-Identifier: Apache-2.0
//
// Streams of jobs: JSON lines, and traces of the Parallel Workloads Archive.
//
// JSON lines: one object per line; blank lines are skipped.
//   "id"        a text or a number; default: the number of the job in the stream, from 1
//   "submit"    seconds, a whole number, or a text (base/duration.hpp); default: that of the line
//               before, first 0
//   "duration"  the requested time, likewise; default: that of the jobspec, else "run"
//   "run"       the run time, likewise; default: the duration
//   "priority"  a whole number of 32 bits; default: 0. Higher ones are before lower ones
//   and the request, one of
//     "nodes"           whole nodes
//     "cores"           cores on any nodes; with "nodes": that many on each of these
//     "shape"           RFC 46
//     "jobspec"         RFC 14, as an object, or as text the name of a file of YAML or JSON
//   and with it
//     "hres"            hierarchical resources, as a text (request/hres.hpp)
//     "constraint"      RFC 31, as an object, in addition to that of the jobspec
//   and attributes for the queue
//     "queue", "user"   texts or numbers
//     "after"           ids of jobs of the stream that must have ended well before it starts
//     "dependency"      texts "afterok:ID", "afterany:ID", "afternotok:ID" or "after:ID" (its start)
//     "deadline"        seconds, as "submit": it is withdrawn then if it has not started
//   A line with "time" is an event (event_lines.hpp).
//
// Trace: the Standard Workload Format, version 2.2 (Feitelson, Tsafrir, Krakov, "Experience with
// using the Parallel Workloads Archive", 2014, and the archive's page). A line that begins with ';'
// is a comment; other lines have 18 numbers, -1 for unknown ones. Fields that are used: 1 the
// number, 2 the submit time, 4 the run time, 5 processors allocated, 8 processors and 9 time
// requested. On request: 10 the memory of a processor (of jobs of cores), 12 the user, 15 the queue and 16
// the partition; nodes must then have the property "partition" with that number; 17 the preceding
// job and 18 the think time after it (swf/preceding_jobs.hpp). Jobs without a run time or processors
// (most were cancelled before they ran) are skipped and counted. So are the parts of jobs that were
// swapped out, by 11 the status: 2, 3 or 4.
//
// Every error has the place of its line. Cost: O(length of the text).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/known_key.hpp"
#include "plan/job.hpp"

namespace copse::plan {

struct ReadOptions {
  std::int64_t processors_per_node = 0;  // of a trace with jobs of whole nodes; 0: jobs of cores
  // Fields of a trace to be used.
  bool trace_user = false, trace_queue = false, trace_partition = false, trace_memory = false,
       trace_think_time = false;
  bool memory_in_mb = false;  // the machine has divisible memory in MB
  // Of the machine, to be compared with that of a trace; 0: unknown.
  std::int64_t machine_nodes = 0, machine_cores = 0;
  // The end of the engine's clock. A job that cannot end before it, even if it starts at its
  // submission, is an error of its line.
  std::int64_t clock_end_s = INT64_MAX;
  std::size_t jobs_max = kJobsMax;
  // Of consecutive jobs with the same submit time: a queue examines all waiting jobs repeatedly.
  std::size_t jobs_of_second_max = 1'000'000;
  std::size_t line_bytes_max = 1U << 20;
  // Reads the file of a jobspec. Null: files are refused.
  std::function<Result<std::string>(const std::string& path)> read_file = nullptr;
  // The node of that name, if it exists. Null: events of nodes are refused.
  std::function<std::optional<PoolId>(std::string_view name)> find_node = nullptr;
  // The message for an unknown node. Null: a general one.
  std::function<std::string(std::string_view name)> no_node = nullptr;
};

// The known keys of a job's line, and of an event's.
[[nodiscard]] KnownKeys job_line_keys();
[[nodiscard]] KnownKeys event_line_keys();

// Counts consecutive jobs with the same submit time.
class SecondCount {
 public:
  // Errors: limit (ReadOptions::jobs_of_second_max), without a place.
  [[nodiscard]] Result<void> add(std::int64_t submit_s, const ReadOptions& options);

 private:
  std::int64_t submit_s_ = -1;
  std::size_t jobs_ = 0;
};

// The message for a job that ends too late.
[[nodiscard]] std::string beyond_clock(const Job& job, std::int64_t clock_end_s);

// Whether the text is JSON lines, by its first character that is not blank.
[[nodiscard]] bool looks_like_job_lines(std::string_view text);

// Errors: invalid and limit with file and line; those of read_file.
[[nodiscard]] Result<Jobs> read_job_lines(std::string_view text, std::string_view file,
                                          const ReadOptions& options = {});
[[nodiscard]] Result<Jobs> read_swf(std::string_view text, std::string_view file,
                                    const ReadOptions& options = {});
// Either format, as detected.
[[nodiscard]] Result<Jobs> read_jobs(std::string_view text, std::string_view file,
                                     const ReadOptions& options = {});

// Writes the jobs as a trace: whole nodes count as processors, `cores` short forms as well. Its
// header says which, "; Processors are: nodes"; read_swf() uses it if no processors_per_node is
// set. `notes`: lines for its header, for instance the origin of the jobs.
void append_swf(std::string& out, const Jobs& jobs, std::span<const std::string> notes = {});

}  // namespace copse::plan
