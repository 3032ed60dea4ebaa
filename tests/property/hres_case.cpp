// SPDX-License-Identifier: Apache-2.0
#include "property/hres_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/treepool_machine.hpp"
#include "formats/hres/hres.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "property/hres_generator.hpp"
#include "property/left_behind.hpp"
#include "property/random.hpp"
#include "property/reborn.hpp"
#include "property/seeds.hpp"
#include "request/hres.hpp"

namespace copse::property {
namespace {

class HresCase {
 public:
  HresCase(std::uint64_t seed, const char* policy, Traverser traverser, HresCounts& counts)
      : random_(seed), left_behind_(seed), counts_(counts) {
    const int nodes = static_cast<int>(random_.between(3, 10));
    const bool tree = traverser == Traverser::treepool;
    std::vector<test::Nodes> kinds;
    for (int n = 0; n < nodes; ++n) {
      const int cores = random_.chance(70) ? 4 : 2;
      oracle_.cores[n] = cores;
      kinds.push_back({std::to_string(n), fmt::format("0-{}", cores - 1), "",
                       tree ? fmt::format(R"({{"socket": [{{"cores": "0-{}"}}]}})", cores - 1)
                            : std::string()});
    }
    text_ = test::r_of(kinds);
    auto r = read_r(text_, "R", {.layouts = TreepoolLimits{}});
    EngineOptions options{.policy = *find_policy(policy), .traverser = traverser};
    options.prune_filters = "ALL:core";  // without Fluxion's early check of the number of nodes
    oracle_.file_order = random_.chance(30);
    options.layer_order = oracle_.file_order ? LayerOrder::file : LayerOrder::count;
    engine_ =
        std::move(*Engine::create(*graph_of_r(*r), std::move(options), std::move(r->layouts)));
    for (int k = static_cast<int>(random_.between(1, 4)); k > 0; --k)
      add_resource(random_, nodes, oracle_);
    const auto spec = read_hres(text_of_layers(oracle_), "resources.yaml");
    const auto added = spec ? engine_->add_resources(*spec) : std::unexpected(spec.error());
    EXPECT_TRUE(added) << (added ? "" : added.error().message());
    for (const auto& layer : oracle_.layers) first_counts_.push_back(layer.count);
  }

  void run() {
    const std::uint64_t idle = engine_->fingerprint();
    const std::int64_t steps = random_.between(10, 40);
    Twin twin;
    EXPECT_EQ(twin.follow(*engine_), "");
    for (std::int64_t i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      if (left_behind_.now(15)) {
        engine_->observe(nullptr);
        EXPECT_EQ(left_behind_.split(engine_), "");
        EXPECT_EQ(twin.follow(*engine_), "");
      }
      step();
      Seeds::add_steps(1);
      compare_layers();
      EXPECT_EQ(twin.catch_up(), "");
      if (i % 4 == 1) {
        EXPECT_EQ(twin.swap(engine_), "");
      }
      if (i % 4 == 3) {
        EXPECT_EQ(save_and_load(engine_), "");
        EXPECT_EQ(twin.follow(*engine_), "");
      }
    }
    engine_->observe(nullptr);
    // All grants are freed again.
    for (const JobId job : engine_->jobs()) EXPECT_TRUE(engine_->cancel(job));
    for (const auto& r : oracle_.reserved) EXPECT_TRUE(engine_->free_layer(r.id));
    for (std::size_t l = 0; l < first_counts_.size(); ++l) set_count(l, first_counts_[l]);
    for (const auto& [node, cores] : oracle_.cores) engine_->set_status(pool(node), Status::up);
    EXPECT_TRUE(restructured_ || engine_->fingerprint() == idle);
    for (const LayerView& v : engine_->layers(oracle_.now)) EXPECT_EQ(v.used + v.held, 0);
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << text_ << '\n' << text_of_layers(oracle_) << '\n' << log_;
    }
  }

 private:
  // --- Layers
  // In modes 1 and 2 one layer may have no nodes: it has no name.
  std::size_t any_layer() {
    for (;;) {
      const std::size_t l = random_.below(oracle_.layers.size());
      if (oracle_.named(l)) return l;
    }
  }
  const std::string& resource_of(std::size_t layer) {
    return oracle_.resources[static_cast<std::size_t>(oracle_.layers[layer].resource)].name;
  }

