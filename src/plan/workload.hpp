// SPDX-License-Identifier: Apache-2.0
//
// A synthetic stream of jobs: sizes, run times and arrivals as in U. Lublin and D. G. Feitelson,
// "The workload on parallel supercomputers: modeling the characteristics of rigid jobs", Journal of
// Parallel and Distributed Computing 63 (2003), with the parameters for jobs of all kinds together.
//
//   nodes      one with probability 0.244; else 2^u, u of a two-stage uniform distribution over
//              0.8 … log2(machine), a power of two in 0.576 of all jobs
//   run time   exp of a hyper-gamma variate, gamma(4.2, 0.94) or gamma(312, 0.03); the longer kind
//              is the likelier the more nodes the job has
//   arrivals   exp of gamma(10.46, 0.4871) apart, stretched by the cycle of the day
//
// The model leaves two things open. All arrivals are stretched together, so that the stream has the
// offered load: the node-seconds of its run times, over those of the machine up to the last
// arrival. The requested time is the run time times 1 + 4u, u uniform in [0, 1) (the "f model" of
// Mu'alem and Feitelson 2001), rounded up to whole minutes, longer ones to 5 minutes.
//
// Users are not part of the model. They are named 1, 2, 3, …; user k submits 1/k as many jobs as
// user 1 (Zipf's law). Queues get equal shares. Neither changes anything else of the stream.
//
// Deterministic across platforms: its own generator and samplers use only floating-point operations
// that IEEE 754 defines to the bit (+ - × ÷, sqrt).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/job.hpp"

namespace copse::plan {

inline constexpr std::uint64_t kUsersMax = 1'000'000;

struct Workload {
  std::uint64_t jobs = 1000;
  std::int64_t nodes = 1;  // of the machine; jobs take whole nodes
  double load = 0.7;
  std::uint64_t seed = 1;
  std::int64_t clock_end_s = INT64_MAX;  // of the engine: no job ends after it
  std::uint64_t users = 0;               // 0: jobs have no user
  std::vector<std::string> queues{};     // none: jobs name no queue
};

// Errors: invalid (no nodes; a load that is not above 0 and at most 10), limit. O(jobs × log
// users). REQUIRES users <= kUsersMax.
[[nodiscard]] Result<Jobs> generate(const Workload& workload);

}  // namespace copse::plan
