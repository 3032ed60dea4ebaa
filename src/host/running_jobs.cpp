// SPDX-License-Identifier: Apache-2.0
#include "host/running_jobs.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "base/job_id.hpp"
#include "files/read_file.hpp"
#include "formats/allocation_file.hpp"
#include "formats/flux/sched_status.hpp"
#include "formats/rv1/r_stream.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "host/job_list.hpp"
#include "request/hres.hpp"
#include "text/counted.hpp"

namespace copse {

namespace {

// `hres`: hierarchical resources given outside the R; if empty, the R may have them.
Result<RunningJob> read_one(const ResourceGraph& graph, std::string_view text, std::string where,
                            std::string hres = {}) {
  auto taken = read_allocation(graph, text, where);
  if (!taken) return in_file(taken.error(), where);
  if (hres.empty()) {
    auto in_r = hres_of_r(text, where);
    if (!in_r) return std::unexpected(in_r.error());
    hres = std::move(*in_r);
  }
  RunningJob job{.where = std::move(where),
                 .pools = std::move(taken->taken.pools),
                 .amounts = std::move(taken->taken.amounts),
                 .start_s = taken->times.start_s,
                 .end_s = taken->times.end_s,
                 .missing = std::move(taken->missing)};
  if (hres.empty()) return job;
  auto shares = parse_hres_shares(hres);
  if (!shares) {
    return fail(shares.error().code, fmt::format("\"hres\": {}", shares.error().text), {job.where});
  }
  job.shares = std::move(*shares);
  return job;
}

Result<std::vector<RunningJob>> read_stream(const ResourceGraph& graph, std::string_view text,
                                            const std::string& name) {
  const auto entries = read_r_stream(text, name);
  if (!entries) return std::unexpected(entries.error());
  std::vector<RunningJob> out;
  for (const RStreamEntry& entry : *entries) {
    auto job = read_one(graph, entry.r, fmt::format("{}:{}", name, entry.line), entry.hres);
    if (!job) return std::unexpected(job.error());
    job->id = entry.id;
    out.push_back(std::move(*job));
  }
  return out;
}

// The running jobs of a cluster's list. They were running when the list was made.
Result<RunningFile> read_list(const ResourceGraph& graph, TextFormat format, std::string_view text,
                              const std::string& name) {
  const auto list = read_job_list(format, text, name);
  if (!list) return std::unexpected(list.error());
  ClusterPools places(graph);
  RunningFile out;
  std::size_t gpus_unknown = 0;
  for (const ClusterJob& job : list->jobs) {
    if (!job.running || job.nodes.empty()) continue;
    ClusterPools::Found found = places.of(job);
    if (found.gpus_unknown) ++gpus_unknown;
    RunningJob& made = out.jobs.emplace_back(RunningJob{.where = name,
                                                        .id = parse_job_id(job.id),
                                                        .pools = std::move(found.pools),
                                                        .amounts = std::move(found.amounts),
                                                        .start_s = job.start_s,
                                                        .end_s = job.end_s,
                                                        .seen_s = list->taken_s,
                                                        .missing = std::move(found.missing)});
    if (job.licenses.empty()) continue;
    if (auto shares = parse_hres_shares(job.licenses)) {
      made.shares = std::move(*shares);
    } else {
      made.missing.push_back("licenses: " + shares.error().text);
    }
  }
  for (const std::string& remark : list->remarks_of_running) {
    out.remarks.push_back(fmt::format("{}: {}", name, remark));
  }
  if (gpus_unknown > 0) {
    out.remarks.push_back(fmt::format(
        "{}: {} nodes with gpus, and the list does not say which of these are in use: they count "
        "as free",
        name, counted(gpus_unknown, "job runs on", "jobs run on")));
  }
  return out;
}

// One job has everything that is allocated: the answer does not name jobs.
Result<RunningFile> read_status(const ResourceGraph& graph, std::string_view text,
                                const std::string& name) {
  const auto status = read_sched_status(text, name);
  if (!status) return std::unexpected(status.error());
  RunningFile out;
  RunningJob job{.where = name};
  auto pools = pools_of_r(graph, status->allocated, &job.missing);
  if (!pools) return in_file(pools.error(), name);
  job.pools = std::move(*pools);
  auto down = pools_of_r(graph, status->down, &job.missing);
  if (!down) return in_file(down.error(), name);
  out.down = std::move(*down);
  if (!job.pools.empty() || !job.missing.empty()) out.jobs.push_back(std::move(job));
  return out;
}

Result<RunningFile> only_jobs(Result<std::vector<RunningJob>> jobs) {
  if (!jobs) return std::unexpected(jobs.error());
  return RunningFile{.jobs = std::move(*jobs)};
}

Result<RunningFile> read_running_file(const ResourceGraph& graph, const std::string& path) {
  const auto text = read_input(path);
  if (!text) return std::unexpected(text.error());
  const std::string name = input_name(path);
  const TextFormat format = text_format(*text);
  if (auto ok = check_jobs_text(format, name); !ok) return std::unexpected(ok.error());
  if (format == TextFormat::slurm_nodes || format == TextFormat::slurm_conf) {
    return fail(ErrorCode::invalid, "these are nodes, not jobs: give the file to -L", {name});
  }
  if (format == TextFormat::slurm_accounting) {
    return fail(ErrorCode::invalid,
                "sacct does not say which cores its jobs have: give squeue --json", {name});
  }
  if (format == TextFormat::sched_status) return read_status(graph, *text, name);
  if (is_job_list(format)) return read_list(graph, format, *text, name);
  if (format == TextFormat::r_stream) return only_jobs(read_stream(graph, *text, name));
  auto job = read_one(graph, *text, name);
  if (!job) return std::unexpected(job.error());
  job->id = job_id_of_name(path);
  job->id_of_name = true;
  RunningFile out;
  out.jobs.push_back(std::move(*job));
  return out;
}

// The files of a directory, by name, without hidden ones. Errors: io.
Result<std::vector<std::string>> files_of(const std::string& directory) {
  std::vector<std::string> out;
  std::error_code error;
  std::filesystem::directory_iterator at(directory, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    if (at->path().filename().string().front() != '.') out.push_back(at->path().string());
  }
  if (error) {
    return fail(ErrorCode::io, fmt::format("can't read {}: {}", directory, error.message()));
  }
  if (out.empty()) return fail(ErrorCode::invalid, "the folder has no files", {directory});
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::optional<JobId> job_id_of_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  name = name.substr(0, name.find('.'));
  std::optional<JobId> id;
  if (name.starts_with("ƒ")) {
    id = parse_job_id(name);
  } else {
    const std::size_t last = name.find_last_not_of("0123456789");
    id = parse_job_id(name.substr(last == name.npos ? 0 : last + 1));
  }
  return id && *id > 0 && *id <= INT64_MAX ? id : std::nullopt;
}

void RunningFile::add(RunningFile more) {
  jobs.insert(jobs.end(), std::make_move_iterator(more.jobs.begin()),
              std::make_move_iterator(more.jobs.end()));
  down.insert(down.end(), more.down.begin(), more.down.end());
  remarks.insert(remarks.end(), more.remarks.begin(), more.remarks.end());
}

Result<RunningFile> read_running(const ResourceGraph& graph, const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_directory(path, error)) {
    return read_running_file(graph, path);
  }
  const auto files = files_of(path);
  if (!files) return std::unexpected(files.error());
  RunningFile out;
  for (const std::string& file : *files) {
    auto more = read_running_file(graph, file);
    if (!more) return more;
    out.add(std::move(*more));
  }
  return out;
}

}  // namespace copse