  void set_count(std::size_t layer, std::int64_t count) {
    auto& l = oracle_.layers[layer];
    if (!oracle_.named(layer)) return;
    l.count = count;
    EXPECT_TRUE(engine_->set_layer_count(resource_of(layer), hosts_of(l.nodes), count));
  }

  void compare_layers() {
    const std::int64_t at = oracle_.now + (random_.chance(40) ? 0 : random_.between(0, 60));
    const auto views = engine_->layers(at);
    std::vector<int> there;
    for (const auto& r : oracle_.resources) {
      there.insert(there.end(), r.layers.begin(), r.layers.end());
    }
    ASSERT_EQ(views.size(), there.size());
    for (std::size_t i = 0; i < views.size(); ++i) {
      const LayerView& view = views[i];
      const int layer = there[i];
      const auto l = static_cast<std::size_t>(layer);
      EXPECT_EQ(view.used, oracle_.used(layer, at)) << view.nodes << " at " << at;
      EXPECT_EQ(view.reserved, oracle_.reserved_at(layer, at)) << view.nodes << " at " << at;
      EXPECT_EQ(view.held, oracle_.held(layer, at, 0)) << view.nodes << " at " << at;
      const std::int64_t total = oracle_.layers[l].total();
      EXPECT_EQ(view.total, total == INT64_MAX ? -1 : total);
      if (total < view.used) ++counts_.over;
    }
  }

  // --- Steps
  void step() {
    const auto dice = random_.below(100);
    if (dice < 52) return match();
    if (dice < 62) return cancel();
    if (dice < 70) return cut();
    if (dice < 77) return turn();
    if (dice < 84) return advance();
    if (!oracle_.any_named()) return;
    if (dice < 90) {
      const std::size_t layer = any_layer();
      const auto& r = oracle_.resources[static_cast<std::size_t>(oracle_.layers[layer].resource)];
      set_count(layer, layer_count(random_, oracle_.layers[layer].nodes.size(), r.mode));
      note(fmt::format("count of {} {} is {}", r.name, hosts_of(oracle_.layers[layer].nodes),
                       oracle_.layers[layer].count));
      return;
    }
    if (dice < 95) return keep();
    if (dice < 98) return restructure();
    if (oracle_.reserved.empty()) return;
    const std::size_t at = random_.below(oracle_.reserved.size());
    note("free-layer " + oracle_.reserved[at].id);
    EXPECT_TRUE(engine_->free_layer(oracle_.reserved[at].id));
    oracle_.reserved.erase(oracle_.reserved.begin() + static_cast<std::ptrdiff_t>(at));
  }

  void match() {
    HresRequest hres;
    const HresOracle::Job job = make_supply_job(random_, oracle_, hres);
    const JobId id = ++last_id_;
    const bool wait = random_.chance(60);
    const std::string shape = fmt::format("slot={}/node{}{}", job.nodes, job.exclusive ? "{x}" : "",
                                          job.cores == 0 ? "" : fmt::format("/core={}", job.cores));
    note(fmt::format("{} {} {} {} s on {} hres {}", wait ? "reserve" : "alloc", id, shape,
                     job.duration, idset_of(job.allowed),
                     hres.items.empty() ? "" : hres_text(hres)));
    auto request = parse_shape(shape);
    ASSERT_TRUE(request) << request.error().message();
    request->slots_share = true;
    request->duration_s = job.duration;
    request->hres = hres;
    if (job.allowed.size() < oracle_.cores.size()) {
      const auto text = fmt::format(R"({{"ranks": ["{}"]}})", idset_of(job.allowed));
      request->constraint = *parse_constraint(text);
    }
    auto prepared = engine_->prepare(std::move(*request));
    ASSERT_TRUE(prepared) << prepared.error().message();
    const auto want = oracle_.start_of(job, id, wait);
    const std::uint64_t before = engine_->fingerprint();
    const auto got = engine_->match(wait ? Operation::allocate_orelse_reserve : Operation::allocate,
                                    *prepared, id);
    if (!got) {
      EXPECT_EQ(want, -1) << "it may start at " << want << ", " << got.error().message();
      EXPECT_EQ(engine_->fingerprint(), before);
      const bool ever = oracle_.alternative(job, 0, id, true) >= 0;
      EXPECT_EQ(engine_->match(Operation::satisfiability, *prepared, 0).has_value(), ever);
      EXPECT_EQ(got.error().code == ErrorCode::insufficient, ever || !wait);
      (ever ? counts_.insufficient : counts_.infeasible) += 1;
      return;
    }
    EXPECT_EQ((*got)->start, want);
    if ((*got)->start == want) take(job, id, **got);
  }

