// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the answer to `squeue --json` and to `flux jobs --json`: jobs, or one sentence with a
// place. What runs finds its pools on a small machine, each given once, or is refused.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "formats/flux/flux_jobs.hpp"
#include "formats/slurm/jobs/slurm_jobs.hpp"
#include "go_on.hpp"
#include "target.hpp"

using copse::fuzz::require;

namespace {

void check(const copse::Result<copse::ClusterJobs>& list) {
  if (!list) {
    require(!list.error().text.empty() && list.error().place.file == "fuzz");
    require(list.error().text.find('\n') == std::string::npos);
    return;
  }
  const auto graph = copse::fuzz::small_machine();
  copse::ClusterPools places(graph);
  for (const copse::ClusterJob& job : list->jobs) {
    require(!job.id.empty() && job.start_s >= 0 && job.end_s >= 0 && job.limit_s >= 0);
    if (!job.running) continue;
    const auto found = places.of(job);
    for (const std::string& sentence : found.missing) require(!sentence.empty());
    for (const copse::PoolId p : found.pools) require(p.v < graph.pool_count());
  }
}

}  // namespace

FUZZ_TARGET(cluster_jobs) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(copse::read_slurm_jobs(text, "fuzz"));
  check(copse::read_flux_jobs(text, "fuzz"));
  return 0;
}
