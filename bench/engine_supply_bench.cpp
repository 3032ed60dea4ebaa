// SPDX-License-Identifier: Apache-2.0
//
// Rows of hierarchical resources: whole nodes and three resources in one request, one of each mode,
// each in five levels over all nodes. plain_ns: the same match without them; draw_ns: what they
// add; give_back_ns: what they add to a cancel; layers: on how many a job is charged; goal_ns: 2
// µs, 100 ns a node and 500 ns a layer.
#include <fmt/format.h>

#include "jobs.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

constexpr std::uint64_t kMatches = 200;

// Five levels: all nodes, then twice a tenth and twice a fifth of what is above.
void add_layers(ResourceSpec& resource, std::int64_t nodes, std::int64_t a_node) {
  std::int64_t width = nodes;
  for (int level = 0; level < 5; ++level) {
    for (std::int64_t first = 0; first < nodes; first += width) {
      LayerSpec layer;
      layer.nodes.emplace_back(fmt::format("node[{}-{}]", first, first + width - 1),
                               SourceLocation{});
      layer.count = a_node * width;
      resource.layers.push_back(std::move(layer));
    }
    width = std::max<std::int64_t>(width / (level < 2 ? 10 : 5), 1);
  }
}

HresSpec three_modes(std::int64_t nodes) {
  HresSpec spec;
  const char* names[] = {"licence", "scratch", "power"};
  for (int mode = 1; mode <= 3; ++mode) {
    ResourceSpec resource;
    resource.name = names[mode - 1];
    resource.mode = mode;
    add_layers(resource, nodes, mode == 3 ? 1'000 : 1'000'000);
    spec.resources.push_back(std::move(resource));
  }
  return spec;
}

double match_some(Rig& rig, PreparedRequest& request, std::uint64_t matches, double& cancel_ns) {
  Best match, cancel;
  for (int round = 0; round < 5; ++round) {
    const auto begin = BusyClock::now();
    for (std::uint64_t i = 0; i < matches; ++i) rig.match_or_give_up(request);
    const auto granted = BusyClock::now();
    for (std::uint64_t i = 0; i < matches; ++i) rig.cancel_last();
    match.add(granted - begin, matches);
    cancel.add(BusyClock::now() - granted, matches);
  }
  cancel_ns = cancel.ns();
  return match.ns();
}

void draw_some(benchmark::State& state, std::int64_t nodes, std::int64_t wanted) {
  const std::uint64_t matches =
      std::min<std::uint64_t>(kMatches, static_cast<std::uint64_t>(nodes / wanted));
  const std::string jobspec = whole_nodes(wanted, 32);
  for ([[maybe_unused]] auto _ : state) {
    Rig rig(flat(nodes, 32), "low");
    PreparedRequest plain = rig.prepare(jobspec);
    double plain_cancel = 0, drawn_cancel = 0;
    (void)match_some(rig, plain, matches, plain_cancel);  // lists are made
    const double without = match_some(rig, plain, matches, plain_cancel);
    rig.add_resources(three_modes(nodes));
    PreparedRequest drawing = rig.prepare(jobspec, "licence:1,scratch:2,power:500");
    const double with = match_some(rig, drawing, matches, drawn_cancel);
    rig.match_or_give_up(drawing);
    const auto layers = static_cast<double>(rig.last_charges());
    rig.cancel_last();
    state.counters["plain_ns"] = without;
    state.counters["draw_ns"] = with - without;
    state.counters["give_back_ns"] = drawn_cancel - plain_cancel;
    state.counters["layers"] = layers;
    state.counters["goal_ns"] = 2'000 + 100 * static_cast<double>(wanted) + 500 * layers;
  }
}

const bool registered = [] {
  for (const std::int64_t nodes : {1'000, 10'000, 100'000}) {
    for (const std::int64_t wanted : {1, 16, 500}) {
      benchmark::RegisterBenchmark(fmt::format("supply/flat32/{}/{}_nodes", nodes, wanted).c_str(),
                                   draw_some, nodes, wanted)
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
