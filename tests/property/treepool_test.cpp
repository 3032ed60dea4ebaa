// SPDX-License-Identifier: Apache-2.0
//
// Streams of requests and events on random machines of random topologies: uneven depth, several
// types of nodes, domains that overlap, are empty or incomplete, and ranks that do not begin at 0.
// Every answer is compared with the oracle's.
// See seeds.hpp.
#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/treepool_machine.hpp"
#include "property/hres_generator.hpp"
#include "property/left_behind.hpp"
#include "property/random.hpp"
#include "property/reborn.hpp"
#include "property/seeds.hpp"
#include "property/treepool_oracle.hpp"

namespace copse::property {
namespace {

constexpr std::int64_t kHorizon = 3'153'600'000;

class TreepoolCase {
 public:
  explicit TreepoolCase(std::uint64_t seed) : random_(seed), left_behind_(seed) {
    std::vector<test::Nodes> kinds;
    int rank = static_cast<int>(random_.chance(30) ? random_.between(1, 5) : 0);
    const std::int64_t count = random_.between(1, 3);
    for (std::int64_t k = 0; k < count; ++k) {
      TreeOracle::Node node;
      const int cores = static_cast<int>(random_.between(1, random_.chance(10) ? 140 : 24));
      const int gpus = static_cast<int>(random_.between(0, 4));
      for (int c = 0; c < cores; ++c) node.owned.cores.insert(c);
      for (int g = 0; g < gpus; ++g) node.owned.gpus.insert(g);
      node.topo.inside = split(node.owned, 0, random_.between(0, 3));
      strew(node.topo, node.owned);
      if (random_.chance(15)) node.owned.cores.insert(cores + 3);  // that is in no domain
      std::set<int> ranks;
      for (std::int64_t n = random_.between(1, 5); n > 0; --n) {
        ranks.insert(rank);
        oracle_.nodes[rank] = node;
        rank += random_.chance(10) ? 2 : 1;
      }
      kinds.push_back({idset_of(ranks), idset_of(node.owned.cores), idset_of(node.owned.gpus),
                       node.topo.json()});
    }
    for (const auto& [r, node] : oracle_.nodes) ranks_.push_back(r);
    oracle_.merge_layouts();
    text_ = test::r_of(kinds);
    sockets_ = random_.chance(40);
    machine_ = std::make_unique<test::TreepoolMachine>(text_, sockets_);
  }

  void run() {
    const std::int64_t steps = random_.between(10, 50);
    Twin twin;
    EXPECT_EQ(twin.follow(*machine_->engine), "");
    for (std::int64_t i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      if (left_behind_.now(15)) {
        machine_->engine->observe(nullptr);
        EXPECT_EQ(left_behind_.split(machine_->engine), "");
        EXPECT_EQ(twin.follow(*machine_->engine), "");
      }
      step();
      Seeds::add_steps(1);
      EXPECT_EQ(twin.catch_up(), "");
      if (i % 4 == 1) {
        EXPECT_EQ(twin.swap(machine_->engine), "");
      }
      if (i % 4 == 3) {
        EXPECT_EQ(save_and_load(machine_->engine), "");
        EXPECT_EQ(twin.follow(*machine_->engine), "");
      }
    }
    machine_->engine->observe(nullptr);
    if (::testing::Test::HasFailure()) ADD_FAILURE() << text_ << '\n' << log_;
  }

 private:
  // --- Machines
  // Domains that partition the ids, with `depth` more levels of them.
  std::vector<Topo> split(const Ids& ids, std::size_t level, std::int64_t depth) {
    static const std::vector<std::string> kNames{"socket", "numa", "l3", "apu"};
    std::vector<Topo> out;
    if (depth <= 0) return out;
    const std::int64_t parts = random_.between(1, 4);
    for (std::int64_t p = 0; p < parts; ++p) {
      Topo made{kNames[level], {}, {}};
      for (int c : ids.cores) {
        if (c * parts / (1 + *ids.cores.rbegin()) == p) made.own.cores.insert(c);
      }
      for (int g : ids.gpus) {
        if (g % parts == p) made.own.gpus.insert(g);
      }
      // Some branches end earlier.
      auto inside = split(made.own, level + 1, depth - random_.between(1, 2));
      if (!inside.empty()) {
        const bool keep_cores = random_.chance(10), keep_gpus = random_.chance(20);
        if (keep_gpus) {
          for (Topo& t : inside) t.own.gpus.clear();
        } else {
          made.own.gpus.clear();
        }
        if (!keep_cores) made.own.cores.clear();
        made.inside = std::move(inside);
      }
      out.push_back(std::move(made));
    }
    return out;
  }

  // Topologies of hwloc and by hand: memory alone, the same cores twice, missing ids.
  void strew(Topo& topo, const Ids& owned) {
    if (!topo.inside.empty() && random_.chance(15)) {
      topo.inside.push_back({topo.inside[0].name, {}, {}});
    }
    if (!topo.inside.empty() && random_.chance(10)) {
      const Topo twice = topo.inside[0];
      topo.inside.push_back(twice);
    }
    if (!topo.inside.empty() && random_.chance(10)) topo.inside.back().own.cores.insert(900);
    if (random_.chance(5)) topo.own.gpus = owned.gpus;
  }

