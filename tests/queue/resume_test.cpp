// SPDX-License-Identifier: Apache-2.0
//
// A queue restored from the states of its jobs continues like one that never stopped. COPSE_SEEDS:
// times as many streams.
#include <algorithm>
#include <cstdlib>
#include <random>

#include "copse/save.hpp"
#include "queue/events.hpp"

namespace copse::queue {
namespace {

// Jobs, as a host knows them.
struct HostJob {
  std::string shape;
  std::int64_t submit_s = 0, duration_s = 0, priority = 0;
  std::uint64_t arrival = 0;
  bool held = false;
};

struct Host {
  std::unique_ptr<Engine> engine;
  Said said;
  std::unique_ptr<JobQueue> queue;
  std::map<JobId, HostJob> jobs;

  Host(std::unique_ptr<Engine> engine_in, const char* discipline) : engine(std::move(engine_in)) {
    std::vector<QueueSpec> queues{{.discipline = *find_discipline(discipline)}};
    queue = std::make_unique<JobQueue>(*engine, std::move(queues), said);
  }

  static Submission submission(JobId id, const HostJob& job, const Request& request) {
    return {.id = id,
            .submit_s = job.submit_s,
            .duration_s = job.duration_s,
            .priority = job.priority,
            .on_hold = job.held,
            .kind = job.shape,
            .request = &request,
            .arrival = job.arrival};
  }
  void submit(JobId id, const HostJob& job) {
    const Request request = request_of(job.shape);
    EXPECT_TRUE(queue->submit(submission(id, job, request)));
    jobs.emplace(id, job);
  }
  std::vector<std::string> work() {
    queue->work();
    queue->check();
    for (const std::string& word : said.words) {
      if (word.starts_with("deny ")) jobs.erase(std::stoull(word.substr(5)));
    }
    return said.take();
  }
  void advance(std::int64_t now_s) { EXPECT_TRUE(queue->advance(now_s)); }
  void end(JobId id) {
    EXPECT_TRUE(queue->ended(id, engine->now()));
    jobs.erase(id);
    said.running.erase(id);
  }

  // The same host, restarted with its engine from disk.
  [[nodiscard]] std::unique_ptr<Host> again(const char* discipline) const {
    auto loaded = load(save(*engine, ""), {});
    EXPECT_TRUE(loaded);
    auto out = std::make_unique<Host>(std::move(loaded->engine), discipline);
    out->jobs = jobs;
    out->said.running = said.running;
    std::vector<Request> requests;
    requests.reserve(jobs.size());
    std::vector<Resumption> resumed;
    for (const auto& [id, job] : jobs) {
      requests.push_back(request_of(job.shape));
      const auto state = *queue->state(id);
      resumed.push_back({.job = submission(id, job, requests.back()),
                         .state = state,
                         .start_s = queue->promised_start(id).value_or(
                             engine->grant(id) != nullptr ? engine->grant(id)->start : -1),
                         .end_s = 1'000'000});
    }
    EXPECT_TRUE(out->queue->resume(resumed));
    EXPECT_EQ(out->work(), Words{});  // nothing has changed
    return out;
  }
};

class ResumedStream {
 public:
  ResumedStream(std::uint64_t seed, bool mixed) : random_(seed), mixed_(mixed) {}

