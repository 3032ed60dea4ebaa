// SPDX-License-Identifier: Apache-2.0
//
// Random events for a queue with reservations. After each: no core has two jobs at any time, or a
// job outside its reservation; a job that names no reservation has no reserved core, unless it ran
// there before; a job that names one runs in it. When all is cancelled the engine is as at the
// start.
#include "base/job_id.hpp"
#include "queue/events.hpp"

#include <algorithm>
#include <set>

#include "property/random.hpp"
#include "property/seeds.hpp"
#include "request/constraint.hpp"

namespace copse::property {
namespace {

using queue::JobState;
using queue::ReservationSpec;
using queue::ReservationView;

constexpr std::uint64_t kReservationSeeds = 200;
constexpr int kReservationEvents = 80;

struct SaidBooked : queue::Said {
  struct Time {
    std::string name;
    std::int64_t start_s, end_s;
    std::set<JobId> before;  // that ran when the reservation was booked
  };
  std::vector<Time> times;
  void reserved(const std::string& name, std::int64_t start_s, std::int64_t end_s,
                const std::vector<PoolId>&) override {
    Time made{name, start_s, end_s, {}};
    for (const auto& [job, end] : running) made.before.insert(job);
    times.push_back(std::move(made));
  }
};

// The times at which jobs have a core.
struct Held {
  std::int64_t from_s, until_s;
  JobId job;
};

class ReservedDesk {
 public:
  ReservedDesk(std::uint64_t seed, std::uint64_t visits)
      : random_(seed),
        looks_(visits),
        nodes_(static_cast<int>(random_.between(2, 5))),
        engine_(plan::flat_engine(nodes_, 4, "low")),
        queue_(*engine_, {{.discipline = *find_discipline(discipline())}}, said_) {}

  // One event, and its effects.
  void step() {
    Seeds::add_steps(1);
    const std::uint64_t dice = random_.below(100);
    if (dice < 35) {
      submit();
    } else if (dice < 60) {
      advance(engine_->now() + random_.between(1, 12));
    } else if (dice < 72) {
      if (!said_.running.empty()) end(pick(said_.running), engine_->now());
    } else if (dice < 76) {
      if (jobs_ > 0) (void)queue_.cancel(1 + random_.below(jobs_));
    } else if (dice < 92) {
      reserve();
    } else if (dice < 96) {
      (void)queue_.cancel_reservation(name());
    } else {
      ReservationSpec other = spec();
      (void)queue_.change_reservation(other);
    }
    work();
  }

  void check() {
    const auto held = held_cores();
    for (const auto& [core, list] : held) {
      for (std::size_t i = 1; i < list.size(); ++i) {
        ASSERT_LE(list[i - 1].until_s, list[i].from_s)
            << "core " << core << ": " << list[i - 1].job << " and " << list[i].job;
      }
    }
    for (const ReservationView& view : queue_.reservations()) {
      for (const ReservationView::Time& time : view.times) check(view.name, time, held);
    }
    for (const auto& [job, name] : named_) {
      const Grant* grant = engine_->grant(job);
      if (grant == nullptr) continue;
      const auto& inside = started_in_.at(job);
      ASSERT_GE(grant->start, inside.from_s) << "job " << job;
      ASSERT_LE(grant->end, inside.until_s) << "job " << job;
      for (const PoolId node : nodes_of(*grant)) {
        ASSERT_TRUE(std::ranges::binary_search(inside.nodes, node)) << "job " << job;
      }
    }
  }

  void end_all() {
    for (const ReservationView& view : queue_.reservations()) {
      ASSERT_TRUE(queue_.cancel_reservation(view.name));
    }
    for (JobId job = 1; job <= jobs_; ++job) {
      const auto state = queue_.state(job);
      if (!state) continue;
      if (*state == JobState::running) {
        end(job, engine_->now());
      } else {
        ASSERT_TRUE(queue_.cancel(job));
      }
    }
    work();
    ASSERT_EQ(engine_->grant_count(), 0U);
    const auto fresh = plan::flat_engine(nodes_, 4);
    ASSERT_TRUE(fresh->advance(engine_->now()));
    ASSERT_EQ(engine_->fingerprint(), fresh->fingerprint());
  }