  // A grant must satisfy all rules; then the oracle applies it, too.
  void take(const HresOracle::Job& job, JobId id, const Match& got) {
    HresOracle::Grant grant;
    grant.start = got.start;
    grant.end = got.end;
    EXPECT_EQ(got.end, job.duration == 0 ? HresOracle::kForever : got.start + job.duration);
    std::set<int> nodes;
    std::vector<ExpandedPool> pools;
    expand(engine_->graph(), got.selection, pools);
    for (const ExpandedPool& e : pools) {
      if (!e.exclusive || engine_->graph().type_name(e.pool) != "core") continue;
      const int node = engine_->graph().rank(e.pool);
      grant.cores[node].insert(static_cast<int>(engine_->graph().id(e.pool)));
      nodes.insert(node);
    }
    const int which = oracle_.alternative(job, got.start, id, false);
    const auto needs = job.alternatives.empty() ? std::vector<HresOracle::Need>()
                                                : job.alternatives[static_cast<std::size_t>(which)];
    EXPECT_EQ(nodes.size(), static_cast<std::size_t>(job.nodes));
    for (int node : nodes) {
      EXPECT_TRUE(oracle_.able(job, needs, got.start, id, false).contains(node)) << node;
      const auto cores = static_cast<int>(grant.cores[node].size());
      EXPECT_EQ(cores, job.exclusive ? oracle_.cores[node] : job.cores);
      for (const auto& [other, g] : oracle_.grants) {
        if (g.end <= grant.start || grant.end <= g.start || !g.cores.contains(node)) continue;
        for (int core : g.cores.at(node)) EXPECT_FALSE(grant.cores[node].contains(core));
      }
    }
    for (const LayerCharge& c : got.charges.layers) {
      EXPECT_TRUE(grant.charges.emplace(static_cast<int>(c.layer), c.amount).second);
      EXPECT_LE(c.amount, oracle_.free(static_cast<int>(c.layer), got.start, got.end, id));
    }
    EXPECT_EQ(grant.charges, oracle_.charges(needs, nodes, got.start, got.end, id))
        << engine_->charges_text(got.charges);
    grant.needs = needs;
    oracle_.grants[id] = std::move(grant);
    ++counts_.granted;
    counts_.reserved += got.start > oracle_.now ? 1 : 0;
  }

