// SPDX-License-Identifier: Apache-2.0
#include "plan/workload.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "plan/sampler.hpp"
#include "text/json_text.hpp"

namespace copse::plan {

namespace {

constexpr double kLn2 = 0.6931471805599453;
constexpr std::size_t kBuckets = 48;  // half hours of a day
constexpr double kBucket_s = 1800;

// The parameters of the paper.
constexpr double kSerial = 0.244, kPowerOfTwo = 0.576, kSizeLow = 0.8, kSizeStage = 0.86;
constexpr double kShortAlpha = 4.2, kShortBeta = 0.94, kLongAlpha = 312, kLongBeta = 0.03;
constexpr double kShortSlope = -0.0054, kShortAtZero = 0.78, kLogRunMax = 12;
constexpr double kGapAlpha = 10.2303 * 1.0225, kGapBeta = 0.4871, kLogGapMax = 13;
constexpr double kDayAlpha = 8.1737, kDayBeta = 3.9631;
constexpr std::size_t kDayBegins = 11;  // the bucket at which the day's gamma begins

std::int64_t nodes_of(Sampler& random, double log2_machine, std::int64_t machine) {
  const double kind = random.uniform();
  if (kind < kSerial || machine == 1) return 1;
  const double medium = std::max(kSizeLow, log2_machine - 2.5);
  const bool small = random.uniform() < kSizeStage;
  const double u = random.uniform();
  double log2_nodes =
      small ? kSizeLow + u * (medium - kSizeLow) : medium + u * (log2_machine - medium);
  if (kind < kSerial + kPowerOfTwo) log2_nodes = std::floor(log2_nodes + 0.5);
  const auto nodes = static_cast<std::int64_t>(std::llround(portable_exp(log2_nodes * kLn2)));
  return std::clamp<std::int64_t>(nodes, 1, machine);
}

std::int64_t run_of(Sampler& random, std::int64_t nodes) {
  const double short_share =
      std::clamp(kShortSlope * static_cast<double>(nodes) + kShortAtZero, 0.0, 1.0);
  double log_run = 0;
  do {
    log_run = random.uniform() < short_share ? random.gamma(kShortAlpha, kShortBeta)
                                             : random.gamma(kLongAlpha, kLongBeta);
  } while (log_run > kLogRunMax);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(portable_exp(log_run)));
}

std::int64_t asked_for(Sampler& random, std::int64_t run_s) {
  const double wanted = static_cast<double>(run_s) * (1 + 4 * random.uniform());
  const std::int64_t round_s = wanted < 3600 ? 60 : 300;
  return (static_cast<std::int64_t>(wanted) / round_s + 1) * round_s;
}

// The share of a day's arrivals before each bucket: the density of the day's gamma at the middle of
// each bucket, cut off after a day. Sums to kBuckets.
std::array<double, kBuckets + 1> day_cycle() {
  std::array<double, kBuckets> weight{};
  double sum = 0;
  for (std::size_t i = kDayBegins; i < kDayBegins + kBuckets; ++i) {
    const auto x = static_cast<double>(i);
    const double w = portable_exp((kDayAlpha - 1) * portable_log(x) - x / kDayBeta);
    weight[(i - 1) % kBuckets] = w;
    sum += w;
  }
  std::array<double, kBuckets + 1> before{};
  for (std::size_t i = 0; i < kBuckets; ++i) {
    before[i + 1] = before[i] + weight[i] / sum * static_cast<double>(kBuckets);
  }
  return before;
}

// The time at which this number of buckets of average weight has passed.
double time_of(const std::array<double, kBuckets + 1>& before, double passed) {
  const double days = std::floor(passed / static_cast<double>(kBuckets));
  const double rest = passed - days * static_cast<double>(kBuckets);
  auto after = std::ranges::upper_bound(before, rest);
  if (after == before.end()) --after;
  if (after == before.begin()) ++after;
  const auto bucket = static_cast<double>(after - before.begin() - 1);
  const double width = *after - *(after - 1);
  const double inside = width > 0 ? std::min(1.0, (rest - *(after - 1)) / width) : 0;
  return (days * static_cast<double>(kBuckets) + bucket + inside) * kBucket_s;
}

// Uses random numbers of its own, so the rest of the stream does not change.
void add_owners(const Workload& w, Jobs& out) {
  Sampler random(~w.seed);
  std::vector<double> before(w.users);  // the sum of the weights up to each user
  double sum = 0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    before[k] = sum += 1 / static_cast<double>(k + 1);
  }
  std::vector<std::uint32_t> words(w.users), queues;
  for (const std::string& queue : w.queues) queues.push_back(out.word(queue));
  for (Job& job : out.jobs) {
    if (w.users > 0) {
      const auto at = std::ranges::upper_bound(before, random.uniform() * sum) - before.begin();
      const std::size_t user = std::min(static_cast<std::size_t>(at), words.size() - 1);
      if (words[user] == 0) words[user] = out.word(std::to_string(user + 1));
      job.user = words[user];
    }
    if (!queues.empty()) job.queue = queues[random.bits() % queues.size()];
  }
}

}  // namespace

Result<Jobs> generate(const Workload& w) {
  if (w.nodes < 1)
    return fail(ErrorCode::invalid, "jobs can be generated for a machine with nodes only");
  if (!(w.load > 0 && w.load <= 10)) {
    return fail(ErrorCode::invalid,
                fmt::format("the offered load must be above 0 and at most 10, not {}", w.load));
  }
  if (w.jobs > kJobsMax) return fail(ErrorCode::limit, fmt::format("more than {} jobs", kJobsMax));
  Sampler random(w.seed);
  const double log2_machine = portable_log(static_cast<double>(w.nodes)) / kLn2;
  Jobs out;
  out.jobs.resize(w.jobs);
  std::vector<double> gaps(w.jobs);
  double work = 0, passed = 0;
  for (std::uint64_t j = 0; j < w.jobs; ++j) {
    Job& job = out.jobs[j];
    const std::int64_t nodes = nodes_of(random, log2_machine, w.nodes);
    auto request = out.requests.whole_nodes(nodes);
    if (!request) return std::unexpected(std::move(request.error()));
    append_number(job.name, j + 1);
    job.request = *request;
    job.run_s = run_of(random, nodes);
    job.duration_s = asked_for(random, job.run_s);
    work += static_cast<double>(nodes) * static_cast<double>(job.run_s);
    double log_gap = 0;
    do {
      log_gap = random.gamma(kGapAlpha, kGapBeta);
    } while (log_gap > kLogGapMax);
    gaps[j] = portable_exp(log_gap) / kBucket_s;
    passed += gaps[j];
  }
  const double span = work / static_cast<double>(w.nodes) / w.load / kBucket_s;
  const double stretch = passed > 0 ? span / passed : 1;
  const auto before = day_cycle();
  double at = 0;
  for (std::uint64_t j = 0; j < w.jobs; ++j) {
    at += gaps[j] * stretch;
    const double time_s = time_of(before, at);
    const bool counted = time_s < static_cast<double>(kTimeMax_s);
    if (counted) out.jobs[j].submit_s = static_cast<std::int64_t>(time_s);
    if (!counted || !out.jobs[j].ends_before(w.clock_end_s)) {
      return fail(ErrorCode::limit,
                  "at so low a load the jobs do not fit before the end of the clock: raise the "
                  "load, or generate fewer jobs");
    }
  }
  add_owners(w, out);
  return out;
}

}  // namespace copse::plan