  [[nodiscard]] const queue::Words& log() const { return log_; }
  [[nodiscard]] std::uint64_t fingerprint() const { return engine_->fingerprint(); }

 private:
  const char* discipline() {
    return random_.pick<const char*>({"fcfs", "easy", "hybrid", "conservative"});
  }
  std::string name() { return random_.pick<const char*>({"a", "b", "c"}); }
  std::string shape() {
    if (random_.chance(50)) return "slot=" + std::to_string(random_.between(1, 2)) + "/node";
    return "slot=" + std::to_string(random_.between(1, 3)) +
           "/core=" + std::to_string(random_.between(1, 3));
  }
  template <class Map>
  JobId pick(const Map& map) {
    return std::next(map.begin(), static_cast<std::ptrdiff_t>(random_.below(map.size())))->first;
  }

  ReservationSpec spec() {
    ReservationSpec out{.name = name(),
                        .start_s = engine_->now() + random_.between(0, 30),
                        .duration_s = random_.between(5, 30)};
    if (random_.chance(30)) {
      out.request = queue::request_of("slot=" + std::to_string(random_.between(1, 2)) + "/node");
    } else {
      const std::int64_t first = random_.between(0, nodes_ - 1);
      const auto made =
          parse_constraint("{\"hostlist\": [\"node[" + std::to_string(first) + "-" +
                           std::to_string(random_.between(first, nodes_ - 1)) + "]\"]}");
      EXPECT_TRUE(made);
      out.constraint = *made;
    }
    if (random_.chance(30)) {
      out.every_s = out.duration_s + random_.between(0, 20);
      out.count = random_.between(1, 12);
    }
    return out;
  }

  void reserve() { (void)queue_.reserve(spec()); }

  void submit() {
    const std::string what = shape();
    const Request request = queue::request_of(what);
    const std::string reservation = random_.chance(40) ? name() : "";
    const auto ok = queue_.submit({.id = ++jobs_,
                                   .submit_s = engine_->now(),
                                   .duration_s = random_.between(1, 25),
                                   .priority = random_.between(0, 2),
                                   .reservation = reservation,
                                   .kind = what,
                                   .request = &request});
    if (ok && !reservation.empty()) named_[jobs_] = reservation;
  }

  void end(JobId job, std::int64_t at_s) {
    ASSERT_TRUE(queue_.ended(job, at_s)) << job;
    said_.running.erase(job);
  }

  void advance(std::int64_t until_s) {
    for (;;) {
      std::int64_t next_s = until_s;
      for (const auto& [job, end_s] : said_.running) next_s = std::min(next_s, end_s);
      if (const auto due_s = queue_.next_time()) next_s = std::min(next_s, *due_s);
      next_s = std::max(next_s, engine_->now());
      for (const auto& [job, end_s] : std::map(said_.running)) {
        if (end_s <= next_s) end(job, end_s);
      }
      ASSERT_TRUE(queue_.advance(next_s));
      work();
      if (next_s == until_s) return;
    }
  }

  void work() {
    for (;;) {
      queue::WorkBudget budget{.jobs = looks_};
      if (queue_.work(budget)) break;
    }
    queue_.check();
    for (const auto& [job, name] : named_) {
      if (started_in_.contains(job) || queue_.state(job) != JobState::running) continue;
      for (const ReservationView& view : queue_.reservations()) {
        if (view.name == name) started_in_[job] = view.times.front();
      }
      ASSERT_TRUE(started_in_.contains(job)) << "job " << job;
    }
    for (const auto& word : said_.take()) log_.push_back(word);
  }

