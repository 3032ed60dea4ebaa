// SPDX-License-Identifier: Apache-2.0
#include "plan/record.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "text/json_writer.hpp"

namespace copse::plan {

namespace {

constexpr std::uint32_t kTracksMax = 64;
constexpr std::size_t kReasonsMax = 1'000;  // of refusals that are counted

// REQUIRES at least one value.
double median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  const auto upper = static_cast<double>(*middle);
  if (values.size() % 2 == 1) return upper;
  return (static_cast<double>(*std::max_element(values.begin(), middle)) + upper) / 2;
}

// The smallest value that nine tenths of the values do not exceed. REQUIRES at least one value.
std::int64_t ninth_decile(std::vector<std::int64_t> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() * 9 + 9) / 10 - 1);
  std::ranges::nth_element(values, at);
  return *at;
}

// The identity of a job, and its submission.
void write_job(JsonWriter& json, const Jobs& jobs, const Job& job, std::int64_t submit_s) {
  json.member("id", job.name);
  if (job.queue > 0) json.member("queue", jobs.words[job.queue]);
  if (job.user > 0) json.member("user", jobs.words[job.user]);
  if (job.reservation > 0) json.member("reservation", jobs.words[job.reservation]);
  json.member("submit", submit_s);
}

}  // namespace

const char* word(Ending ending) {
  switch (ending) {
    case Ending::limit: return "killed";
    case Ending::cancelled: return "cancelled";
    case Ending::failed: return "failed";
    case Ending::requeued: return "requeued";
    case Ending::done: break;
  }
  return nullptr;
}

double bounded_slowdown(std::int64_t wait_s, std::int64_t run_s) {
  const auto whole = static_cast<double>(wait_s + run_s);
  return std::max(1.0, whole / static_cast<double>(std::max(run_s, kSlowdownBound_s)));
}

Record::Record(const Jobs& jobs, const NodeRows& rows, bool keep_nodes,
               std::function<void(std::string_view)> line)
    : jobs_(jobs),
      rows_(rows),
      keep_(keep_nodes),
      line_(std::move(line)),
      slot_of_(jobs.jobs.size()),
      on_row_(rows.count(), 0),
      tracks_used_(rows.count(), 0),
      placement_(rows) {
  // A job that is submitted after another one comes later than that one.
  const auto early_s = [](const Job& job) {
    return job.submitted_after ? kTimeMax_s : job.submit_s;
  };
  if (!jobs.jobs.empty()) first_submit_s_ = std::ranges::min(jobs.jobs, {}, early_s).submit_s;
}

void Record::add_outside_jobs(const Engine& engine) {
  engine_ = &engine;
  for (std::uint32_t row = 0; row < rows_.count(); ++row) {
    if (!usable(engine.status(rows_.pool(row)))) down_at_first_.push_back(row);
  }
  for (const std::uint32_t row : down_at_first_) placement_.take(row);
  for (const JobId id : engine.jobs()) {
    const Grant& grant = *engine.grant(id);
    const auto number = static_cast<std::uint32_t>(outside_jobs_.size());
    Live& live = outside_live_.emplace_back();
    const Use use = rows_.taken(grant.selection, live.ranges);
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
          .promised = [this](std::uint32_t job, std::int64_t start_s) { promised(job, start_s); },
          .withdrawn = [this](std::uint32_t job, std::int64_t time_s,
                              bool deadline) { withdrawn(job, time_s, deadline); },
          .reserved =
              [this](const std::string& name, std::int64_t start_s, std::int64_t end_s,
                     const std::vector<PoolId>& nodes) { reserve(name, start_s, end_s, nodes); },
          .cut = [this](std::uint32_t) { ++cut_; },
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
    pass_to(std::max(change.time_s, time_s_));
    begin_or_end(change.other, change.begins);
  }
  pass_to(time_s);
}

void Record::begin_or_end(std::uint32_t other, bool begins) {
  Live& live = outside_live_[other];
  begins ? occupy(live) : release(live);
  if (!keep_) return;
  if (begins) {
    outside_jobs_[other].first_range = ranges_.size();
    outside_jobs_[other].ranges = static_cast<std::uint32_t>(live.ranges.size());
    ranges_.insert(ranges_.end(), live.ranges.begin(), live.ranges.end());
  }
  keep_sample(samples_.empty() ? 0 : samples_.back().waiting);
}

