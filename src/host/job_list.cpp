// SPDX-License-Identifier: Apache-2.0
#include "host/job_list.hpp"

#include <algorithm>
#include <cassert>

#include "formats/flux/flux_jobs.hpp"
#include "formats/slurm/jobs/slurm_accounting_json.hpp"
#include "formats/slurm/jobs/slurm_jobs.hpp"

namespace copse {

Result<void> check_jobs_text(TextFormat format, const std::string& file) {
  const std::string_view why = why_not_read(format);
  if (why.empty()) return {};
  return fail(ErrorCode::invalid, std::string(why), {file, 1});
}

Result<ClusterJobs> read_job_list(TextFormat format, std::string_view text, std::string_view file) {
  assert(is_job_list(format));
  if (auto ok = check_jobs_text(format, std::string(file)); !ok) return std::unexpected(ok.error());
  auto list = format == TextFormat::slurm_jobs              ? read_slurm_jobs(text, file)
              : format == TextFormat::slurm_accounting_json ? read_slurm_accounting_json(text, file)
                                                            : read_flux_jobs(text, file);
  if (list && list->taken_s == 0) {
    for (const ClusterJob& job : list->jobs) {
      list->taken_s = std::max({list->taken_s, job.submit_s, job.running ? job.start_s : 0});
    }
  }
  return list;
}

}  // namespace copse