  std::vector<PoolId> nodes_of(const Grant& grant) const {
    std::vector<ExpandedPool> pools;
    expand(engine_->graph(), grant.selection, pools);
    std::vector<PoolId> out;
    for (const PoolId node : all_nodes()) {
      const bool has = std::ranges::any_of(pools, [&](const ExpandedPool& pool) {
        return pool.pool != engine_->graph().root() && engine_->graph().below(pool.pool, node);
      });
      if (has) out.push_back(node);
    }
    return out;
  }
  std::vector<PoolId> all_nodes() const {
    return engine_->graph().of_type(engine_->graph().find_type("node"));
  }

  std::map<std::uint32_t, std::vector<Held>> held_cores() const {
    const ResourceGraph& graph = engine_->graph();
    const auto cores = graph.of_type(graph.find_type("core"));
    std::map<std::uint32_t, std::vector<Held>> out;
    for (const PoolId core : cores) out[core.v];
    for (const JobId job : engine_->jobs()) {
      const Grant& grant = *engine_->grant(job);
      std::vector<ExpandedPool> pools;
      expand(graph, grant.selection, pools);
      for (const PoolId core : cores) {
        const bool has = std::ranges::any_of(pools, [&](const ExpandedPool& pool) {
          return pool.exclusive && graph.below(core, pool.pool);
        });
        if (has) out[core.v].push_back({grant.start, grant.end, job});
      }
    }
    for (auto& [core, list] : out) std::ranges::sort(list, {}, &Held::from_s);
    return out;
  }

  void check(const std::string& name, const ReservationView::Time& time,
             const std::map<std::uint32_t, std::vector<Held>>& held) {
    const ResourceGraph& graph = engine_->graph();
    for (const auto& [core, list] : held) {
      const PoolId node = graph.parent(PoolId{core});
      if (!std::ranges::binary_search(time.nodes, node)) continue;
      std::int64_t reached_s = std::max(time.from_s, engine_->now());
      for (const Held& holder : list) {
        if (holder.until_s <= reached_s || holder.from_s >= time.until_s) continue;
        ASSERT_LE(holder.from_s, reached_s) << "reservation " << name << ", core " << core;
        reached_s = holder.until_s;
        if (is_reservation(holder.job)) continue;
        const auto named = named_.find(holder.job);
        const auto made = std::find_if(
            said_.times.rbegin(), said_.times.rend(),
            [&](const SaidBooked::Time& t) { return t.name == name && t.start_s == time.from_s; });
        ASSERT_NE(made, said_.times.rend());
        ASSERT_TRUE(made->before.contains(holder.job) ||
                    (named != named_.end() && named->second == name))
            << "job " << holder.job << " is in reservation " << name;
      }
      ASSERT_GE(reached_s, time.until_s) << "reservation " << name << ", core " << core;
    }
  }

  Random random_;
  std::uint64_t looks_;
  int nodes_;
  SaidBooked said_;
  std::unique_ptr<Engine> engine_;
  queue::JobQueue queue_;
  JobId jobs_ = 0;
  std::map<JobId, std::string> named_;  // reservations
  std::map<JobId, ReservationView::Time> started_in_;
  queue::Words log_;
};

TEST(ReservationProperty, NodesAreReservedAndNobodysTwice) {
  Seeds(60'000, kReservationSeeds).each([](std::uint64_t seed) {
    ReservedDesk desk(seed, UINT64_MAX);
    for (int n = 0; n < kReservationEvents; ++n) {
      desk.step();
      if (testing::Test::HasFatalFailure()) return;
      desk.check();
      if (testing::Test::HasFatalFailure()) return;
    }
    desk.end_all();
  });
}

TEST(ReservationProperty, SlicesOfAnySizeDecideTheSame) {
  Seeds(70'000, kReservationSeeds).each([](std::uint64_t seed) {
    ReservedDesk whole(seed, UINT64_MAX), one(seed, 1);
    for (int n = 0; n < kReservationEvents; ++n) {
      whole.step();
      one.step();
      ASSERT_EQ(whole.log(), one.log());
      ASSERT_EQ(whole.fingerprint(), one.fingerprint());
    }
  });
}

}  // namespace
}  // namespace copse::property
