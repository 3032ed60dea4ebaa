// SPDX-License-Identifier: Apache-2.0
//
// Properties of a queue on random streams of events: on machines with whole nodes, with cores and
// gpus of shared ones, with nodes that only some jobs accept, and with licences.
//
//   COPSE_SEEDS=N  N times as many streams; COPSE_SEED=K  only that one
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>

#include "property/random.hpp"
#include "queue/answers/outlook.hpp"
#include "queue/player.hpp"

namespace copse::queue {
namespace {

#if defined(COPSE_SANITIZED)
constexpr std::uint64_t kStreams = 30;
#else
constexpr std::uint64_t kStreams = 150;
#endif
constexpr int kStreamEvents = 120;

struct Stream {
  World world;
  std::vector<Event> events;
};

std::uint64_t setting(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

Machines machines_of(std::uint64_t seed) {
  switch (seed % 3) {
    case 0: return Machines::whole_nodes;
    case 1: return Machines::shared_nodes;
    default: return Machines::hierarchical;
  }
}

// Streams with numbers from `first` on, made by `adapt`; `test` is called for each. `site`: with
// settings of a site.
template <class Adapt, class Test>
void each_stream(std::uint64_t first, Adapt adapt, Test test, bool site = false) {
  const std::uint64_t one = setting("COPSE_SEED", 0);
  const std::uint64_t count = one > 0 ? 1 : kStreams * setting("COPSE_SEEDS", 1);
  std::uint64_t events = 0;
  for (std::uint64_t n = 0; n < count; ++n) {
    const std::uint64_t seed = one > 0 ? one : first + n;
    property::Random random(seed);
    Stream stream{.world = draw_world(random, machines_of(seed)), .events = {}};
    if (site) draw_site(random, stream.world);
    adapt(stream.world);
    stream.events = draw_events(random, stream.world, kStreamEvents);
    events += stream.events.size();
    if (one > 0) {  // to be examined
      std::cout << stream.world.nodes << " nodes, " << stream.world.fast << " fast, "
                << stream.world.gpus << " gpus, " << stream.world.licences << " licences\n";
      for (const Event& event : stream.events) std::cout << event.text() << "\n";
    }
    test(stream);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "COPSE_SEED=" << seed;
      return;
    }
  }
  std::cout << "[   STREAMS] " << count << ", " << events << " events\n";
}

void as_drawn(World&) {}
void with_outside_grants(World& world) { world.outside = true; }
void one_line(World& world, const char* discipline) {
  world.queues.resize(1);
  world.queues[0].name = "";
  world.queues[0].discipline = discipline;
  world.queues[0].depth = SIZE_MAX;
}

// The cores and gpus that a grant has exclusively.
void add_units(const ResourceGraph& graph, const Grant& grant, std::vector<PoolId>& out) {
  const auto add = [&](PoolId pool) {
    if (graph.leaf(pool)) {
      out.push_back(pool);
      return;
    }
    for (std::uint32_t v = pool.v + 1; v < graph.pool_count(); ++v) {
      if (graph.leaf(PoolId{v}) && graph.parent(PoolId{v}) == pool) out.push_back(PoolId{v});
    }
  };
  for (const SelectedPools& taken : grant.selection.taken) {
    if (!taken.exclusive) continue;
    for (std::uint32_t n = 0; n < taken.count; ++n) add(PoolId{taken.first.v + n});
  }
}

// All running jobs, and all pinned promises.
void expect_no_unit_twice(const Engine& engine) {
  std::map<std::uint32_t, std::vector<const Grant*>> users;
  for (const JobId job : engine.jobs()) {
    const Grant* grant = engine.grant(job);
    std::vector<PoolId> units;
    add_units(engine.graph(), *grant, units);
    std::set<std::uint32_t> once;
    for (const PoolId unit : units) once.insert(unit.v);
    for (const std::uint32_t unit : once) {
      for (const Grant* other : users[unit]) {
        ASSERT_TRUE(other->end <= grant->start || grant->end <= other->start)
            << "unit " << unit << " of job " << job;
      }
      users[unit].push_back(grant);
    }
  }
}

TEST(QueueStream, NoUnitIsGivenTwice) {
  const auto test = [](const Stream& stream) {
    Player player(stream.world);
    for (const Event& event : stream.events) {
      player.play(event);
      ASSERT_NO_FATAL_FAILURE(expect_no_unit_twice(player.engine()));
    }
  };
  each_stream(1, as_drawn, test);
  each_stream(50'001, with_outside_grants, test);
}

TEST(QueueStream, AnEndToldAfterTheClockMovedDecidesTheSame) {
  each_stream(
      150'001, [](World& world) { world.ends_after = false; },
      [](const Stream& stream) {
        World after = stream.world;
        after.ends_after = true;
        Player told_before(stream.world), told_after(after);
        for (const Event& event : stream.events) {
          for (Player* player : {&told_before, &told_after}) player->play(event);
          ASSERT_EQ(told_before.log(), told_after.log());
          ASSERT_EQ(told_before.engine().fingerprint(), told_after.engine().fingerprint());
        }
      });
}

// Jobs run exactly as long as they request, so an end and the clock come in the same second. Whichever
// is told first, the decisions are the same; under conservative, no promise is withdrawn or later.
TEST(QueueStream, EndsAtTheLimitBreakNoPromise) {
  const auto adapt = [](World& world) {
    world.ends_after = false;
    world.in_order = true;
    world.nodes_fail = false;
    for (QueueWorld& queue : world.queues) queue.depth = SIZE_MAX;
  };
  std::uint64_t promised = 0;
  const auto test = [&](const Stream& stream) {
    World after = stream.world;
    after.ends_after = true;
    Player told_before(stream.world), told_after(after);
    for (const Event& event : stream.events) {
      if (event.what != Event::What::submit && event.what != Event::What::advance) continue;
      for (Player* player : {&told_before, &told_after}) player->play(event);
      ASSERT_EQ(told_before.log(), told_after.log());
    }
    for (Player* player : {&told_before, &told_after}) player->advance(player->now_s() + 100'000);
    ASSERT_EQ(told_before.log(), told_after.log());
    ASSERT_EQ(told_before.engine().fingerprint(), told_after.engine().fingerprint());
    std::map<JobId, std::int64_t> promised_s;
    for (const std::string& line : told_after.log()) {
      std::istringstream words(line);
      std::string what, at;
      JobId job = 0;
      std::int64_t start_s = 0;
      words >> what >> job;
      const auto submitted = told_after.submitted().find(job);
      ASSERT_NE(submitted, told_after.submitted().end()) << line;
      const std::size_t queue = submitted->second.queue;
      if (stream.world.queues[queue].discipline != "conservative") continue;
      ASSERT_NE(what, "unplan") << line;
      if (what != "plan") continue;
      words >> at >> start_s;
      const auto known = promised_s.find(job);
      if (known != promised_s.end()) {
        ASSERT_LE(start_s, known->second) << line;
      }
      promised_s[job] = start_s;
    }
    promised += promised_s.size();
    for (const auto& [job, start_s] : promised_s) {
      const auto started = told_after.started_s().find(job);
      ASSERT_NE(started, told_after.started_s().end()) << "job " << job;
      ASSERT_LE(started->second, start_s) << "job " << job;
    }
  };
  for (const std::uint64_t first : {160'001U, 170'001U, 180'001U, 190'001U})  // 600 streams
    each_stream(first, adapt, test);
  EXPECT_GT(promised, 300);
}

TEST(QueueStream, SlicesOfAnySizeDecideTheSame) {
  each_stream(100'001, as_drawn, [](const Stream& stream) {
    Player whole(stream.world), one(stream.world, 1), three(stream.world, 3);
    for (const Event& event : stream.events) {
      for (Player* player : {&whole, &one, &three}) player->play(event);
      ASSERT_EQ(whole.log(), one.log());
      ASSERT_EQ(whole.log(), three.log());
      ASSERT_EQ(whole.engine().fingerprint(), one.engine().fingerprint());
      ASSERT_EQ(whole.engine().fingerprint(), three.engine().fingerprint());
    }
  });
}

// The rules of job_queue.hpp: under conservative, a promise only moves to earlier starts whatever
// other jobs do, until a node changes or the job itself is held.
TEST(QueueStream, ConservativeKeepsItsPromises) {
  const auto adapt = [](World& world) {
    for (QueueWorld& queue : world.queues) queue.depth = SIZE_MAX;
  };
  const auto test = [](const Stream& stream) {
    Player player(stream.world);
    std::map<JobId, std::int64_t> promised_s;
    for (const Event& event : stream.events) {
      player.play(event);
      if (event.what == Event::What::node) promised_s.clear();
      if (event.what == Event::What::hold) promised_s.erase(event.job);
      for (const auto& [job, start_s] : promised_s) {
        const auto state = player.queue().state(job);
        if (!state) continue;
        if (*state == JobState::running) {
          ASSERT_LE(player.started_s().at(job), start_s) << "job " << job << ": " << event.text();
          continue;
        }
        ASSERT_EQ(*state, JobState::promised) << "job " << job << ": " << event.text();
        ASSERT_LE(*player.queue().promised_start(job), start_s)
            << "job " << job << ": " << event.text();
      }
      promised_s.clear();
      for (const auto& [job, submitted] : player.submitted()) {
        if (stream.world.queues[submitted.queue].discipline != "conservative") continue;
        if (const auto start_s = player.queue().promised_start(job)) promised_s[job] = *start_s;
      }
    }
  };
  each_stream(200'001, adapt, test);
  const auto adapt_outside = [&adapt](World& world) {
    adapt(world);
    with_outside_grants(world);
  };
  each_stream(250'001, adapt_outside, test);
}

// When the first job would start without overtaking: the queue without promises, and with depth 1;
// made before each pass.
class Shadow : public QueueSink {
 public:
  Shadow(Player& player, const World& world)
      : engine_(player.engine().clone()), queue_(player.queue().clone(*engine_, *this)) {
    const std::string& queue = world.queues[0].name;
    EXPECT_TRUE(queue_->set_stopped(queue, true));
    EXPECT_TRUE(queue_->set_discipline(queue, *find_discipline("easy"), 1));
    EXPECT_TRUE(queue_->set_stopped(queue, false));
    queue_->work();
  }
  std::optional<std::pair<JobId, std::int64_t>> head() const {
    for (const JobId job : promised_) {
      if (const auto start_s = queue_->promised_start(job)) return std::pair(job, *start_s);
    }
    return std::nullopt;
  }

 private:
  void started(JobId, const Grant&) override {}
  void planned(JobId job, std::int64_t) override { promised_.push_back(job); }
  void denied(JobId, const Error&) override {}

  std::unique_ptr<Engine> engine_;
  std::unique_ptr<JobQueue> queue_;
  std::vector<JobId> promised_;
};

TEST(QueueStream, NobodyWhoPassesDelaysTheHeadOfEasy) {
  const auto adapt = [](World& world) {
    one_line(world, "easy");
    world.in_order = true;
    world.fast = world.nodes;  // else the head depends on which nodes jobs before it get
  };
  each_stream(300'001, adapt, [](const Stream& stream) {
    std::optional<Player> player;
    std::optional<Shadow> shadow;
    const auto watch = [&](const Step& step) {
      if (step.what != Step::What::work) {
        shadow.emplace(*player, stream.world);
        return;
      }
      const auto head = shadow ? shadow->head() : std::nullopt;
      if (!head) return;
      const auto promised_s = player->queue().promised_start(head->first);
      if (player->queue().state(head->first) == JobState::running) return;
      ASSERT_TRUE(promised_s) << "job " << head->first;
      ASSERT_LE(*promised_s, head->second) << "job " << head->first;
    };
    player.emplace(stream.world, UINT64_MAX, watch);
    for (const Event& event : stream.events) {
      player->play(event);
      if (testing::Test::HasFailure()) return;
    }
  });
}

// Without further events, each waiting job starts in the second that the outlook has.
TEST(QueueStream, TheOutlookComesTrueToTheSecond) {
  std::size_t exact = 0, estimated = 0;
  const auto test = [&](const Stream& stream) {
    Player player(stream.world);
    for (const Event& event : stream.events) {
      if (event.late_s == 0) player.play(event);
    }
    Outlook outlook(player.queue());
    WorkBudget all;
    ASSERT_TRUE(outlook.work(all));
    std::int64_t last_s = 0;
    for (const Outlook::Entry& entry : outlook.entries()) {
      ++(entry.estimated ? estimated : exact);
      if (entry.start_s && !entry.estimated) last_s = std::max(last_s, *entry.start_s);
    }
    const std::int64_t far_s = player.now_s() + 1'000'000;
    if (last_s > player.now_s()) player.advance(std::min(last_s, far_s));
    for (const Outlook::Entry& entry : outlook.entries()) {
      if (!entry.start_s || *entry.start_s > far_s || entry.estimated) continue;
      const auto started = player.started_s().find(entry.job);
      ASSERT_NE(started, player.started_s().end()) << "job " << entry.job;
      ASSERT_EQ(started->second, *entry.start_s) << "job " << entry.job;
    }
  };
  each_stream(400'001, as_drawn, test);
  each_stream(450'001, as_drawn, test, true);
  each_stream(480'001, with_outside_grants, test);
  // Where some job never starts, priorities that move make events without end.
  EXPECT_LT(estimated, exact / 10);
}

TEST(QueueStream, WhenAllIsOverTheEngineIsAsItWas) {
  each_stream(500'001, as_drawn, [](const Stream& stream) {
    Player player(stream.world, 2);
    for (const Event& event : stream.events) player.play(event);
    for (const PoolId node : player.nodes()) player.queue().set_status(node, Status::up);
    player.clear();
    ASSERT_EQ(player.queue().running(), 0U);
    ASSERT_EQ(player.queue().waiting(), 0U);
    ASSERT_EQ(player.engine().grant_count(), 0U);
    const auto fresh = engine_of(stream.world);
    ASSERT_TRUE(fresh->advance(player.now_s()));
    ASSERT_EQ(player.engine().fingerprint(), fresh->fingerprint());
  });
}

}  // namespace
}  // namespace copse::queue
