// SPDX-License-Identifier: Apache-2.0
//
// Random events for a queue. The engine asserts that no unit is given twice; here: promises are
// kept, the head of EASY is delayed by nobody, slices of any size decide the same, and when all is
// cancelled the engine is as it was.
#include "property/random.hpp"
#include "property/seeds.hpp"
#include "queue/answers/outlook.hpp"
#include "queue/events.hpp"

namespace copse::property {
namespace {

using queue::Desk;
using queue::JobState;
using queue::Outlook;
using queue::Slice;
using queue::Words;

constexpr std::uint64_t kSeeds = 300;
constexpr int kEvents = 120;

struct Event {
  enum class Kind : std::uint8_t { submit, cancel, hold, release, priority, end, advance, status };
  Kind kind = Kind::submit;
  JobId job = 0;
  std::string shape{};
  std::int64_t number = 0;  // a duration, a priority, a time that passes, a node
};

struct Stream {
  int nodes = 1;
  const char* discipline = "easy";
  std::size_t depth = SIZE_MAX;
  bool calm = true;  // nothing that changes the order, and no node goes down
  std::vector<Event> events;
};

std::string shape_of(Random& random, int nodes, bool cores) {
  if (cores && random.chance(40)) {
    return "slot=" + std::to_string(random.between(1, 3)) +
           "/core=" + std::to_string(random.between(1, 4));
  }
  return "slot=" + std::to_string(random.between(1, random.chance(30) ? nodes : 2)) + "/node";
}

Stream stream_of(std::uint64_t seed) {
  Random random(seed);
  Stream out;
  out.nodes = static_cast<int>(random.between(2, 6));
  out.discipline = random.pick<const char*>({"fcfs", "easy", "hybrid", "conservative"});
  if (random.chance(15)) out.depth = static_cast<std::size_t>(random.between(1, 5));
  out.calm = random.chance(50);
  const bool cores = random.chance(40);
  JobId jobs = 0;
  for (int n = 0; n < kEvents; ++n) {
    Event event;
    const std::uint64_t dice = random.below(100);
    event.job = jobs == 0 ? 0 : 1 + random.below(jobs);
    if (dice < 40 || jobs == 0) {
      event.job = ++jobs;
      event.shape = shape_of(random, out.nodes, cores);
      event.number = random.between(1, 40);
    } else if (dice < 65) {
      event.kind = Event::Kind::advance;
      event.number = random.between(1, 12);
    } else if (dice < 80) {
      event.kind = Event::Kind::end;
    } else if (dice < 85) {
      event.kind = Event::Kind::cancel;
    } else if (out.calm) {
      continue;
    } else if (dice < 90) {
      event.kind = Event::Kind::hold;
    } else if (dice < 94) {
      event.kind = Event::Kind::release;
    } else if (dice < 98) {
      event.kind = Event::Kind::priority;
      event.number = random.between(-3, 3);
    } else {
      event.kind = Event::Kind::status;
      event.number = random.between(0, out.nodes - 1);
    }
    out.events.push_back(event);
  }
  return out;
}

// A desk that is told the events of a stream.
class Player {
 public:
  Player(const Stream& stream, std::uint64_t looks)
      : looks_(looks), desk_(stream.nodes, stream.discipline, stream.depth) {}

  Desk& desk() { return desk_; }
  const Words& log() const { return log_; }

  void play(const Event& event) {
    Seeds::add_steps(1);
    queue::JobQueue& queue = desk_.queue;
    switch (event.kind) {
      case Event::Kind::submit: desk_.submit(event.job, event.shape, event.number); break;
      case Event::Kind::cancel: (void)queue.cancel(event.job); break;
      case Event::Kind::hold: (void)queue.hold(event.job); break;
      case Event::Kind::release: (void)queue.release(event.job); break;
      case Event::Kind::priority: (void)queue.set_priority(event.job, event.number); break;
      case Event::Kind::end:
        if (desk_.said.running.contains(event.job)) desk_.end(event.job, desk_.engine->now());
        break;
      case Event::Kind::advance: advance(desk_.engine->now() + event.number); break;
      case Event::Kind::status: {
        const ResourceGraph& graph = desk_.engine->graph();
        const PoolId node =
            graph.of_type(graph.find_type("node"))[static_cast<std::size_t>(event.number)];
        const bool up = desk_.engine->status(node) == Status::up;
        queue.set_status(node, up ? Status::down : Status::up);
        break;
      }
    }
    work();
  }

  // From event to event, as a host does.
  void advance(std::int64_t until_s) {
    for (;;) {
      std::int64_t next_s = until_s;
      for (const auto& [job, end_s] : desk_.said.running) next_s = std::min(next_s, end_s);
      if (const auto due_s = desk_.queue.next_time()) next_s = std::min(next_s, *due_s);
      next_s = std::max(next_s, desk_.engine->now());
      for (const auto& [job, end_s] : std::map(desk_.said.running)) {
        if (end_s <= next_s) desk_.end(job, end_s);
      }
      ASSERT_TRUE(desk_.queue.advance(next_s));
      work();
      if (next_s == until_s) return;
    }
  }

