// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_request.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "server/rights/digest.hpp"
#include "session/request_cache.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kKindBytesMax = 1024;  // longer kinds are replaced by their digest

RequestDefaults given_to(const JobRow& row) {
  return {.memory_of_core = row.memory_per_core,
          .memory_of_node = row.memory_per_node,
          .whole_nodes = row.whole_nodes};
}

// The lengths make it unambiguous. A queue keeps kinds longer than their jobs, so their size is
// bounded.
std::string kind_of(const JobRow& row) {
  std::string out =
      fmt::format("{}:{}{}:{}{}:{}{}", row.shape.size(), row.shape, row.constraints.size(),
                  row.constraints, row.jobspec.size(), row.jobspec, row.hres);
  if (const RequestDefaults given = given_to(row); !given.empty()) {
    out += fmt::format(" {} {} {} {}", given.memory_of_core, given.memory_of_node,
                       given.whole_nodes, row.queue);
  }
  return out.size() > kKindBytesMax ? "sha256 " + sha256_text(out) : out;
}

}  // namespace

// The journal is made of lines, so newlines in an object become blanks, which JSON allows.
std::string in_one_line(std::string_view object) {
  std::string out(object);
  std::ranges::replace_if(out, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return out;
}

Result<JobRequest> JobRequest::of(const JobRow& row, const JobspecLimits& limits) {
  RequestTexts texts{.shape = row.shape, .constraints = row.constraints, .jobspec = row.jobspec};
  if (!row.hres.empty()) texts.hres = row.hres;
  auto request = request_of(texts, limits);
  if (!request) return std::unexpected(request.error());
  if (auto ok = add_defaults(*request, given_to(row), row.queue); !ok) {
    return std::unexpected(ok.error());
  }
  return JobRequest{kind_of(row), std::move(*request)};
}

Result<void> JobRequest::take_defaults(JobRow& row, const RequestDefaults& defaults) {
  const RequestDefaults given = that_apply(defaults, request);
  if (auto ok = add_defaults(request, given, row.queue); !ok) return ok;
  row.memory_per_core = given.memory_of_core;
  row.memory_per_node = given.memory_of_node;
  row.whole_nodes = given.whole_nodes;
  kind = kind_of(row);
  return {};
}

queue::Submission JobRequest::submission(const JobRow& row) const {
  return {.id = row.id,
          .submit_s = row.submitted,
          .duration_s = row.duration,
          .priority = row.priority,
          .on_hold = row.held,
          .queue = row.queue,
          .user = row.user,
          .reservation = row.reservation,
          .kind = kind,
          .request = &request,
          .arrival = static_cast<std::uint64_t>(row.arrival)};
}

queue::Resumption JobRequest::resumption(const JobRow& row, std::int64_t horizon_s) const {
  return {.job = submission(row),
          .state = queue_state(row),
          .start_s = row.stage == JobStage::running ? row.started : row.planned,
          .end_s = horizon_s,
          .first_reported_s = row.first_planned};
}

namespace {

constexpr std::string_view kNoQueue = "its queue ";

bool has_queue(std::span<const queue::QueueSpec> queues, std::string_view name) {
  return std::ranges::find(queues, name, &queue::QueueSpec::name) != queues.end();
}

std::string no_queue(std::string_view name) {
  return fmt::format("{}{} does not exist any more: cancel it, or serve that queue again", kNoQueue,
                     shown_word(name));
}

// Where jobs run whose queue is missing.
std::string_view any_queue(std::span<const queue::QueueSpec> queues) {
  const auto at = std::ranges::find_if(queues, [](const auto& queue) { return !queue.parent; });
  return at == queues.end() ? std::string_view() : std::string_view(at->name);
}

}  // namespace

std::vector<JobId> jobs_with_queue_again(const std::map<JobId, std::shared_ptr<const JobRow>>& rows,
                                         std::span<const queue::QueueSpec> queues) {
  std::vector<JobId> out;
  for (const auto& [id, row] : rows) {
    const bool aside = row->stage == JobStage::pending && row->held;
    if (aside && row->message.starts_with(kNoQueue) && has_queue(queues, row->queue)) {
      out.push_back(id);
    }
  }
  return out;
}

ResumedJobs resumed_jobs(const std::map<JobId, std::shared_ptr<const JobRow>>& rows,
                         std::span<const queue::QueueSpec> queues, std::int64_t horizon_s) {
  ResumedJobs out;
  for (const auto& [id, row] : rows) {
    if (row->stage == JobStage::ended) continue;
    const bool queued = has_queue(queues, row->queue);
    if (!queued) out.refused[id] = no_queue(row->queue);
    if (!queued && row->stage != JobStage::running) continue;
    auto request = JobRequest::of(*row);
    if (!request) {
      out.refused[id] = fmt::format("its request is refused: {}", request.error().message());
      if (row->stage != JobStage::running) continue;
      request = JobRequest::of(JobRow{.shape = "slot=1/core"});
      if (!request) continue;
    }
    const JobRequest& one = out.requests.emplace_back(std::move(*request));
    out.resumptions.push_back(one.resumption(*row, horizon_s));
    if (!queued) out.resumptions.back().job.queue = any_queue(queues);
  }
  return out;
}

Result<JobRow> submitted_row(const SessionRequest& line, const JobCaller& caller) {
  if (line.jobspec.empty() == !line.shape) {
    return fail(ErrorCode::invalid, "give either \"shape\" or \"jobspec\"");
  }
  if (!line.jobspec.empty() && (line.duration_s || !line.constraints.empty())) {
    return fail(ErrorCode::invalid,
                "\"jobspec\" has a duration and constraints of its own: leave these out");
  }
  if (!line.reservation_spec.empty()) {
    return fail(ErrorCode::invalid, "\"reservation\" of a job must be the name of a reservation");
  }
  JobRow row;
  row.id = static_cast<JobId>(line.id.value_or(0));
  row.name = line.name.value_or("");
  row.user = caller.user.empty() ? std::string(line.user.value_or(caller.name)) : caller.user;
  row.queue = line.queue.value_or("");
  row.reservation = line.reservation_name.value_or("");
  row.shape = line.shape.value_or("");
  row.hres = line.hres.value_or("");
  row.constraints = in_one_line(line.constraints);
  row.jobspec = in_one_line(line.jobspec);
  row.priority = line.priority.value_or(0);
  row.duration = line.duration_s.value_or(0);
  row.lease = line.lease_s.value_or(0);
  row.held = line.held.value_or(false);
  row.requeue = line.requeue.value_or(false);
  return row;
}

Result<void> take_queue(JobRow& row, const Request& request) {
  if (request.queue.empty() || request.queue == row.queue) return {};
  if (!row.queue.empty()) {
    return fail(ErrorCode::invalid,
                fmt::format("the jobspec names the queue {}, and the request {}",
                            shown_word(request.queue), shown_word(row.queue)));
  }
  row.queue = request.queue;
  return {};
}

Result<void> take_size(JobRow& row, const Request& request, const queue::JobLimits& limits,
                       const queue::JobDefaults& defaults, const ResourceGraph& graph) {
  const queue::JobSize size = queue::size_of(request, graph);
  if (!row.jobspec.empty()) {
    row.duration = request.duration_s;
    std::tie(row.nnodes, row.ncores, row.ngpus) = std::tie(size[0], size[1], size[2]);
  }
  if (row.duration == 0) row.duration = defaults.duration_of(row.queue);
  auto broken = limits.broken(row.queue, size, row.duration);
  if (!broken.empty()) return fail(ErrorCode::invalid, std::move(broken));
  return {};
}

bool is_of_another(const JobRow& row, const JobCaller& caller) {
  return caller.is_operator && row.user != caller.name;
}

queue::JobState queue_state(const JobRow& row) {
  if (row.stage == JobStage::running) return queue::JobState::running;
  if (row.held) return queue::JobState::on_hold;
  return row.stage == JobStage::planned ? queue::JobState::promised : queue::JobState::waiting;
}

}  // namespace copse::server
