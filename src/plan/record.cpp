// SPDX-License-Identifier: Apache-2.0
#include "plan/record.hpp"

#include <algorithm>
#include <utility>

namespace copse::plan {

Record::Record(const Jobs& jobs, const NodeRows& rows, bool keep_nodes,
               std::function<void(std::string_view)> line)
    : jobs_(jobs),
      rows_(rows),
      keep_(keep_nodes),
      lines_(jobs, rows, std::move(line)),
      figures_(jobs),
      usage_(rows, figures_.first_submit_s()),
      slot_of_(jobs.jobs.size()) {}

void Record::add_outside_jobs(const Engine& engine) {
  engine_ = &engine;
  for (std::uint32_t row = 0; row < rows_.count(); ++row) {
    if (!usable(engine.status(rows_.pool(row)))) down_at_first_.push_back(row);
  }
  for (const std::uint32_t row : down_at_first_) usage_.take_down(row);
  for (const JobId id : engine.jobs()) {
    const Grant& grant = *engine.grant(id);
    const auto number = static_cast<std::uint32_t>(outside_jobs_.size());
    UsedRows& live = outside_live_.emplace_back();
    const NodeUse use = rows_.taken(grant.selection, live.ranges);
    live.cores = use.cores;
    outside_jobs_.push_back({id, grant.start, grant.end, use});
    changes_.push_back({grant.start, true, number});
    changes_.push_back({grant.end, false, number});
  }
  std::ranges::sort(changes_);
}

ScheduleObserver Record::observer() {
  return {.submitted = [this](std::uint32_t job,
                              std::int64_t time_s) { submitted_s_.emplace(job, time_s); },
          .started = [this](std::uint32_t job, std::int64_t start_s, std::int64_t end_s, Ending how,
                            const Grant& g) { started(job, start_s, end_s, how, g); },
          .ended = [this](std::uint32_t job, std::int64_t time_s) { ended(job, time_s); },
          .refused = [this](std::uint32_t job, std::int64_t, const Error& e) { refused(job, e); },
          .promised = [this](std::uint32_t job,
                             std::int64_t start_s) { figures_.promised(job, start_s); },
          .withdrawn = [this](std::uint32_t job, std::int64_t time_s,
                              bool deadline) { withdrawn(job, time_s, deadline); },
          .reserved =
              [this](const std::string& name, std::int64_t start_s, std::int64_t end_s,
                     const std::vector<PoolId>& nodes) { reserve(name, start_s, end_s, nodes); },
          .cut = [this](std::uint32_t) { figures_.cut(); },
          .advanced = [this](std::int64_t time_s,
                             std::size_t waiting) { add_sample(time_s, waiting); }};
}

void Record::reserve(const std::string& name, std::int64_t start_s, std::int64_t end_s,
                     const std::vector<PoolId>& nodes) {
  if (!keep_) return;
  Reserved made{name, start_s, end_s, {}};
  for (std::uint32_t row = 0; row < rows_.count(); ++row) {
    if (!std::ranges::binary_search(nodes, rows_.pool(row))) continue;
    if (!made.nodes.empty() && made.nodes.back().first + made.nodes.back().count == row) {
      ++made.nodes.back().count;
    } else {
      made.nodes.push_back({row, 1});
    }
  }
  reserved_.push_back(std::move(made));
}

void Record::move_to(std::int64_t time_s) {
  for (; next_change_ < changes_.size(); ++next_change_) {
    const Change& change = changes_[next_change_];
    if (change.time_s > time_s) break;
    usage_.pass_to(std::max(change.time_s, usage_.time_s()));
    begin_or_end(change.outside_job, change.begins);
  }
  usage_.pass_to(time_s);
}

void Record::begin_or_end(std::uint32_t outside_job, bool begins) {
  UsedRows& live = outside_live_[outside_job];
  begins ? usage_.occupy(live) : usage_.release(live);
  if (!keep_) return;
  if (begins) {
    outside_jobs_[outside_job].first_range = ranges_.size();
    outside_jobs_[outside_job].ranges = static_cast<std::uint32_t>(live.ranges.size());
    ranges_.insert(ranges_.end(), live.ranges.begin(), live.ranges.end());
  }
  keep_sample(samples_.empty() ? 0 : samples_.back().waiting);
}

void Record::keep_sample(std::uint64_t waiting) {
  samples_.push_back(
      {usage_.time_s(), usage_.busy_nodes(), usage_.cores(), waiting, usage_.fragmentation()});
}

std::uint32_t Record::number_of(const GrantCharges& draw) {
  if (draw.empty() || engine_ == nullptr) return 0;
  const auto next = static_cast<std::uint32_t>(draws_.size());
  const auto [known, is_new] = draw_numbers_.emplace(engine_->charges_text(draw), next);
  if (is_new) draws_.push_back(known->first);
  return known->second;
}

void Record::started(std::uint32_t job, std::int64_t start_s, std::int64_t end_s, Ending ending,
                     const Grant& grant) {
  move_to(start_s);
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(live_.size()));
    live_.emplace_back();
  }
  slot_of_[job] = free_slots_.back();
  free_slots_.pop_back();
  UsedRows& live = live_[slot_of_[job]];
  Run run{job,
          start_s,
          end_s,
          ending,
          rows_.taken(grant.selection, live.ranges),
          ranges_.size(),
          0,
          number_of(grant.charges)};
  lines_.started({job, submit_s(job), start_s, end_s, ending, run.use, draws_[run.draw]},
                 live.ranges);
  live.cores = run.use.cores;
  if (ending != Ending::requeued) usage_.count_job(live, run.use.nodes);
  usage_.occupy(live);
  run.ranges = static_cast<std::uint32_t>(live.ranges.size());
  if (keep_) {
    ranges_.insert(ranges_.end(), live.ranges.begin(), live.ranges.end());
    runs_.push_back(run);
  }
  figures_.started(job, submit_s(job), start_s, end_s, ending);
}

void Record::ended(std::uint32_t job, std::int64_t time_s) {
  move_to(time_s);
  usage_.release(live_[slot_of_[job]]);
  free_slots_.push_back(slot_of_[job]);
}

void Record::add_sample(std::int64_t time_s, std::size_t waiting) {
  move_to(time_s);
  figures_.waiting(waiting);
  if (keep_) keep_sample(waiting);
}

void Record::refused(std::uint32_t job, const Error& error) {
  figures_.refused(error);
  if (keep_) never_started_.push_back({job, true});
  lines_.refused(job, submit_s(job), error.text);
}

void Record::withdrawn(std::uint32_t job, std::int64_t time_s, bool deadline) {
  figures_.withdrawn(deadline);
  if (keep_) never_started_.push_back({job, false});
  lines_.withdrawn(job, submit_s(job), time_s, deadline);
}

}  // namespace copse::plan
