// SPDX-License-Identifier: Apache-2.0
//
// Rows "TreePool alloc" and "TreePool free": the treepool traverser on growing machines of the
// nodes of RFC 49's clusters A (8 NUMA domains of 15 cores and a GPU, in 2 sockets) and B (4
// sockets of 24 cores and a GPU). Each shape fills the machine, and again after half and a
// twentieth of the jobs was cancelled in random order; `mixed` takes several shapes in turn.
#include <fmt/format.h>

#include "fill.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "request/shape.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

struct Cluster {
  const char* name;
  int cores, gpus;
  const char* topo;
};

constexpr Cluster kA{
    "cluster_a", 120, 8,
    R"({"socket": [{"numa": [{"cores": "0-14", "gpus": "0"}, {"cores": "15-29", "gpus": "1"},
        {"cores": "30-44", "gpus": "2"}, {"cores": "45-59", "gpus": "3"}]},
        {"numa": [{"cores": "60-74", "gpus": "4"}, {"cores": "75-89", "gpus": "5"},
        {"cores": "90-104", "gpus": "6"}, {"cores": "105-119", "gpus": "7"}]}]})"};
constexpr Cluster kB{"cluster_b", 96, 4,
                     R"({"socket": [{"cores": "0-23", "gpus": "0"}, {"cores": "24-47", "gpus": "1"},
        {"cores": "48-71", "gpus": "2"}, {"cores": "72-95", "gpus": "3"}]})"};

Rig make_rig(const Cluster& cluster, std::int64_t nodes) {
  const std::string text = fmt::format(
      R"({{"version": 1, "execution": {{"R_lite": [{{"rank": "0-{0}", "children":
      {{"core": "0-{1}", "gpu": "0-{2}"}}}}], "nodelist": ["n[0-{0}]"]}},
      "scheduling": {{"writer": "TreePool", "children": [{{"ranks": "0-{0}", "topo": {3}}}]}}}})",
      nodes - 1, cluster.cores - 1, cluster.gpus - 1, cluster.topo);
  const RSet r = require(read_r(text, {}, {.layouts = TreepoolLimits{}}));
  EngineOptions options;
  options.traverser = Traverser::treepool;
  return Rig(require(Engine::create(require(graph_of_r(r)), std::move(options), r.layouts)));
}

std::vector<PreparedRequest> prepare(Rig& rig, const std::vector<std::string>& shapes) {
  std::vector<PreparedRequest> out;
  for (const std::string& shape : shapes) {
    Request request = require(parse_shape(shape));
    request.duration_s = 3'600;
    out.push_back(require(rig.engine().prepare(std::move(request))));
  }
  return out;
}

// A full machine: one more, whatever it is, is refused.
void refused(benchmark::State& state, const Cluster& cluster, std::int64_t nodes,
             const std::string& fill, const std::string& shape) {
  Rig rig = make_rig(cluster, nodes);
  std::vector<PreparedRequest> filler = prepare(rig, {fill});
  rig.fill(filler);
  PreparedRequest request = prepare(rig, {shape})[0];
  Best best;
  constexpr int kMatches = 100;
  if (rig.match(request)) give_up("a match was granted that must not be");
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = BusyClock::now();
    for (int i = 0; i < kMatches; ++i) {
      if (rig.match(request)) give_up("a match was granted that must not be");
    }
    const auto time = BusyClock::now() - begin;
    best.add(time, kMatches);
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  state.counters["refused_ns"] = best.ns();
}

// Fragmented nodes: every node but the last has busy cores in each NUMA domain, and would have
// enough by the numbers; what only the last one serves is taken there and given back.
void one_node_serves(benchmark::State& state, std::int64_t nodes, const std::string& shape) {
  Rig rig = make_rig(kA, nodes);
  std::vector<PreparedRequest> spread =
      prepare(rig, {fmt::format("node={}/slot=8/core=8", nodes - 1), shape});
  rig.match_or_give_up(spread[0]);
  rig.match_or_give_up(spread[1]);  // once in a life: the nodes that do not serve are noticed
  Best best;
  constexpr int kPairs = 100;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = BusyClock::now();
    for (int i = 0; i < kPairs; ++i) {
      rig.match_or_give_up(spread[1]);
      rig.cancel_last();
    }
    const auto time = BusyClock::now() - begin;
    best.add(time, kPairs);
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  state.counters["pair_ns"] = best.ns();
}