  // --- Requests
  // Most requests are repeated: data that the engine caches for a request must stay valid.
  TreeJob request() {
    if (known_.size() == 3 && random_.chance(70)) return random_.pick(known_);
    TreeJob job = new_request();
    if (known_.size() < 3) known_.push_back(job);
    return job;
  }

  TreeJob new_request() {
    TreeJob job;
    job.by_node = random_.chance(50);
    job.units_min = random_.between(1, job.by_node ? 4 : 8);
    job.units_max = job.units_min;
    if (job.by_node) job.nodes_min = job.nodes_max = random_.between(1, random_.chance(50) ? 2 : 5);
    const std::int64_t what = random_.between(0, 9);
    if (what < 4) {
      job.cores = static_cast<int>(random_.between(1, random_.chance(70) ? 4 : 24));
    } else if (what < 7) {
      job.cores = static_cast<int>(random_.between(1, random_.chance(70) ? 4 : 12));
      job.gpus = static_cast<int>(random_.between(1, 2));
    } else if (what < 9) {
      job.domain = random_.pick({"socket", "numa", "l3", "apu"});
      job.units_min = job.units_max = random_.between(1, 3);
    } else {
      job.by_node = job.whole = true;
      job.nodes_min = job.nodes_max = random_.between(1, 3);
      job.units_min = job.units_max = 1;
    }
    if (job.by_node && job.units_min > 0 && (job.cores > 0) && random_.chance(20)) job.whole = true;
    if (random_.chance(15)) {
      const std::int64_t more = random_.between(1, 6);
      const bool open = random_.chance(30);
      if (job.by_node && random_.chance(50)) {
        job.nodes_max = open ? INT64_MAX : job.nodes_min + more;
      } else if (job.cores > 0 || !job.domain.empty()) {
        job.units_max = open ? INT64_MAX : job.units_min + more;
      }
    }
    if (random_.chance(10)) {
      for (int rank : ranks_) {
        if (random_.chance(50)) job.ranks.insert(rank);
      }
    }
    return job;
  }

  // --- Events
  void step() {
    if (sockets_ && random_.chance(20)) return take_socket();
    const std::uint64_t what = random_.below(100);
    if (what < 45) return ask(Operation::allocate);
    if (what < 55) return ask(Operation::allocate_orelse_reserve);
    if (what < 60) return satisfy();
    if (what < 80) return end_one();
    if (what < 88) return give_back_ranks();
    if (what < 94) return turn();
    advance();
  }

  void ask(Operation operation) {
    const TreeJob job = request();
    const std::int64_t duration = random_.chance(30) ? 0 : random_.between(1, 100);
    const std::uint64_t id = ++last_id_;
    auto end_of = [&](std::int64_t start) { return duration == 0 ? kHorizon : start + duration; };
    std::optional<TreeOracle::Given> wanted = oracle_.at(job, oracle_.now, end_of(oracle_.now));
    const bool ever = wanted || oracle_.ever(job);
    if (!wanted && operation == Operation::allocate_orelse_reserve && ever) {
      std::set<std::int64_t> ends;
      for (const auto& [other, given] : oracle_.jobs) {
        if (given.end < kHorizon) ends.insert(given.end);
      }
      for (std::int64_t t : ends) {
        wanted = oracle_.at(job, t, end_of(t));
        if (wanted) break;
      }
    }
    note(fmt::format("{} {} {} ranks {} duration {}", id,
                     operation == Operation::allocate ? "alloc" : "reserve", job.shape(),
                     idset_of(job.ranks), duration));
    const std::string got = machine_->alloc(job.shape(), id, constraint(job), duration, operation);
    std::string expected = wanted ? shown(*wanted) : "insufficient";
    if (!wanted && !ever && operation == Operation::allocate_orelse_reserve) {
      expected = "infeasible";
    }
    EXPECT_EQ(got, expected);
    if (!wanted) return;
    EXPECT_EQ(machine_->nslots, wanted->slots);
    EXPECT_EQ(machine_->start, wanted->start);
    oracle_.jobs[id] = *wanted;
  }

  void satisfy() {
    const TreeJob job = request();
    note("satisfy " + job.shape() + " ranks " + idset_of(job.ranks));
    EXPECT_EQ(machine_->satisfy(job.shape(), constraint(job)),
              oracle_.ever(job) ? "satisfiable" : "infeasible");
  }

  std::uint64_t some_job() {
    auto at = oracle_.jobs.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(oracle_.jobs.size())));
    return at->first;
  }

  void end_one() {
    if (oracle_.jobs.empty()) return;
    const std::uint64_t id = some_job();
    note(fmt::format("cancel {}", id));
    EXPECT_TRUE(machine_->engine->cancel(id));
    oracle_.jobs.erase(id);
  }

