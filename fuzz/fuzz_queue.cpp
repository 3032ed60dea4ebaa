// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as events for a queue: a machine and events as tests/queue/event_stream.hpp draws them,
// and others that no host should send: ids that are not there, times that go back, durations beyond
// every horizon, many jobs at one second, events between the budgets of a pass. The queue keeps its
// invariants after each, and in the end the engine is as it was.
#include <cstdint>
#include <string>

#include "byte_draws.hpp"
#include "go_on.hpp"
#include "queue/player.hpp"
#include "target.hpp"

namespace {

using copse::fuzz::ByteDraws;
using copse::fuzz::require;
using namespace copse::queue;

constexpr int kEventsMax = 400;
// Held promises are looked for at all times at which something ends. Of 3,000 jobs an input took
// 1.5 s, and 43 s with sanitizers.
constexpr std::uint64_t kJobsMax = 600;

class Hostile {
 public:
  Hostile(const World& world, Player& player, ByteDraws& draws)
      : world_(world), player_(player), draws_(draws) {}

  std::uint64_t jobs = 0;  // submitted, with ids from 1 on

  void event() {
    JobQueue& queue = player_.queue();
    const std::uint64_t any = draws_.chance(50) ? 1 + draws_.below(jobs + 2) : number();
    switch (draws_.below(10)) {
      case 0:
        (void)queue.advance(player_.now_s() - static_cast<std::int64_t>(draws_.below(99)));
        break;
      case 1: submit(any, time()); break;
      case 2: burst(); break;
      case 3: (void)queue.ended(any, time()); break;
      case 4: (void)queue.set_end(any, time()); break;
      case 5: (void)queue.set_duration(any, time()); break;
      case 6: (void)queue.set_stopped(queue_name(), draws_.chance(50)); break;
      case 7:
        (void)queue.ended_part(any, {&player_.nodes()[draws_.below(player_.nodes().size())], 1});
        break;
      case 8: {
        WorkBudget one{.jobs = 1};
        (void)queue.work(one);
        break;
      }
      default:
        (void)queue.cancel(any);
        (void)queue.hold(number());
        (void)queue.release(number());
        (void)queue.set_priority(any, time());
    }
  }

 private:
  std::uint64_t number() {
    return draws_.pick<std::uint64_t>({0, UINT64_MAX, UINT64_MAX / 2 + 1, jobs + 1});
  }
  std::int64_t time() {
    const std::int64_t now_s = player_.now_s(), horizon_s = player_.engine().options().horizon;
    return draws_.pick<std::int64_t>(
        {now_s, now_s + 1, now_s + 50, 0, -1, horizon_s, horizon_s + 1, INT64_MAX, INT64_MIN});
  }
  std::string queue_name() {
    return draws_.chance(10) ? "nowhere" : world_.queues[draws_.below(world_.queues.size())].name;
  }
  void submit(std::uint64_t id, std::int64_t duration_s) {
    const Ask ask = draw_ask(draws_, world_);
    const copse::Request request = request_of(ask);
    const std::string kind = ask.kind(), queue = queue_name();
    (void)player_.queue().submit({.id = id,
                                  .submit_s = time(),
                                  .duration_s = duration_s,
                                  .priority = time(),
                                  .on_hold = draws_.chance(10),
                                  .queue = queue,
                                  .kind = kind,
                                  .request = &request});
    if (id <= jobs + 2) jobs = std::max(jobs, id);
  }
  void burst() {
    Event event;
    event.ask = draw_ask(draws_, world_);
    event.queue = draws_.below(world_.queues.size());
    event.seconds = 1 + static_cast<std::int64_t>(draws_.below(100));
    for (std::uint64_t n = draws_.below(300); n > 0 && jobs < kJobsMax; --n) {
      event.job = ++jobs;
      player_.tell(event);
    }
  }

  const World& world_;
  Player& player_;
  ByteDraws& draws_;
};

// All who are there leave.
void clear(Player& player, std::uint64_t jobs) {
  JobQueue& queue = player.queue();
  for (const copse::PoolId node : player.nodes()) queue.set_status(node, copse::Status::up);
  const auto leave = [&](std::uint64_t id) {
    const auto state = queue.state(id);
    if (!state) return;
    require(*state == JobState::running ? queue.ended(id, player.now_s()).has_value()
                                        : queue.cancel(id).has_value());
  };
  for (std::uint64_t id = 1; id <= jobs + 1; ++id) leave(id);
  leave(UINT64_MAX / 2 + 1);
  leave(UINT64_MAX);
}

}  // namespace

FUZZ_TARGET(queue) {
  if (size > 4096) return 0;
  ByteDraws draws(data, size);
  const World world = draw_world(draws, static_cast<Machines>(draws.below(3)));
  Player player(world, draws.pick<std::uint64_t>({UINT64_MAX, 1, 3}));
  Hostile hostile(world, player, draws);
  for (int n = 0; n < kEventsMax && !draws.over() && hostile.jobs < kJobsMax; ++n) {
    if (draws.chance(30)) {
      hostile.event();
    } else {
      const Event event = draw_event(draws, world, hostile.jobs);
      if (event.what == Event::What::submit) ++hostile.jobs;
      if (draws.chance(20)) {
        player.tell(event);
      } else {
        player.play(event);
      }
    }
    player.queue().check();
  }
  clear(player, hostile.jobs);
  player.work();
  require(player.queue().running() == 0 && player.queue().waiting() == 0);
  require(player.engine().grant_count() == 0);
  const auto fresh = engine_of(world);
  require(fresh->advance(player.now_s()).has_value());
  require(player.engine().fingerprint() == fresh->fingerprint());
  return 0;
}