const bool registered = [] {
  struct Row {
    const char* name;
    const Cluster& cluster;
    std::vector<std::string> shapes;
  };
  const std::vector<Row> rows{
      {"treepool_gpu_slot", kA, {"slot=1/[core=8;gpu=1]"}},
      {"treepool_gpu_slot", kB, {"slot=1/node=1/[core=24;gpu=1]"}},
      {"treepool_cores", kA, {"slot=1/core=4"}},
      {"treepool_cores", kB, {"slot=1/core=8"}},
      {"treepool_all_slots", kA, {"node/slot=8/[core=15;gpu=1]"}},
      {"treepool_all_slots", kB, {"node/slot=4/[core=24;gpu=1]"}},
      {"treepool_numa", kA, {"slot=1/numa{x}"}},
      {"treepool_node", kA, {"slot=1/node{x}"}},
      {"treepool_many_nodes", kB, {"slot=16/node/[core=96;gpu=4]"}},
      {"treepool_mixed",
       kA,
       {"slot=1/[core=8;gpu=1]", "slot=1/core=4", "slot=1/numa{x}", "node/slot=2/core=20",
        "slot=3/[core=4;gpu=1]", "slot=1/socket{x}", "slot=1/core=1", "slot=1/node{x}"}},
  };
  for (const std::int64_t nodes : {1'152, 11'520, 115'200}) {
    const std::int64_t rounds = nodes <= 2'000 ? 10 : nodes <= 20'000 ? 3 : 1;
    for (const Row& row : rows) {
      const std::string name = fmt::format("{}/{}/{}", row.name, row.cluster.name, nodes);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=](benchmark::State& state) {
                                     run_fill(
                                         state, [&] { return make_rig(row.cluster, nodes); },
                                         [&](Rig& rig) { return prepare(rig, row.shapes); });
                                   })
          ->UseManualTime()
          ->Iterations(rounds)
          ->Unit(benchmark::kMillisecond);
    }
    for (const char* shape :
         {"slot=1/[core=1;gpu=1]", "slot=1/numa{x}", "slot=1/node{x}", "node/slot=8/core=15"}) {
      // GPUs are all taken, and of each domain 7 cores are left.
      const std::string name = fmt::format("treepool_refused/{}/cluster_a/{}", shape, nodes);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=](benchmark::State& state) {
                                     refused(state, kA, nodes, "node/slot=8/[core=8;gpu=1]", shape);
                                   })
          ->UseManualTime()
          ->Iterations(5)
          ->Unit(benchmark::kMicrosecond);
    }
    for (const char* shape : {"slot=1/numa{x}", "node/slot=3/core=15"}) {
      const std::string name = fmt::format("treepool_one_node/{}/cluster_a/{}", shape, nodes);
      benchmark::RegisterBenchmark(
          name.c_str(), [=](benchmark::State& state) { one_node_serves(state, nodes, shape); })
          ->UseManualTime()
          ->Iterations(5)
          ->Unit(benchmark::kMicrosecond);
    }
    for (const char* shape : {"slot=1/numa{x}", "slot=1/node/socket{x}"}) {
      const std::string name = fmt::format("treepool_scattered/{}/cluster_a/{}", shape, nodes);
      benchmark::RegisterBenchmark(
          name.c_str(),
          [=](benchmark::State& state) { refused(state, kA, nodes, "node/slot=8/core=8", shape); })
          ->UseManualTime()
          ->Iterations(5)
          ->Unit(benchmark::kMicrosecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