void Record::keep_sample(std::uint64_t waiting) {
  const std::size_t levels = placement_.levels();
  samples_.push_back({time_s_, busy_nodes_, cores_, waiting,
                      levels == 0 ? 0 : placement_.fragmentation(levels - 1)});
}

void Record::occupy(Live& live) {
  assign_tracks(live.ranges);
  cores_ += live.cores;
}

void Record::release(const Live& live) {
  for (const NodeRange& run : live.ranges) {
    for (std::uint32_t row = run.first; row < run.first + run.count; ++row) {
      tracks_used_[row] &= ~(UINT64_C(1) << run.track);
      if (--on_row_[row] > 0) continue;
      --busy_nodes_;
      placement_.give(row);
    }
  }
  cores_ -= live.cores;
}

void Record::pass_to(std::int64_t time_s) {
  const auto passed_s =
      static_cast<double>(std::max<std::int64_t>(time_s - std::max(time_s_, first_submit_s_), 0));
  node_seconds_ += passed_s * busy_nodes_;
  core_seconds_ += passed_s * static_cast<double>(cores_);
  placement_.pass(passed_s);
  time_s_ = time_s;
}

// Gives jobs that share a row the first free track each.
void Record::assign_tracks(std::vector<NodeRange>& runs) {
  split_.clear();
  for (const NodeRange& run : runs) {
    for (std::uint32_t row = run.first; row < run.first + run.count; ++row) {
      std::uint64_t& used = tracks_used_[row];
      const auto track = static_cast<std::uint16_t>(std::min<std::uint32_t>(
          static_cast<std::uint32_t>(std::countr_one(used)), kTracksMax - 1));
      used |= UINT64_C(1) << track;
      tracks_max_ = std::max(tracks_max_, track + 1U);
      if (on_row_[row]++ == 0) {
        ++busy_nodes_;
        placement_.take(row);
      }
      if (!split_.empty() && split_.back().first + split_.back().count == row &&
          split_.back().share == run.share && split_.back().track == track) {
        ++split_.back().count;
      } else {
        split_.push_back({row, 1, run.share, track});
      }
    }
  }
  runs.assign(split_.begin(), split_.end());
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
  Live& live = live_[slot_of_[job]];
  Run run{job,
          start_s,
          end_s,
          ending,
          rows_.taken(grant.selection, live.ranges),
          ranges_.size(),
          0,
          number_of(grant.charges)};
  if (line_) write_started(run, live.ranges);
  live.cores = run.use.cores;
  if (ending != Ending::requeued) placement_.count_job(live.ranges, run.use.nodes);
  occupy(live);
  run.ranges = static_cast<std::uint32_t>(live.ranges.size());
  if (keep_) {
    ranges_.insert(ranges_.end(), live.ranges.begin(), live.ranges.end());
    runs_.push_back(run);
  }
  last_end_s_ = std::max(last_end_s_, end_s);
  requeues_ += ending == Ending::requeued ? 1 : 0;
  failed_ += ending == Ending::failed ? 1 : 0;
  killed_ += ending == Ending::limit ? 1 : 0;
  cancelled_ += ending == Ending::cancelled ? 1 : 0;
  if (!promised_s_.empty()) {
    std::int64_t& promised_s = promised_s_[job];
    broken_ += promised_s >= 0 && start_s > promised_s ? 1 : 0;
    promised_s = -1;  // counted as kept or broken
  }
  if (ending == Ending::requeued) return;
  const std::int64_t wait_s = start_s - submit_s(job);
  waits_s_.push_back(wait_s);
  wait_sum_s_ += static_cast<double>(wait_s);
  slowdown_sum_ += bounded_slowdown(wait_s, end_s - start_s);
}

void Record::promised(std::uint32_t job, std::int64_t start_s) {
  if (promised_s_.empty()) promised_s_.assign(jobs_.jobs.size(), -1);
  std::int64_t& earliest_s = promised_s_[job];
  promised_ += earliest_s < 0 ? 1 : 0;
  earliest_s = earliest_s < 0 ? start_s : std::min(earliest_s, start_s);
}

