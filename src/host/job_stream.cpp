// SPDX-License-Identifier: Apache-2.0
#include "host/job_stream.hpp"

#include <algorithm>

#include "formats/flux/flux_jobs.hpp"
#include "formats/slurm/jobs/slurm_accounting.hpp"
#include "host/clock/real_clock.hpp"
#include "host/job_list.hpp"
#include "plan/streams/default_requests.hpp"
#include "plan/streams/event_lines.hpp"

namespace copse {

namespace {

// The jobs that wait; or, if none waits or runs, or `from` says so, all past jobs.
Result<plan::Jobs> read_cluster_stream(std::string_view text, const std::string& file,
                                       const ResourceGraph& graph, const std::string& from,
                                       const plan::ClusterStreamOptions& how) {
  if (from.empty()) {
    const TextFormat format = text_format(text);
    const auto list = read_job_list(format, text, file);
    if (!list) return std::unexpected(list.error());
    if (!list->jobs.empty() || format == TextFormat::slurm_jobs) {
      return plan::waiting_jobs(*list, graph, how);
    }
  }
  const auto past = read_flux_history(text, file);
  if (!past) return std::unexpected(past.error());
  return plan::past_jobs(*past, graph, how);
}

// A stream of JSON lines: further files are appended to its text.
Result<plan::Jobs> read_with_more(std::string text, const std::string& file,
                                  const std::vector<MoreLines>& more,
                                  const plan::ReadOptions& how) {
  struct From {
    std::string file;
    std::uint32_t before;  // lines of the files before it
  };
  std::vector<From> from{{file, 0}};
  for (const MoreLines& each : more) {
    text += '\n';
    from.push_back({each.file, static_cast<std::uint32_t>(std::ranges::count(text, '\n'))});
    text += each.text;
  }
  auto jobs = plan::read_jobs(text, file, how);
  if (jobs || jobs.error().place.file != file) return jobs;
  Error error = jobs.error();
  const auto of = std::ranges::find_if(from.rbegin(), from.rend(), [&](const From& each) {
    return each.before == 0 || error.place.line > each.before;
  });
  error.place.file = of->file;
  if (error.place.line > 0) error.place.line -= of->before;
  return std::unexpected(std::move(error));
}

}  // namespace

Result<void> add_events(plan::Jobs& jobs, const std::vector<MoreLines>& more,
                        const plan::ReadOptions& how) {
  if (more.empty()) return {};
  std::string text;
  for (const MoreLines& each : more) text += each.text + '\n';
  const auto first = static_cast<std::uint32_t>(std::ranges::count(more.front().text, '\n') + 1);
  const std::string file = more.front().file;
  auto ok = plan::read_events(text, file, how, jobs);
  if (ok || more.size() == 1 || ok.error().place.line <= first) return ok;
  Error error = ok.error();
  error.place.file = more.back().file;
  error.place.line -= first;
  return std::unexpected(std::move(error));
}

Result<plan::Jobs> read_job_stream(std::string text, const std::string& file,
                                   const ResourceGraph& graph, const std::vector<MoreLines>& more,
                                   const JobStreamOptions& how) {
  const TextFormat format = text_format(text);
  if (auto ok = check_jobs_text(format, file); !ok) return std::unexpected(ok.error());
  if (is_machine(format)) {
    return fail(ErrorCode::invalid, "this is a machine, not jobs: give the file to -L", {file});
  }
  plan::ClusterStreamOptions cluster = how.cluster;
  cluster.clock_end_s = how.lines.clock_end_s;
  const auto with_events = [&](Result<plan::Jobs> jobs) -> Result<plan::Jobs> {
    if (!jobs) return jobs;
    if (auto ok = add_events(*jobs, more, how.lines); !ok) return std::unexpected(ok.error());
    return jobs;
  };
  if ((how.from == "sacct" || how.from.empty()) && format == TextFormat::slurm_accounting_json) {
    const auto list = read_job_list(format, text, file);
    if (!list) return std::unexpected(list.error());
    return with_events(plan::past_jobs(*list, graph, cluster));
  }
  if (how.from == "sacct" || (how.from.empty() && format == TextFormat::slurm_accounting)) {
    const auto list = read_slurm_accounting(text, file);
    if (!list) return std::unexpected(list.error());
    auto jobs = plan::past_jobs(*list, graph, cluster);
    if (jobs && jobs->zero_s) jobs->zero_s = utc_of_local_time(*jobs->zero_s);  // it has no zones
    return with_events(std::move(jobs));
  }
  if (how.from == "flux" || (how.from.empty() && is_job_list(format))) {
    return with_events(read_cluster_stream(text, file, graph, how.from, cluster));
  }
  const auto with_defaults = [&](Result<plan::Jobs> jobs) -> Result<plan::Jobs> {
    if (!jobs) return jobs;
    const queue::QueueDefaults defaults(cluster.defaults, graph);
    if (auto ok = plan::add_queue_defaults(*jobs, defaults); !ok) return in_file(ok.error(), file);
    if (auto remark = defaults.remark(); !remark.empty())
      jobs->remarks.push_back(std::move(remark));
    return jobs;
  };
  if (how.from == "swf") return with_defaults(with_events(plan::read_swf(text, file, how.lines)));
  // After a trace, JSON lines are events.
  const bool json = plan::looks_like_job_lines(text);
  std::vector<MoreLines> lines, events;
  for (const MoreLines& each : more) {
    const bool jobs = each.jobs && (json || !plan::looks_like_job_lines(each.text));
    (jobs ? lines : events).push_back(each);
  }
  auto jobs = read_with_more(std::move(text), file, lines, how.lines);
  if (!jobs) return jobs;
  if (auto ok = add_events(*jobs, events, how.lines); !ok) return std::unexpected(ok.error());
  return with_defaults(std::move(jobs));
}

}  // namespace copse