  void give_back_ranks() {
    if (oracle_.jobs.empty()) return;
    const std::uint64_t id = some_job();
    TreeOracle::Given& given = oracle_.jobs[id];
    if (given.start > oracle_.now) return;  // not for reservations
    std::vector<PoolId> pools;
    std::vector<int> gone;
    for (const auto& [rank, ids] : given.ids) {
      if (random_.chance(50)) gone.push_back(rank);
    }
    if (gone.empty()) return;
    for (int rank : gone) {
      machine_->engine->graph().preorder(machine_->node(rank), [&](PoolId p) {
        pools.push_back(p);
        return true;
      });
      given.ids.erase(rank);
    }
    note(fmt::format("cancel {} in part: {} ranks from {}", id, gone.size(), gone[0]));
    EXPECT_EQ(machine_->engine->cancel_part(id, pools), given.ids.empty());
    if (given.ids.empty()) oracle_.jobs.erase(id);
  }

  // A whole socket, now or later, as if another program had chosen it.
  void take_socket() {
    const ResourceGraph& graph = machine_->engine->graph();
    const int rank = random_.pick(ranks_);
    const PoolId socket = random_.pick(std::vector<PoolId>(
        graph.children(machine_->node(rank)).begin(), graph.children(machine_->node(rank)).end()));
    if (graph.leaf(socket)) return;  // a node of one core
    TreeOracle::Given given;
    given.start = oracle_.now + (random_.chance(40) ? 0 : random_.between(1, 80));
    given.end = given.start + random_.between(1, 100);
    for (PoolId leaf : graph.children(socket)) {
      Ids& ids = given.ids[rank];
      const auto id = static_cast<int>(graph.id(leaf));
      (graph.type_name(leaf) == "core" ? ids.cores : ids.gpus).insert(id);
    }
    const auto meets = [&](const auto& job) {
      const TreeOracle::Given& other = job.second;
      const auto theirs = other.ids.find(rank);
      if (theirs == other.ids.end() || other.end <= given.start || given.end <= other.start) {
        return false;
      }
      const auto any = [](const std::set<int>& a, const std::set<int>& b) {
        return std::ranges::any_of(a, [&](int id) { return b.contains(id); });
      };
      return any(given.ids[rank].cores, theirs->second.cores) ||
             any(given.ids[rank].gpus, theirs->second.gpus);
    };
    const bool free = std::ranges::none_of(oracle_.jobs, meets);
    const std::uint64_t id = ++last_id_;
    note(fmt::format("{} takes {} of {} from {} to {}", id, graph.name(socket), rank, given.start,
                     given.end));
    EXPECT_EQ(machine_->engine->update(id, {&socket, 1}, given.start, given.end - given.start)
                  .has_value(),
              free);
    if (free) oracle_.jobs[id] = given;
  }

  void turn() {
    const int rank = random_.pick(ranks_);
    TreeOracle::Node& node = oracle_.nodes[rank];
    node.up = !node.up;
    note(fmt::format("{} {}", node.up ? "up" : "down", rank));
    machine_->engine->set_status(machine_->node(rank), node.up ? Status::up : Status::down);
  }

  void advance() {
    oracle_.advance(oracle_.now + random_.between(1, 60));
    note(fmt::format("now {}", oracle_.now));
    EXPECT_TRUE(machine_->engine->advance(oracle_.now));
  }

  // --- Texts
  static std::string constraint(const TreeJob& job) {
    return job.ranks.empty() ? "" : fmt::format(R"({{"ranks": ["{}"]}})", idset_of(job.ranks));
  }

  static std::string shown(const TreeOracle::Given& given) {
    std::vector<std::pair<std::string, std::set<int>>> groups;
    for (const auto& [rank, ids] : given.ids) {
      std::string text;
      if (!ids.cores.empty()) text += " core " + idset_of(ids.cores);
      if (!ids.gpus.empty()) text += " gpu " + idset_of(ids.gpus);
      auto same = std::ranges::find(groups, text, [](const auto& group) { return group.first; });
      if (same == groups.end()) same = groups.insert(same, {text, {}});
      same->second.insert(rank);
    }
    std::string out;
    for (const auto& [text, ranks] : groups) {
      out += fmt::format("{}{}:{}", out.empty() ? "" : "; ", idset_of(ranks), text);
    }
    return out;
  }

  void note(const std::string& line) { log_ += line + '\n'; }

  Random random_;
  LeftBehind left_behind_;
  TreeOracle oracle_;
  std::vector<int> ranks_;
  std::vector<TreeJob> known_;
  std::string text_, log_;
  std::unique_ptr<test::TreepoolMachine> machine_;
  std::uint64_t last_id_ = 0;
  bool sockets_ = false;  // between nodes and their leaves
};

TEST(TreepoolProperty, AnswersAreThoseOfTheOracle) {
  Seeds(1, 600).each([](std::uint64_t seed) { TreepoolCase(seed).run(); });
}

}  // namespace
}  // namespace copse::property