  JobId any_job() {
    auto at = oracle_.grants.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(oracle_.grants.size())));
    return at->first;
  }

  void cancel() {
    if (oracle_.grants.empty()) return;
    const JobId id = any_job();
    note(fmt::format("free {}", id));
    EXPECT_TRUE(engine_->cancel(id));
    oracle_.grants.erase(id);
  }

  void cut() {
    if (oracle_.grants.empty()) return;
    const JobId id = any_job();
    HresOracle::Grant& grant = oracle_.grants[id];
    Idset gone;
    const auto before = grant.cores;
    for (const auto& [node, ids] : before) {
      if (!random_.chance(40)) continue;
      gone.add(node);
      grant.cores.erase(node);
    }
    if (gone.empty()) return;
    note(fmt::format("free {} ranks {}", id, gone.text()));
    const auto pools = pools_of_ranks(engine_->graph(), gone);
    ASSERT_TRUE(pools);
    EXPECT_EQ(engine_->cancel_part(id, *pools, true), grant.cores.empty());
    grant.charges = oracle_.redrawn(grant);
    if (grant.cores.empty()) oracle_.grants.erase(id);
    ++counts_.cut;
  }

  void turn() {
    const int node = static_cast<int>(random_.below(oracle_.cores.size()));
    const bool up = oracle_.down.erase(node) > 0;
    if (!up) oracle_.down.insert(node);
    note(fmt::format("{} {}", up ? "up" : "down", node));
    engine_->set_status(pool(node), up ? Status::up : Status::down);
  }

  void advance() {
    oracle_.advance(oracle_.now + random_.between(1, 25));
    note(fmt::format("now {}", oracle_.now));
    EXPECT_TRUE(engine_->advance(oracle_.now));
  }

  void keep() {
    const std::size_t layer = any_layer();
    HresOracle::Reserved r;
    r.id = std::to_string(random_.between(1, 30));
    r.layer = static_cast<int>(layer);
    r.count = random_.between(1, 6);
    r.start = oracle_.now + random_.between(0, 20);
    r.end = random_.chance(10) ? HresOracle::kForever : r.start + random_.between(1, 40);
    for (auto n = random_.below(4); n > 0; --n) r.jobs.push_back(1 + random_.below(last_id_ + 5));
    note(fmt::format("reserve-layer {} of {} {}: {} from {} to {} for {}", r.id, resource_of(layer),
                     hosts_of(oracle_.layers[layer].nodes), r.count, r.start, r.end,
                     fmt::join(r.jobs, ",")));
    const std::string why = oracle_.refuses(r);
    const std::uint64_t before = engine_->fingerprint();
    const auto made =
        engine_->reserve_layer({r.id, resource_of(layer), hosts_of(oracle_.layers[layer].nodes),
                                r.count, r.start, r.end, r.jobs});
    EXPECT_EQ(made ? "" : word(made.error().code), why);
    EXPECT_TRUE(made || engine_->fingerprint() == before);
    if (made) oracle_.reserved.push_back(r);
    counts_.kept += made ? 1 : 0;
  }

  // A layer is added or removed, in modes 1 and 2, where any set of nodes may be a layer.
  void restructure() {
    const std::size_t layer = any_layer();
    const int number = oracle_.layers[layer].resource;
    auto& r = oracle_.resources[static_cast<std::size_t>(number)];
    if (r.mode == 3) return;
    const bool reserved = std::ranges::any_of(
        oracle_.reserved, [&](const auto& kept) { return kept.layer == static_cast<int>(layer); });
    const std::string nodes = hosts_of(oracle_.layers[layer].nodes);
    if (random_.chance(50) && r.layers.size() > 1) {
      note(fmt::format("remove {} of {}", nodes, r.name));
      EXPECT_EQ(engine_->remove_layer(r.name, nodes).has_value(), !reserved);
      if (reserved) return;
      std::erase(r.layers, static_cast<int>(layer));
    } else {
      std::set<int> to;
      for (const auto& [node, cores] : oracle_.cores) {
        if (random_.chance(50)) to.insert(node);
      }
      const bool same = std::ranges::any_of(r.layers, [&](int other) {
        return oracle_.layers[static_cast<std::size_t>(other)].nodes == to;
      });
      if (same || to.empty()) return;
      if (random_.chance(50)) {
        note(fmt::format("nodes {} of {} are {}", nodes, r.name, hosts_of(to)));
        EXPECT_TRUE(engine_->set_layer_nodes(r.name, nodes, hosts_of(to)));
        oracle_.layers[layer].nodes = to;
      } else {
        const auto count = random_.between(2, 12);
        note(fmt::format("add {} of {}: {}", hosts_of(to), r.name, count));
        HresSpec spec;
        ResourceSpec& made = spec.resources.emplace_back();
        made.name = r.name;
        made.mode = r.mode;
        made.layers.emplace_back();
        spec.resources[0].layers[0].nodes.emplace_back(hosts_of(to), SourceLocation{});
        spec.resources[0].layers[0].count = count;
        EXPECT_TRUE(engine_->add_resources(spec));
        r.layers.push_back(static_cast<int>(oracle_.layers.size()));
        oracle_.layers.push_back({number, to, count, 0});
      }
    }
    for (auto& [id, grant] : oracle_.grants) grant.charges = oracle_.redrawn(grant);
    restructured_ = true;
    ++counts_.restructured;
  }

  [[nodiscard]] PoolId pool(int node) const { return engine_->graph().of_rank(node)[0]; }
  void note(const std::string& line) { log_ += line + '\n'; }

  Random random_;
  LeftBehind left_behind_;
  HresCounts& counts_;
  HresOracle oracle_;
  std::vector<std::int64_t> first_counts_;
  std::string text_, log_;
  std::unique_ptr<Engine> engine_;
  JobId last_id_ = 0;
  bool restructured_ = false;  // the layers differ from those at the beginning
};

}  // namespace

void run_hres_case(std::uint64_t seed, const char* policy, Traverser traverser,
                   HresCounts& counts) {
  HresCase(seed, policy, traverser, counts).run();
}

}  // namespace copse::property
