// SPDX-License-Identifier: Apache-2.0
//
// The jobs of --running: their resources, ids and times.
//
// A file has one of these forms:
//   * the resources of one job: R or JGF
//   * a stream of JSON objects, each on one or more lines. These keys are read, others are ignored:
//       "R"     the resources of a job
//       "id"    its id: a number, or a text in a form of RFC 19 (base/job_id.hpp)
//       "hres"  its hierarchical resources (formats/rv1/r_stream.hpp; R may have them, too)
//   * the list of a cluster's jobs (formats/cluster_jobs.hpp)
//   * an answer to resource.sched-status (formats/flux/sched_status.hpp): one job without end
// A directory means all its files, by name; "-" is standard input.
//
// A job without an "id" has the number at the end of its file's name ("job1234.json", "1234.R"), or that
// name as F58 ("ƒ2Xr.json"). Without either, or if another job has that id, it has the lowest free id,
// in the order of the files.
//
// With a clock, the job of an R lasts from its starttime to its expiration: an ended job has nothing, a
// job that has not begun is a reservation. Without a clock, each job begins now and lasts as long.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"

namespace copse {

struct RunningJob {
  std::string where;          // its file, and the line if there are several jobs
  std::optional<JobId> id{};  // none: to be chosen
  bool id_of_name = false;  // the id is from the file's name; a job with a given id goes before it
  std::vector<PoolId> pools{};
  std::vector<PoolAmount> amounts{};    // of divisible pools
  std::int64_t start_s = 0, end_s = 0;  // of its clock; an end of 0: no end
  std::int64_t seen_s = 0;  // a time at which it was running, maybe after its end; 0: unknown
  std::vector<HresShare> shares{};     // of hierarchical resources
  std::vector<std::string> missing{};  // a sentence for each resource that the machine lacks
};

// The id in the name of a file, if there is one.
[[nodiscard]] std::optional<JobId> job_id_of_name(std::string_view path);

// The contents of files of --running.
struct RunningFile {
  std::vector<RunningJob> jobs{};
  std::vector<PoolId> down{};          // of an answer to resource.sched-status
  std::vector<std::string> remarks{};  // sentences about information that is missing

  void add(RunningFile more);
};

// The jobs of a file, a directory or standard input. Errors: io; those of read_allocation; invalid (an
// id, a stream of something else).
[[nodiscard]] Result<RunningFile> read_running(const ResourceGraph& graph, const std::string& path);

}  // namespace copse
