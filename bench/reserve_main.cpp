// SPDX-License-Identifier: Apache-2.0
//
// Rows of reservations: a queue of jobs, each granted now or at its earliest start, one after the
// other. One line of JSON a row:
//   jobs, nodes, policy
//   total_s        all matches together (processor time)
//   us_first_1000  mean of the first thousand matches; us_last_1000 of the last thousand
//   us_worst       the longest match
//   rss_mb         resident memory of the process afterwards, less that before
//   checked        what the independent checker says, if it looked: see check.hpp
// A row runs in a process of its own. Usage: bench_reserve [--check] [NAME...]
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "copse/engine.hpp"
#include "jobs.hpp"
#include "process.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

struct Job {
  std::int64_t amount;  // nodes, or cores of one node
  std::int64_t duration_s;
};

struct Row {
  std::string name;
  const char* policy;
  std::int64_t nodes;
  std::size_t jobs;
  std::function<Job(std::mt19937_64&)> draw;
  std::string (*jobspec)(const Job&);
  bool whole_nodes;  // the checker knows these
};

std::int64_t between(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

constexpr std::int64_t kShortest_s = 300, kLongest_s = 12 * kHour_s;

std::string nodes_of(const Job& job) { return whole_nodes(job.amount, 32, job.duration_s); }
std::string cores_of(const Job& job) { return cores_in_node(job.amount, job.duration_s); }

double mean_us(const std::vector<double>& us, std::size_t from, std::size_t until) {
  double sum = 0;
  for (std::size_t i = from; i < until; ++i) sum += us[i];
  return until > from ? sum / static_cast<double>(until - from) : 0;
}

void run(const Row& row, bool check) {
  Rig rig(flat(row.nodes), row.policy);
  std::mt19937_64 random(1);
  std::vector<double> us;
  std::vector<WholeNodeJob> granted;
  const std::int64_t before_kb = status_kb("VmRSS");
  for (std::size_t i = 0; i < row.jobs; ++i) {
    const Job job = row.draw(random);
    PreparedRequest request = rig.prepare(row.jobspec(job));
    const auto begin = BusyClock::now();
    const auto match =
        rig.engine().match(Operation::allocate_orelse_reserve, request, JobId{i + 1});
    us.push_back(std::chrono::duration<double, std::micro>(BusyClock::now() - begin).count());
    if (!match) give_up("a job was refused: " + match.error().message());
    if (check && row.whole_nodes)
      granted.push_back(whole_node_job(rig.engine(), **match, job.amount));
  }
  const std::int64_t grown_kb = status_kb("VmRSS") - before_kb;
  const std::size_t part = std::min<std::size_t>(1000, row.jobs);
  fmt::print(
      "{{\"row\": \"{}\", \"policy\": \"{}\", \"nodes\": {}, \"jobs\": {}, \"total_s\": {:.3f}, "
      "\"us_first_1000\": {:.1f}, \"us_last_1000\": {:.1f}, \"us_worst\": {:.0f}, \"rss_mb\": "
      "{:.1f}{}}}\n",
      row.name, row.policy, row.nodes, row.jobs, std::accumulate(us.begin(), us.end(), 0.0) / 1e6,
      mean_us(us, 0, part), mean_us(us, us.size() - part, us.size()),
      *std::max_element(us.begin(), us.end()), static_cast<double>(grown_kb) / 1024,
      check && row.whole_nodes
          ? fmt::format(", \"checked\": \"{}\"", check_queue(granted, row.nodes))
          : "");
  std::fflush(stdout);
}

std::vector<Row> rows() {
  std::vector<Row> out;
  const auto one_node = [](std::mt19937_64&) { return Job{1, kHour_s}; };
  const auto many = [](std::mt19937_64& r) {
    const std::int64_t nodes = between(r, 1, 512);
    return Job{nodes, between(r, kShortest_s, kLongest_s)};
  };
  const auto cores = [](std::mt19937_64& r) {
    const std::int64_t n = between(r, 1, 32);
    return Job{n, between(r, kShortest_s, kLongest_s)};
  };
  for (const char* policy : {"first", "low"}) {
    for (const std::int64_t nodes : {1'000, 10'000, 100'000}) {
      out.push_back({"one_node", policy, nodes, 10'000, one_node, nodes_of, true});
    }
    for (const std::size_t jobs : {1'000U, 10'000U}) {
      out.push_back({"mixed_nodes", policy, 1'000, jobs, many, nodes_of, true});
      out.push_back({"mixed_cores", policy, 128, jobs, cores, cores_of, false});
    }
    out.push_back({"mixed_nodes", policy, 10'000, 10'000, many, nodes_of, true});
  }
  return out;
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  bool check = false;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--check") {
      check = true;
    } else {
      names.emplace_back(argv[i]);
    }
  }
  for (const auto& row : copse::bench::rows()) {
    const std::string name = fmt::format("{}/{}/{}/{}", row.name, row.policy, row.nodes, row.jobs);
    const bool wanted =
        names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& n) {
          return name.find(n) != std::string::npos;
        });
    if (!wanted) continue;
    if (!copse::bench::apart([&] { copse::bench::run(row, check); })) return 1;
  }
  return 0;
}
