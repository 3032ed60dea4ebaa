// SPDX-License-Identifier: Apache-2.0
//
// Rows of churn: jobs come and go for as long as a day of them, and the process must not grow. One
// line of JSON a row, each in a process of its own:
//   jobs      allocated and cancelled, or reserved and ended by the clock
//   rss_kb    resident memory after 10^5 jobs and at the end; `grown` is their ratio
//   seconds   processor time of it all
// Usage: bench_churn [JOBS [ROW]]   (10,000,000; a tenth of them in the row `reservations`)
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "jobs.hpp"
#include "process.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

constexpr std::uint64_t kWarm = 100'000;

void report(const char* row, std::uint64_t jobs, std::int64_t warm_kb,
            BusyClock::time_point begin) {
  const std::int64_t end_kb = status_kb("VmRSS");
  fmt::print(
      "{{\"row\": \"{}\", \"jobs\": {}, \"rss_kb_warm\": {}, \"rss_kb_end\": {}, \"grown\": "
      "{:.4f}, "
      "\"seconds\": {:.1f}}}\n",
      row, jobs, warm_kb, end_kb, static_cast<double>(end_kb) / static_cast<double>(warm_kb),
      std::chrono::duration<double>(BusyClock::now() - begin).count());
}

// A machine kept nine tenths full: one job at random is cancelled, another allocated.
void allocations(std::uint64_t jobs) {
  Rig rig(flat(1'000), "low");
  std::vector<PreparedRequest> requests;
  for (std::int64_t cores : {1, 2, 5, 8, 16, 31})
    requests.push_back(rig.prepare(cores_in_node(cores)));
  for (std::int64_t nodes : {1, 4}) requests.push_back(rig.prepare(whole_nodes(nodes, 32)));
  rig.fill(requests);
  std::mt19937_64 random(1);
  rig.cancel_some(rig.running().size() / 10, random);
  const auto begin = BusyClock::now();
  std::int64_t warm_kb = status_kb("VmRSS");  // looking takes memory too, the first time
  for (std::uint64_t i = 0; i < jobs; ++i) {
    while (!rig.match(requests[random() % requests.size()]) && !rig.running().empty()) {
      rig.cancel_at(random() % rig.running().size());
    }
    if (rig.running().size() > 1'000) rig.cancel_at(random() % rig.running().size());
    if (i + 1 == kWarm) warm_kb = status_kb("VmRSS");
  }
  report("allocations", jobs, warm_kb, begin);
}

// A queue of a thousand planned jobs: the clock moves, what ended is over, some jobs end early.
void reservations(std::uint64_t jobs) {
  Rig rig(flat(128), "low");
  std::vector<PreparedRequest> requests;
  std::mt19937_64 random(1);
  for (int i = 0; i < 64; ++i) {
    const auto duration_s = static_cast<std::int64_t>(300 + random() % 42'900);
    requests.push_back(i % 4 == 0 ? rig.prepare(whole_nodes(1 + i / 8, 32, duration_s))
                                  : rig.prepare(cores_in_node(1 + i % 32, duration_s)));
  }
  const auto begin = BusyClock::now();
  std::int64_t warm_kb = status_kb("VmRSS");  // looking takes memory too, the first time
  std::vector<JobId> planned;
  for (JobId job = 1; job <= jobs; ++job) {
    require(rig.engine().match(Operation::allocate_orelse_reserve,
                               requests[random() % requests.size()], job));
    planned.push_back(job);
    if (planned.size() >= 1'000) {
      const std::size_t place = random() % planned.size();
      if (rig.engine().grant(planned[place]) != nullptr)
        require(rig.engine().cancel(planned[place]));
      planned[place] = planned.back();
      planned.pop_back();
    }
    if (job % 16 == 0) require(rig.engine().advance(rig.engine().now() + 60));
    if (job == kWarm) warm_kb = status_kb("VmRSS");
  }
  report("reservations", jobs, warm_kb, begin);
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  using namespace copse::bench;
  const std::uint64_t jobs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  if (jobs < kWarm) give_up("at least 100,000 jobs are needed");
  const std::string row = argc > 2 ? argv[2] : "";
  bool done = row == "reservations" || apart([&] { allocations(jobs); });
  done = done && (row == "allocations" || apart([&] { reservations(jobs / 10); }));
  return done ? 0 : 1;
}
