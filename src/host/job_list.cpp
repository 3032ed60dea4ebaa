// SPDX-License-Identifier: Apache-2.0
#include "host/job_list.hpp"

#include <algorithm>

#include "base/nearest_word.hpp"
#include "formats/flux/flux_jobs.hpp"
#include "formats/slurm/slurm_jobs.hpp"

namespace copse {

bool looks_like_job_list(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == head.npos || head[first] != '{') return false;
  const std::size_t jobs = head.find("\"jobs\"");
  return jobs != head.npos && head.find("\"R_lite\"") >= jobs && head.find("\"graph\"") >= jobs;
}

bool looks_like_job_table(std::string_view text) {
  constexpr std::string_view kHeading = "JOBID";
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return false;
  text.remove_prefix(first);
  return text.size() > kHeading.size() && same_word(text.substr(0, kHeading.size()), kHeading) &&
         text[kHeading.size()] == ' ';
}

std::unexpected<Error> refuse_job_table(const std::string& file) {
  return fail(ErrorCode::invalid,
              "this is a table for people: give the output of squeue --json, flux jobs --json "
              "or sacct -P",
              {file, 1});
}

Result<ClusterJobs> read_job_list(std::string_view text, std::string_view file) {
  if (text.substr(0, 4096).contains("\"subtime\"")) {
    return fail(
        ErrorCode::invalid,
        "this is a workload of Batsim: docs/from/batsim.md says how to make job lines of it",
        {std::string(file), 1});
  }
  const bool slurm = text.find("\"job_id\"") != text.npos;
  auto list = slurm ? read_slurm_jobs(text, file) : read_flux_jobs(text, file);
  if (list && list->taken_s == 0) {
    for (const ClusterJob& job : list->jobs) {
      list->taken_s = std::max({list->taken_s, job.submit_s, job.running ? job.start_s : 0});
    }
  }
  return list;
}

}  // namespace copse
