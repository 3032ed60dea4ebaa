// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the answer to `sacct -P`: jobs whose times agree, or one sentence with a line. What is
// accepted is a stream for a small machine.
#include <cstdint>
#include <string_view>

#include "formats/slurm/jobs/slurm_accounting.hpp"
#include "go_on.hpp"
#include "plan/streams/cluster_stream.hpp"
#include "target.hpp"

using copse::fuzz::require;

FUZZ_TARGET(accounting) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto list = copse::read_slurm_accounting(text, "fuzz");
  if (!list) {
    require(!list.error().text.empty() && list.error().place.file == "fuzz");
    require(list.error().place.line > 0 && list.error().text.find('\n') == std::string::npos);
    return 0;
  }
  for (const copse::ClusterJob& job : list->jobs) {
    require(!job.id.empty() && job.submit_s > 0 && job.limit_s >= 0);
    require(!job.over || job.start_s == 0 ||
            (job.submit_s <= job.start_s && job.start_s <= job.end_s));
  }
  const auto graph = copse::fuzz::small_machine();
  const auto jobs = copse::plan::past_jobs(*list, graph);
  if (!jobs) return 0;
  std::int64_t last_s = 0;
  for (const copse::plan::Job& job : jobs->jobs) {
    require(job.submit_s >= last_s && job.run_s >= 1 && job.duration_s >= 1);
    last_s = job.submit_s;
  }
  return 0;
}
