// SPDX-License-Identifier: Apache-2.0
#include "server/page/jobs_document.hpp"

#include <algorithm>

#include "base/job_id.hpp"

namespace copse::server {

namespace {

page::RunEnd ending_of(const JobRow* row) {
  if (row == nullptr || row->stage != JobStage::ended) return page::RunEnd::done;
  if (row->result == "cancelled") return page::RunEnd::cancelled;
  return row->result == "lost" || row->status != 0 ? page::RunEnd::failed : page::RunEnd::done;
}

}  // namespace

void JobsDocument::fill(page::PageJob& job, const JobRow& row) {
  job.name = row.name;
  job.user = all_.words.number(row.user);
  job.queue = all_.words.number(row.queue);
  job.request = all_.words.number(row.jobspec.empty() ? row.shape : "a jobspec");
  job.submit_s = row.submitted;
  job.limit_s = row.duration;
  job.priority =
      static_cast<std::int32_t>(std::clamp<std::int64_t>(row.priority, INT32_MIN, INT32_MAX));
  if (row.first_planned >= 0) job.promised_s = row.first_planned;
  if (row.stage != JobStage::ended || row.started >= 0) return;
  job.never = row.result == "denied" ? page::NeverRan::refused : page::NeverRan::withdrawn;
  job.left_s = row.ended;
  job.remark = all_.words.number(row.message);
}

std::uint32_t JobsDocument::place_of(JobId id) {
  const auto [at, is_new] = places_.try_emplace(id, static_cast<std::uint32_t>(all_.jobs.size()));
  if (!is_new) return at->second;
  page::PageJob job{.id = std::to_string(id)};
  const auto& held = context_.page->machine().allocations();
  if (const JobRow* row = context_.service.jobs().table().find(id)) {
    fill(job, *row);
  } else if (const auto grant = held.find(id); grant != held.end()) {  // a grant outside the queue
    job.submit_s = grant->second.start_s;
    job.limit_s = grant->second.end_s - grant->second.start_s;
  }
  all_.jobs.push_back(std::move(job));
  return at->second;
}

void JobsDocument::add_run(JobId id, std::int64_t start_s, std::int64_t end_s, page::RunEnd ending,
                           std::span<const NodeRange> places, std::span<const LayerCharge> draws) {
  page::PageRun run{.job = place_of(id), .ending = ending, .start_s = start_s};
  if (end_s < context_.service.session().engine().options().horizon) run.end_s = end_s;
  const auto number = static_cast<std::uint32_t>(all_.runs.size());
  for (const NodeRange& place : places) {
    run.nodes += place.count;
    all_.places.push_back({number, place.first, place.count, place.share});
  }
  all_.runs.push_back(run);
  page::add_draws(all_, number, draws);
}

void JobsDocument::add_past(const AllocatedNodes& gone) {
  const JobRow* row = context_.service.jobs().table().find(gone.job);
  add_run(gone.job, gone.start_s, gone.end_s, ending_of(row), gone.nodes, gone.draws);
}

void JobsDocument::add_allocated(const AllocatedNodes& held) {
  const Engine& engine = context_.service.session().engine();
  const Grant* grant = engine.grant(held.job);
  if (grant == nullptr || held.shared.empty()) {
    return add_run(held.job, held.start_s, held.end_s, page::RunEnd::open, held.nodes, held.draws);
  }
  // A shared node: which of its pools.
  page::PlacementFinder finder(engine.graph(), context_.page->machine().node_rows());
  page::PageRun run{.job = place_of(held.job), .start_s = held.start_s};
  if (held.end_s < engine.options().horizon) run.end_s = held.end_s;
  if (!finder.add(all_, run, *grant)) cut_ = true;
}

void JobsDocument::add_forecast(const Forecast::Start& start) {
  const JobRow* row = context_.service.jobs().table().find(start.job);
  if (row == nullptr || !row->waits()) return;
  const Forecast& forecast = context_.page->forecast();
  add_run(start.job, start.start_s, start.end_s, page::RunEnd::open,
          std::span(forecast.places(start), start.runs), forecast.draws(start));
}

// Room for all jobs at once: memory that grows is copied, and its pages are cleared again.
void JobsDocument::reserve() {
  const std::size_t jobs = std::min(context_.service.jobs().table().rows().size(),
                                    limits_.waiting + limits_.running + limits_.ended);
  all_.jobs.reserve(jobs);
  all_.runs.reserve(jobs);
  places_.reserve(jobs);
}

void JobsDocument::add_all() {
  reserve();
  const MachineWatch& machine = context_.page->machine();
  const JobRowTable& table = context_.service.jobs().table();
  std::size_t left = limits_.running;
  for (const auto& [id, held] : machine.allocations()) {
    if (is_reservation(id) || is_hidden(id)) continue;
    const JobRow* row = table.find(id);
    if (!held.runs && row != nullptr) continue;  // it is in the forecast
    if (left-- == 0 || full()) {
      cut_ = true;
      break;
    }
    add_allocated(held);
  }
  left = limits_.waiting;
  for (const Forecast::Start& start : context_.page->forecast().starts()) {
    if (is_hidden(start.job)) continue;
    if (left-- == 0 || full()) break;
    add_forecast(start);
  }
  for (const auto& [id, row] : table.rows()) {  // jobs without a forecast yet
    if (!row->waits() || places_.contains(id) || is_hidden(id)) continue;
    if (all_.jobs.size() >= limits_.waiting + limits_.running) {
      cut_ = true;
      break;
    }
    (void)place_of(id);
  }
  left = limits_.ended;
  for (auto gone = machine.past().rbegin(); gone != machine.past().rend(); ++gone) {
    if (is_hidden(gone->job)) continue;
    if (left-- == 0 || full()) {
      cut_ = true;
      break;
    }
    add_past(*gone);
  }
}

void JobsDocument::add(std::span<const JobId> ids) {
  const MachineWatch& machine = context_.page->machine();
  for (const JobId id : ids) {
    const JobRow* row = context_.service.jobs().table().find(id);
    const auto held = machine.allocations().find(id);
    if ((row == nullptr && held == machine.allocations().end()) || is_hidden(id)) continue;
    (void)place_of(id);
    if (held != machine.allocations().end() && held->second.runs) add_allocated(held->second);
  }
  std::size_t left = limits_.ended;
  for (auto gone = machine.past().rbegin(); gone != machine.past().rend() && left > 0; ++gone) {
    --left;
    if (std::ranges::binary_search(ids, gone->job) && !is_hidden(gone->job)) add_past(*gone);
  }
}

}  // namespace copse::server