  void work() {
    for (;;) {
      Slice slice{.looks = looks_};
      if (desk_.queue.work(slice)) break;
    }
    desk_.queue.check();
    for (const auto& word : desk_.said.take()) log_.push_back(word);
  }

 private:
  const std::uint64_t looks_;
  Desk desk_;
  Words log_;
};

TEST(QueueProperty, SlicesOfAnySizeDecideTheSame) {
  Seeds(1, kSeeds).each([](std::uint64_t seed) {
    const Stream stream = stream_of(seed);
    Player whole(stream, UINT64_MAX), one(stream, 1), three(stream, 3);
    for (const Event& event : stream.events) {
      for (Player* player : {&whole, &one, &three}) player->play(event);
      ASSERT_EQ(whole.log(), one.log());
      ASSERT_EQ(whole.log(), three.log());
      ASSERT_EQ(whole.desk().engine->fingerprint(), one.desk().engine->fingerprint());
    }
  });
}

// Where the order stays as it is and no node goes down, a promise is never of a later start. (EASY
// and hybrid promise only those that are first: who has a promise is first until it starts.)
TEST(QueueProperty, PromisesAreKept) {
  Seeds(10'000, kSeeds).each([](std::uint64_t seed) {
    Stream stream = stream_of(seed);
    if (!stream.calm) return;
    Player player(stream, UINT64_MAX);
    std::map<JobId, std::int64_t> promised_s;
    for (const Event& event : stream.events) {
      player.play(event);
      for (const auto& [job, start_s] : player.desk().said.planned_s) {
        const auto [known, fresh] = promised_s.emplace(job, start_s);
        ASSERT_LE(start_s, known->second) << "job " << job;
        known->second = start_s;
      }
      for (const auto& [job, start_s] : promised_s) {
        const auto state = player.desk().queue.state(job);
        if (!state || *state == JobState::running) continue;
        ASSERT_EQ(*state, JobState::promised) << "job " << job;
        ASSERT_GT(start_s, player.desk().engine->now()) << "job " << job;
      }
    }
  });
}

TEST(QueueProperty, WhenAllIsCancelledTheEngineIsAsItWas) {
  Seeds(20'000, kSeeds).each([](std::uint64_t seed) {
    Stream stream = stream_of(seed);
    std::erase_if(stream.events, [](const Event& e) { return e.kind == Event::Kind::status; });
    Player player(stream, 2);
    for (const Event& event : stream.events) player.play(event);
    Desk& desk = player.desk();
    for (JobId job = 1; job <= static_cast<JobId>(kEvents); ++job) {
      const auto state = desk.queue.state(job);
      if (!state) continue;
      if (*state == JobState::running) {
        desk.end(job, desk.engine->now());
      } else {
        ASSERT_TRUE(desk.queue.cancel(job));
      }
    }
    player.work();
    ASSERT_EQ(desk.queue.running(), 0U);
    ASSERT_EQ(desk.engine->grant_count(), 0U);
    const auto fresh = plan::flat_engine(stream.nodes, 4);
    ASSERT_TRUE(fresh->advance(desk.engine->now()));
    ASSERT_EQ(desk.engine->fingerprint(), fresh->fingerprint());
  });
}

// Nobody disturbs it: each job that waits starts in the second that the outlook has, which under
// conservative is the one that it was told.
TEST(QueueProperty, TheOutlookComesTrueToTheSecond) {
  Seeds(40'000, kSeeds).each([](std::uint64_t seed) {
    Stream stream = stream_of(seed);
    stream.discipline = seed % 2 == 0 ? "conservative" : "fcfs";
    stream.depth = SIZE_MAX;
    Player player(stream, UINT64_MAX);
    for (const Event& event : stream.events) {
      if (event.kind == Event::Kind::submit) player.play(event);
    }
    Outlook outlook(player.desk().queue);
    Slice all;
    ASSERT_TRUE(outlook.work(all));
    std::vector<std::pair<std::int64_t, JobId>> starts;
    for (const Outlook::Entry& entry : outlook.entries()) {
      if (entry.start_s) starts.emplace_back(*entry.start_s, entry.job);
    }
    std::ranges::sort(starts);
    for (const auto& [start_s, job] : starts) {
      if (player.desk().engine->now() < start_s - 1) player.advance(start_s - 1);
      if (player.desk().engine->now() < start_s) {
        ASSERT_NE(player.desk().queue.state(job), JobState::running) << "job " << job;
        player.advance(start_s);
      }
      ASSERT_EQ(player.desk().queue.state(job), JobState::running) << "job " << job;
    }
  });
}

}  // namespace
}  // namespace copse::property