void Record::ended(std::uint32_t job, std::int64_t time_s) {
  move_to(time_s);
  release(live_[slot_of_[job]]);
  free_slots_.push_back(slot_of_[job]);
}

void Record::add_sample(std::int64_t time_s, std::size_t waiting) {
  move_to(time_s);
  longest_queue_ = std::max<std::uint64_t>(longest_queue_, waiting);
  if (keep_) keep_sample(waiting);
}

void Record::refused(std::uint32_t job, const Error& error) {
  ++refused_;
  if (const auto known = refusals_.find(error.text); known != refusals_.end()) {
    ++known->second;
  } else if (refusals_.size() < kReasonsMax) {
    refusals_.emplace(error.text, 1);
  }
  if (keep_) never_started_.push_back({job, true});
  if (!line_) return;
  std::string out = object_text([&](JsonWriter& json) {
    write_job(json, jobs_, jobs_.jobs[job], submit_s(job));
    json.member("refused", error.text);
  });
  out += '\n';
  line_(out);
}

void Record::withdrawn(std::uint32_t job, std::int64_t time_s, bool deadline) {
  ++(deadline ? past_deadline_ : cancelled_);
  if (keep_) never_started_.push_back({job, false});
  if (!line_) return;
  std::string out = object_text([&](JsonWriter& json) {
    write_job(json, jobs_, jobs_.jobs[job], submit_s(job));
    json.member(deadline ? "deadline" : "cancelled", time_s);
  });
  out += '\n';
  line_(out);
}

void Record::write_started(const Run& run, const std::vector<NodeRange>& ranges) {
  const Job& job = jobs_.jobs[run.job];
  const std::int64_t wait_s = run.start_s - submit_s(run.job);
  const double slowdown = bounded_slowdown(wait_s, run.end_s - run.start_s);
  std::string out = object_text([&](JsonWriter& json) {
    write_job(json, jobs_, job, submit_s(run.job));
    json.member("start", run.start_s);
    json.member("end", run.end_s);
    if (const char* how = plan::word(run.ending)) json.member_json(how, "true");
    json.member("wait", wait_s);
    json.member_json("slowdown", fmt::format("{:.2f}", slowdown));
    json.member("nodes", run.use.nodes);
    json.member("cores", run.use.cores);
    if (run.draw > 0) json.member("hres", draws_[run.draw]);
    if (run.use.nodes == 0) return;
    std::string names;
    rows_.append_names(names, ranges);
    json.member("nodelist", names);
  });
  out += '\n';
  line_(out);
}

Summary Record::summary() const {
  Summary out;
  out.jobs = jobs_.jobs.size();
  out.skipped = jobs_.skipped.count();
  out.started = waits_s_.size();
  out.refused = refused_;
  out.cancelled = cancelled_;
  out.past_deadline = past_deadline_;
  out.failed = failed_;
  out.requeues = requeues_;
  out.killed = killed_;
  out.cut = cut_;
  out.promised = promised_;
  out.broken = broken_;
  out.longest_queue = longest_queue_;
  out.levels = placement_.figures();
  if (!refusals_.empty()) {
    const auto& [reason, count] = *std::ranges::max_element(
        refusals_, {}, [](const auto& refusal) { return refusal.second; });
    out.commonest_refusal = {reason, count};
  }
  if (jobs_.jobs.empty()) return out;
  out.first_submit_s = first_submit_s_;
  out.any_ran = last_end_s_ > 0;
  out.last_end_s = std::max(last_end_s_, out.first_submit_s);
  const double span_s = std::max(1.0, static_cast<double>(out.makespan_s()));
  out.nodes_used = node_seconds_ / span_s / rows_.count();
  if (rows_.cores() > 0) {
    out.cores_used = core_seconds_ / span_s / static_cast<double>(rows_.cores());
  }
  if (waits_s_.empty()) return out;
  const auto jobs = static_cast<double>(waits_s_.size());
  out.of_started = {.mean_wait_s = wait_sum_s_ / jobs,
                    .mean_slowdown = slowdown_sum_ / jobs,
                    .median_wait_s = median(waits_s_),
                    .p90_wait_s = ninth_decile(waits_s_),
                    .longest_wait_s = std::ranges::max(waits_s_)};
  return out;
}

}  // namespace copse::plan
