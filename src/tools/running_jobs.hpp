// SPDX-License-Identifier: Apache-2.0
//
// The jobs of --running: what they have, under which ids, and until when.
//
// A file is one job's resources (R or JGF), or a stream of JSON objects, each a line or more, with
//   "R"   the resources of a job
//   "id"  its id: a number, or a text in a form of RFC 19 (base/job_id.hpp)
//   "hres"  what it has of hierarchical resources (formats/rv1/r_stream.hpp; R may say so as well)
// and anything else, or the list of a cluster's jobs (formats/cluster_jobs.hpp), or an answer to
// resource.sched-status, whose jobs are one without end (formats/flux/sched_status.hpp). A directory stands
// for the files in it, by name; "-" is standard input.
//
// Without an "id" a job has the number at the end of its file's name ("job1234.json", "1234.R"),
// or that name itself as F58 ("ƒ2Xr.json"); what has neither, or finds it taken, has the lowest id
// that is free, in the order of the files.
//
// With a clock, an R has its job from its starttime to its expiration: what is over holds nothing,
// what has not begun is a reservation. Without one, each job begins now and lasts as long.
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
  std::optional<JobId> id{};  // as it says; none: to be chosen
  bool id_of_name = false;    // by the name of its file: another may have it
  std::vector<PoolId> pools{};
  std::int64_t start_s = 0, end_s = 0;  // of its clock; an end of 0: none
  std::int64_t seen_s = 0;          // when it was seen to run; 0: not known. Its end may be before
  std::vector<HresShare> shares{};  // of hierarchical resources
  std::vector<std::string> missing{};  // a sentence for each thing that the machine has not
};

// The id that the name of a file says; nothing: none.
[[nodiscard]] std::optional<JobId> job_id_of_name(std::string_view path);

// What files of --running say.
struct RunningFile {
  std::vector<RunningJob> jobs{};
  std::vector<PoolId> down{};          // of an answer to resource.sched-status
  std::vector<std::string> remarks{};  // sentences: what it does not say

  void add(RunningFile more);
};

// The jobs of a file, a directory or standard input. Errors: io; those of read_allocation; invalid (an
// id, a stream of something else).
[[nodiscard]] Result<RunningFile> read_running(const ResourceGraph& graph, const std::string& path);

}  // namespace copse
