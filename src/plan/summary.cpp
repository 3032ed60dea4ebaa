// SPDX-License-Identifier: Apache-2.0
#include "plan/summary.hpp"

#include <algorithm>

namespace copse::plan {

namespace {

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

}  // namespace

double bounded_slowdown(std::int64_t wait_s, std::int64_t run_s) {
  const auto whole = static_cast<double>(wait_s + run_s);
  return std::max(1.0, whole / static_cast<double>(std::max(run_s, kSlowdownBound_s)));
}

JobFigures::JobFigures(const Jobs& jobs) : jobs_(jobs) {
  // A job that is submitted after another one comes later than that one.
  const auto early_s = [](const Job& job) {
    return job.submitted_after ? kTimeMax_s : job.submit_s;
  };
  if (jobs.jobs.empty()) return;
  counts_.first_submit_s = std::ranges::min(jobs.jobs, {}, early_s).submit_s;
}

void JobFigures::promised(std::uint32_t job, std::int64_t start_s) {
  if (promised_s_.empty()) promised_s_.assign(jobs_.jobs.size(), -1);
  std::int64_t& earliest_s = promised_s_[job];
  counts_.promised += earliest_s < 0 ? 1 : 0;
  earliest_s = earliest_s < 0 ? start_s : std::min(earliest_s, start_s);
}

void JobFigures::started(std::uint32_t job, std::int64_t submit_s, std::int64_t start_s,
                         std::int64_t end_s, Ending ending) {
  counts_.last_end_s = std::max(counts_.last_end_s, end_s);
  counts_.requeues += ending == Ending::requeued ? 1 : 0;
  counts_.failed += ending == Ending::failed ? 1 : 0;
  counts_.killed += ending == Ending::limit ? 1 : 0;
  counts_.cancelled += ending == Ending::cancelled ? 1 : 0;
  if (!promised_s_.empty()) {
    std::int64_t& promised_s = promised_s_[job];
    counts_.broken += promised_s >= 0 && start_s > promised_s ? 1 : 0;
    promised_s = -1;  // counted as kept or broken
  }
  if (ending == Ending::requeued) return;
  const std::int64_t wait_s = start_s - submit_s;
  waits_s_.push_back(wait_s);
  wait_sum_s_ += static_cast<double>(wait_s);
  slowdown_sum_ += bounded_slowdown(wait_s, end_s - start_s);
}

void JobFigures::refused(const Error& error) {
  ++counts_.refused;
  if (const auto known = refusals_.find(error.text); known != refusals_.end()) {
    ++known->second;
  } else if (refusals_.size() < kReasonsMax) {
    refusals_.emplace(error.text, 1);
  }
}

void JobFigures::withdrawn(bool deadline) {
  ++(deadline ? counts_.past_deadline : counts_.cancelled);
}

void JobFigures::waiting(std::uint64_t jobs) {
  counts_.longest_queue = std::max(counts_.longest_queue, jobs);
}

Summary JobFigures::summary(const NodeRows& rows, const MachineUsage& usage) const {
  Summary out = counts_;
  out.jobs = jobs_.jobs.size();
  out.skipped = jobs_.skipped.count();
  out.started = waits_s_.size();
  out.levels = usage.placement().figures();
  if (!refusals_.empty()) {
    const auto& [reason, count] = *std::ranges::max_element(
        refusals_, {}, [](const auto& refusal) { return refusal.second; });
    out.commonest_refusal = {reason, count};
  }
  if (jobs_.jobs.empty()) return out;
  out.any_ran = counts_.last_end_s > 0;
  out.last_end_s = std::max(counts_.last_end_s, out.first_submit_s);
  const double span_s = std::max(1.0, static_cast<double>(out.makespan_s()));
  out.nodes_used = usage.node_seconds() / span_s / rows.count();
  if (rows.cores() > 0) {
    out.cores_used = usage.core_seconds() / span_s / static_cast<double>(rows.cores());
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
