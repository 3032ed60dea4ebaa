// SPDX-License-Identifier: Apache-2.0
//
// A machine that grows while jobs run: a node of 32 cores is attached and removed again, and after
// each a job of one core is matched.
#include <benchmark/benchmark.h>

#include <vector>

#include "jobs.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

Part flat32(std::int64_t nodes) { return flat(nodes); }

// cluster > rack[nodes / 20] > node[20] > core[32]
Part racks32(std::int64_t nodes) {
  Part rack{"rack", "rack", nodes / 20};
  Part node{"node", "node", 20};
  node.id_scope = 1;
  node.parts.push_back({"core", "core", 32});
  rack.parts.push_back(node);
  Part root{"cluster", "cluster"};
  root.parts.push_back(rack);
  return root;
}

NewSubtree new_node(Engine& engine, PoolId parent, std::int64_t id) {
  Names& names = engine.names();
  auto pool = [&](const char* type, std::int64_t number) {
    NewPool out;
    out.type = TypeId{static_cast<std::uint16_t>(names.types.intern(type))};
    out.basename = NameId{names.basenames.intern(type)};
    out.unit = UnitId{static_cast<std::uint16_t>(names.units.intern(""))};
    out.id = number;
    return out;
  };
  NewSubtree made{parent, {pool("node", id)}};
  for (std::int64_t core = 0; core < 32; ++core) {
    made.pools.push_back(pool("core", core));
    made.pools.back().parent = 0;
  }
  return made;
}

// attach_ns, remove_ns: one of each; first_ns, after_ns: the first match after an attach, after a
// remove. A quarter of the nodes, at most 1,000, has a job of one core.
void grow(benchmark::State& state, const std::string& policy, Part (*machine)(std::int64_t),
          std::int64_t nodes, const std::string& jobspec) {
  Rig rig(machine(nodes), policy);
  std::vector<PreparedRequest> requests;
  requests.push_back(rig.prepare(cores_in_node(1)));
  rig.fill(requests, std::min<std::uint64_t>(static_cast<std::uint64_t>(nodes) / 4, 1'000));
  PreparedRequest job = rig.prepare(jobspec);
  rig.match_or_give_up(job);
  const ResourceGraph& graph = rig.engine().graph();
  PoolId parent = graph.root();
  while (graph.type_name(graph.children(parent).back()) != "node") {
    parent = graph.children(parent).back();
  }
  Best attach, remove, first, after;
  constexpr int kTimes = 20;
  std::int64_t id = nodes;
  for ([[maybe_unused]] auto _ : state) {
    std::chrono::nanoseconds all{};
    for (int i = 0; i < kTimes; ++i) {
      const NewSubtree subtree = new_node(rig.engine(), parent, id++);
      const auto t0 = Clock::now();
      require(rig.engine().attach({&subtree, 1}));
      const auto t1 = Clock::now();
      rig.match_or_give_up(job);
      const auto t2 = Clock::now();
      rig.cancel_last();
      const PoolId top = graph.children(parent).back();
      const auto t3 = Clock::now();
      (void)require(rig.engine().remove({&top, 1}));
      const auto t4 = Clock::now();
      rig.match_or_give_up(job);
      const auto t5 = Clock::now();
      rig.cancel_last();
      attach.add(t1 - t0, 1);
      first.add(t2 - t1, 1);
      remove.add(t4 - t3, 1);
      after.add(t5 - t4, 1);
      all += (t2 - t0) + (t5 - t3);
    }
    state.SetIterationTime(std::chrono::duration<double>(all).count());
  }
  state.counters["attach_ns"] = attach.ns();
  state.counters["first_ns"] = first.ns();
  state.counters["remove_ns"] = remove.ns();
  state.counters["after_ns"] = after.ns();
}

const bool registered = [] {
  struct Kind {
    const char* name;
    Part (*machine)(std::int64_t);
  };
  for (const std::int64_t nodes : {1'000, 10'000, 100'000}) {
    for (const char* policy : {"first", "low"}) {
      for (const Kind kind : {Kind{"flat32", flat32}, Kind{"racks32", racks32}}) {
        auto add = [&](const char* row, const std::string& jobspec) {
          const std::string name =
              std::string(row) + "/" + policy + "/" + kind.name + "/" + std::to_string(nodes);
          benchmark::RegisterBenchmark(
              name.c_str(),
              [=](benchmark::State& state) { grow(state, policy, kind.machine, nodes, jobspec); })
              ->UseManualTime()
              ->Iterations(5)
              ->Unit(benchmark::kMicrosecond);
        };
        add("grow_core", cores_in_node(1));
        add("grow_node", whole_nodes(1, 32));
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