  void step(std::vector<Host*> hosts) {
    const auto what = below(10);
    Host& first = *hosts.front();
    if (what < 4) {
      static const std::vector<std::string> kShapes{"slot=2/node", "slot=4/node", "slot=1/node",
                                                    "slot=3/core", "slot=1/core"};
      HostJob job{.shape = kShapes[below(mixed_ ? 5 : 3)],
                  .submit_s = first.engine->now(),
                  .duration_s = static_cast<std::int64_t>(1 + below(200)),
                  .priority = static_cast<std::int64_t>(below(3)),
                  .arrival = ++arrivals_,
                  .held = below(8) == 0};
      for (Host* host : hosts) host->submit(arrivals_, job);
    } else if (what < 6) {
      const std::int64_t now_s = first.engine->now() + static_cast<std::int64_t>(below(50));
      for (Host* host : hosts) host->advance(now_s);
    } else if (what < 8 && !first.said.running.empty()) {
      const JobId id = pick(first.said.running);
      for (Host* host : hosts) host->end(id);
    } else if (!first.jobs.empty()) {
      const JobId id = pick(first.jobs);
      const auto which = below(3);
      const auto priority = static_cast<std::int64_t>(below(3));
      for (Host* host : hosts) {
        if (which == 0 && host->queue->hold(id)) host->jobs[id].held = true;
        if (which == 1 && host->queue->release(id)) host->jobs[id].held = false;
        if (which == 2 && host->queue->set_priority(id, priority)) {
          host->jobs[id].priority = priority;
        }
      }
    }
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  template <class Map>
  JobId pick(const Map& map) {
    return std::next(map.begin(), static_cast<std::ptrdiff_t>(below(map.size())))->first;
  }

  std::mt19937_64 random_;
  bool mixed_;
  JobId arrivals_ = 0;
};

class Resume : public ::testing::TestWithParam<std::tuple<const char*, bool>> {};
INSTANTIATE_TEST_SUITE_P(Disciplines, Resume,
                         ::testing::Combine(::testing::Values("fcfs", "easy", "conservative"),
                                            ::testing::Bool()));

TEST_P(Resume, GoesOnAsOneThatNeverEnded) {
  const auto [discipline, mixed] = GetParam();
  const char* seeds = std::getenv("COPSE_SEEDS");
  const int count = 10 * (seeds == nullptr ? 1 : std::max(1, std::atoi(seeds)));
  std::size_t starts = 0;
  for (int seed = 1; seed <= count; ++seed) {
    ResumedStream stream(static_cast<std::uint64_t>(seed), mixed);
    auto host = std::make_unique<Host>(plan::flat_engine(6, 4, "low"), discipline);
    for (int life = 0; life < 6; ++life) {
      for (int i = 0; i < 20; ++i) {
        stream.step({host.get()});
        (void)host->work();
      }
      const auto again = host->again(discipline);
      for (int i = 0; i < 30; ++i) {
        stream.step({host.get(), again.get()});
        const auto words = host->work();
        ASSERT_EQ(again->work(), words) << "seed " << seed << ", life " << life << ", step " << i;
        ASSERT_EQ(again->engine->fingerprint(), host->engine->fingerprint());
        starts += static_cast<std::size_t>(std::ranges::count_if(
            words, [](const std::string& word) { return word.starts_with("start"); }));
      }
      host = host->again(discipline);
    }
  }
  EXPECT_GT(starts, static_cast<std::size_t>(count) * 10);
}

// Outside grants stay outside; jobs keep their promises next to them.
TEST(DirectGrants, BreakNoPromise) {
  Desk desk(4, "easy");
  desk.submit(1, "slot=3/node", 100);
  desk.submit(2, "slot=4/node", 50);
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100"}));
  auto one = desk.engine->prepare(request_of("slot=1/node"));
  ASSERT_TRUE(one);
  one->set_duration(101);
  EXPECT_EQ(desk.queue.grant_outside_queue(Operation::allocate, *one, 9).error().code,
            ErrorCode::insufficient);
  one->set_duration(100);
  ASSERT_TRUE(desk.queue.grant_outside_queue(Operation::allocate, *one, 9));
  EXPECT_EQ(desk.queue.grant_outside_queue(Operation::allocate, *one, 2).error().code,
            ErrorCode::exists);
  EXPECT_EQ(desk.work(), Words{});
  EXPECT_EQ(desk.queue.promised_start(2), 100);
  EXPECT_EQ(desk.queue.next_time(), 100);
  EXPECT_EQ(desk.queue.free_outside_queue(1).error().code, ErrorCode::invalid);
  ASSERT_TRUE(desk.queue.free_outside_queue(9));
  EXPECT_EQ(desk.queue.free_outside_queue(9).error().code, ErrorCode::not_found);
  desk.advance(100);
  EXPECT_EQ(desk.work(), (Words{"start 2"}));
  EXPECT_EQ(desk.queue.running(), 1U);
}

TEST(DirectGrants, LetJobsStartWhenTheyEnd) {
  Desk desk(2, "easy");
  auto both = desk.engine->prepare(request_of("slot=2/node"));
  ASSERT_TRUE(both);
  both->set_duration(10);
  ASSERT_TRUE(desk.queue.grant_outside_queue(Operation::allocate, *both, 9));
  desk.submit(1, "slot=1/node", 5);
  EXPECT_EQ(desk.work(), (Words{"plan 1 at 10"}));
  ASSERT_TRUE(desk.queue.advance(10));
  EXPECT_EQ(desk.work(), (Words{"start 1"}));
  both->set_duration(100);
  ASSERT_TRUE(desk.queue.grant_outside_queue(Operation::allocate_orelse_reserve, *both, 9));
  EXPECT_EQ(desk.engine->grant(9)->start, 15);
  desk.submit(2, "slot=1/node", 500);
  EXPECT_EQ(desk.work(), (Words{"plan 2 at 115"}));
  ASSERT_TRUE(desk.queue.free_outside_queue(9));
  EXPECT_EQ(desk.work(), (Words{"start 2"}));
  desk.queue.check();
}

}  // namespace
}  // namespace copse::queue
