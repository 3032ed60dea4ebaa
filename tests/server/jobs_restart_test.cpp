// SPDX-License-Identifier: Apache-2.0
//
// A service with jobs, killed again and again by a seed. After each restart: every acknowledged job is
// there, none runs twice, and the next answers are those of a service that never ended. Leases, which
// start again, are in jobs_test.cpp.
// COPSE_SEEDS: times as many services.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include <fmt/format.h>

#include "memory_store.hpp"

namespace copse::server {
namespace {

class JobRequests {
 public:
  explicit JobRequests(std::uint64_t seed) : random_(seed) {}

  std::string next(std::int64_t now_s) {
    const auto id = 1 + below(last_ + 1);
    switch (below(18)) {
      case 0:
      case 1:
      case 2:
      case 3: return submit();
      case 4:
      case 5:
      case 6: return of("end", id);
      case 7: return of("cancel", id);
      case 8: return of("hold", id);
      case 9: return of("release", id);
      case 10:
        return fmt::format(R"({{"op": "priority", "id": {}, "priority": {}}})", id, below(3));
      case 11: return fmt::format(R"({{"op": "end", "id": {}, "ranks": "{}"}})", id, below(4));
      case 12:
        return fmt::format(R"({{"op": "alloc", "id": {}, "shape": "slot=1/core", "duration": {}}})",
                           1'000'000 + below(4), 1 + below(50));
      case 13: return of("free", 1'000'000 + below(4));
      case 14:
        return fmt::format(R"({{"op": "{}", "ranks": "{}"}})", below(3) == 0 ? "down" : "up",
                           below(4));
      case 15: return reserve(now_s);
      case 16:
        return below(2) == 0
                   ? R"({"op": "reservations"})"
                   : fmt::format(R"({{"op": "end-reservation", "name": "r{}"}})", below(3));
      default: return R"({"op": "jobs", "state": "all"})";
    }
  }
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

 private:
  static std::string of(std::string_view op, std::uint64_t id) {
    return fmt::format(R"({{"op": "{}", "id": {}}})", op, id);
  }
  std::string submit() {
    static const std::vector<std::string> kShapes{"slot=1/node", "slot=3/node", "slot=2/core",
                                                  "slot=1/core=3"};
    ++last_;
    const std::string in =
        below(5) == 0 ? fmt::format(R"(, "reservation": "r{}")", below(3)) : std::string();
    return fmt::format(
        R"({{"op": "submit", "shape": "{}", "duration": {}, "priority": {}, "user": "u{}"{}}})",
        kShapes[below(kShapes.size())], below(100), below(3), below(4), in);
  }
  std::string reserve(std::int64_t now_s) {
    static const std::vector<std::string> kRooms{R"("nodes": "n[0-1]")", R"("nodes": 2)",
                                                 R"("shape": "slot=1/node")"};
    return fmt::format(R"({{"op": "add-reservation", "reservation": {{"name": "r{}", {}, )"
                       R"("start": {}, "duration": {}{}}}}})",
                       below(3), kRooms[below(kRooms.size())],
                       now_s + static_cast<std::int64_t>(below(60)), 1 + below(40),
                       below(2) == 0 ? R"(, "repeat": "daily", "count": 3)" : "");
  }

  std::mt19937_64 random_;
  std::uint64_t last_ = 0;
};

std::string ask(ServiceInMemory& desk, const std::string& line, std::int64_t now_s) {
  const std::string out = desk.service->answer(line, now_s).text();
  while (!desk.service->work(now_s)) {
  }
  return out;
}

void require_no_job_ran_twice(const ServiceInMemory& desk) {
  std::string events;
  EventWatch watch{.next = desk.service->events().oldest()};
  (void)desk.service->read_events(watch, desk.service->next(), SIZE_MAX, kOwner, events);
  std::set<std::string> started;
  for (std::size_t at = 0; at < events.size(); at = events.find('\n', at) + 1) {
    const std::string line = events.substr(at, events.find('\n', at) - at);
    const std::size_t start = line.find(R"("event": "start", "job": )");
    if (start == std::string::npos) continue;
    const std::string job = line.substr(start, line.find(',', start + 18) - start);
    ASSERT_TRUE(started.insert(job).second) << line;
  }
}

class JobRestarts : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Disciplines, JobRestarts,
                         testing::Values("fcfs", "easy", "conservative", "fair-share"));

TEST_P(JobRestarts, LoseNothingAndMoveNoPromise) {
  const char* seeds = std::getenv("COPSE_SEEDS");
  const int count = (seeds == nullptr ? 1 : std::max(1, std::atoi(seeds)));
  // A pass that plans all that wait takes longer, the more do.
  const int many = GetParam() == std::string_view("conservative") ? 200 : 1'000;
  const bool fair = GetParam() == std::string_view("fair-share");
  for (int seed = 1; seed <= count; ++seed) {
    ServiceInMemory desk({{.discipline = *find_discipline(fair ? "easy" : GetParam())}});
    if (fair) {
      desk.rules.rule = *queue::find_priority_rule("multifactor");
      desk.rules.rule.period_s = 40;
      desk.rules.rule.half_life_s = 500;
      desk.rules.rule.age_max_s = 300;
      desk.restart();
    }
    JobRequests requests(static_cast<std::uint64_t>(seed));
    std::int64_t now_s = 1'000;
    std::uint64_t acknowledged = 0;
    const auto turn = [&] {
      now_s += static_cast<std::int64_t>(requests.below(3) == 0 ? requests.below(20) : 0);
      return requests.next(now_s);
    };
    for (int life = 0; life < 4; ++life) {
      for (int i = 0; i < 60; ++i) {
        const std::string line = turn();
        const std::string answer = ask(desk, line, now_s);
        const bool submitted = line.find("submit") != std::string::npos;
        if (submitted && answer.starts_with("{\"id\": ")) {
          acknowledged = std::max<std::uint64_t>(acknowledged, std::stoull(answer.substr(7)));
        }
      }
      if (life % 3 == 2) desk.service->snapshot();
      ServiceInMemory twin(desk);
      ASSERT_EQ(twin.error, "");
      for (std::uint64_t id = 1; id <= acknowledged; ++id) {
        const std::string line = fmt::format(R"({{"op": "job", "id": {}}})", id);
        ASSERT_EQ(ask(twin, line, now_s), ask(desk, line, now_s));
      }
      for (int i = 0; i < (life < 3 ? 60 : many); ++i) {
        const std::string line = turn(), expected = ask(desk, line, now_s);
        const std::string got = ask(twin, line, now_s);
        const auto differ =
            static_cast<std::size_t>(std::ranges::mismatch(got, expected).in1 - got.begin());
        ASSERT_TRUE(got == expected)
            << "seed " << seed << ", life " << life << ", step " << i << ": " << line << "\nat "
            << differ << ": " << got.substr(differ, 200) << "\nnot "
            << expected.substr(differ, 200);
      }
      require_no_job_ran_twice(desk);
      desk.restart();
      ASSERT_EQ(desk.error, "");
    }
  }
}

}  // namespace
}  // namespace copse::server
