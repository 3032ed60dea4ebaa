// SPDX-License-Identifier: Apache-2.0
//
// Streams of jobs: JSON lines, and traces of the Parallel Workloads Archive.
//
// JSON lines: an object a line; blank lines are passed over.
//   "id"        a text or a number; left out: the number of the job in the stream, from 1
//   "submit"    seconds, a whole number, or a text as of base/duration.hpp; left out: that of the line before, at first 0
//   "duration"  what is asked for, likewise; left out: that of the jobspec, else "run"
//   "run"       what it takes, likewise; left out: the duration
//   "priority"  a whole number of 32 bits; left out: 0. Higher ones stand before lower ones
//   and what it asks for, one of
//     "nodes"           whole nodes
//     "cores"           cores, wherever they are; with "nodes": so many on each of these
//     "shape"           RFC 46
//     "jobspec"         RFC 14, as an object, or as text the name of a file of YAML or JSON
//   and with it
//     "hres"            hierarchical resources, as a text (request/hres.hpp)
//     "constraint"      RFC 31, as an object; what the jobspec says holds as well
//   and what a queue may look at
//     "queue", "user"   texts or numbers
//     "after"           ids of jobs of the stream that must have ended well before it starts
//     "dependency"      texts "afterok:ID", "afterany:ID", "afternotok:ID" or "after:ID" (its start)
//     "deadline"        seconds, as "submit": it is withdrawn then if it has not started
//   A line with "time" is an event (event_lines.hpp).
//
// Trace: the Standard Workload Format, version 2.2 (Feitelson, Tsafrir, Krakov, "Experience with
// using the Parallel Workloads Archive", 2014, and the archive's page): ';' begins a comment line;
// else 18 numbers, -1 for what is not known. Used are 1 the number, 2 the submit time, 4 the run
// time, 5 processors allocated, 8 processors and 9 time requested; if asked for, 12 the user, 15 the
// queue and 16 the partition: nodes must then have the property "partition" with that number. Jobs without a run time or
// processors (most of them cancelled before they ran) are passed over and counted, and so are the
// parts of jobs that were swapped out, by 11 the status: 2, 3 or 4.
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
  std::int64_t processors_per_node =
      0;  // of a trace: its jobs take whole nodes; 0: they take cores
  // Fields of a trace that are used.
  bool trace_user = false, trace_queue = false, trace_partition = false;
  // Where the clock of the engine ends. A job that cannot end before that, whenever it starts, is
  // an error of its line.
  std::int64_t clock_end_s = INT64_MAX;
  std::size_t jobs_max = kJobsMax;
  // One after the other, in one second: a queue goes through all that wait again and again.
  std::size_t jobs_of_second_max = 1'000'000;
  std::size_t line_bytes_max = 1U << 20;
  // Reads a file of a jobspec. Null: files are refused.
  std::function<Result<std::string>(const std::string& path)> read_file = nullptr;
  // The node of that name, if there is one. Null: events of nodes are refused.
  std::function<std::optional<PoolId>(std::string_view name)> find_node = nullptr;
  // What is said of a name that no node has. Null: no more than that.
  std::function<std::string(std::string_view name)> no_node = nullptr;
};

// The keys of a line of a job, and of an event.
[[nodiscard]] KnownKeys job_line_keys();
[[nodiscard]] KnownKeys event_line_keys();

// Counts the jobs of one second that a stream has one after the other.
class SecondCount {
 public:
  // Errors: limit (ReadOptions::jobs_of_second_max), without a place.
  [[nodiscard]] Result<void> add(std::int64_t submit_s, const ReadOptions& options);

 private:
  std::int64_t submit_s_ = -1;
  std::size_t jobs_ = 0;
};

// What is wrong with a job that ends too late.
[[nodiscard]] std::string beyond_clock(const Job& job, std::int64_t clock_end_s);

// Is it JSON lines, by the first character that is not blank?
[[nodiscard]] bool looks_like_job_lines(std::string_view text);

// Errors: invalid and limit with file and line; those of read_file.
[[nodiscard]] Result<Jobs> read_job_lines(std::string_view text, std::string_view file,
                                          const ReadOptions& options = {});
[[nodiscard]] Result<Jobs> read_swf(std::string_view text, std::string_view file,
                                    const ReadOptions& options = {});
// One or the other, as the text looks.
[[nodiscard]] Result<Jobs> read_jobs(std::string_view text, std::string_view file,
                                     const ReadOptions& options = {});

// The jobs as a trace: whole nodes count as processors, `cores` short forms as well. Its header says
// which, "; Processors are: nodes", and is read by read_swf() where no processors_per_node is given.
// `notes`: lines for its header that say where the jobs are from.
void append_swf(std::string& out, const Jobs& jobs, std::span<const std::string> notes = {});

}  // namespace copse::plan
