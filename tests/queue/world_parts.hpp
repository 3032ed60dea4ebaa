// SPDX-License-Identifier: Apache-2.0
//
// The machine, queues and requests of a World (event_stream.hpp), as arguments of the queue.
//
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "formats/grug/grug.hpp"
#include "formats/hres/hres.hpp"
#include "queue/event_stream.hpp"
#include "queue/priorities.hpp"
#include "queue/queue_table.hpp"
#include "queue/reservation/reservation.hpp"
#include "request/constraint.hpp"
#include "request/hres.hpp"
#include "request/shape.hpp"

namespace copse::queue {

template <class T>
T must(Result<T> result) {
  if (!result) std::abort();
  return std::move(*result);
}

inline ResourceGraph graph_of(const World& world) {
  const auto edge = [](const char* from, const char* to, int count) {
    return std::string("<edge source=\"") + from + "\" target=\"" + to + "\"><data key=\"n\">" +
           std::to_string(count) + "</data></edge>";
  };
  std::string text = R"(<graphml>
  <key id="t" for="node" attr.name="type" attr.type="string"/>
  <key id="r" for="node" attr.name="root" attr.type="int"><default>0</default></key>
  <key id="n" for="edge" attr.name="multi_scale" attr.type="int"/>
  <graph edgedefault="directed">
    <node id="c"><data key="r">1</data><data key="t">cluster</data></node>
    <node id="n"><data key="t">node</data></node><node id="o"><data key="t">core</data></node>)";
  if (world.gpus > 0) text += R"(<node id="g"><data key="t">gpu</data></node>)";
  text += edge("c", "n", world.nodes) + edge("n", "o", world.cores);
  if (world.gpus > 0) text += edge("n", "g", world.gpus);
  return must(read_grug(text + "</graph></graphml>", "world"));
}

// Licences of all nodes; power of all, and of each half.
inline std::string layers_of(const World& world) {
  const auto layer = [](int first, int last, int count) {
    return "{nodes: \"node[" + std::to_string(first) + "-" + std::to_string(last) +
           "]\", count: " + std::to_string(count) + "}";
  };
  const int last = world.nodes - 1, half = world.nodes / 2;
  std::string out =
      "- {resource: licence, mode: MODE_1, layers: [" + layer(0, last, world.licences) + "]}\n";
  if (world.power == 0) return out;
  return out + "- {resource: power, mode: MODE_3, layers: [" + layer(0, last, world.power) + ", " +
         layer(0, half - 1, world.half_power()) + ", " + layer(half, last, world.half_power()) +
         "]}\n";
}

inline std::unique_ptr<Engine> engine_of(const World& world) {
  auto engine = must(Engine::create(graph_of(world),
                                    {.policy = *find_policy("low"), .counts_nodes_first = false}));
  const ResourceGraph& graph = engine->graph();
  const std::vector<PoolId> nodes = graph.of_type(graph.find_type("node"));
  for (int n = 0; n < world.fast; ++n) {
    engine->set_property(nodes[static_cast<std::size_t>(n)], "fast", "1");
  }
  if (world.licences > 0) {
    if (!engine->add_resources(must(read_hres(layers_of(world), "world")))) std::abort();
  }
  return engine;
}

inline Request request_of(const Ask& ask) {
  Request out = must(parse_shape(ask.shape()));
  if (!ask.among.any()) out.constraint = must(parse_constraint(ask.among.constraint()));
  if (!ask.hres().empty()) out.hres = must(parse_hres_request(ask.hres()));
  return out;
}

inline std::string name_of_user(int user) { return "u" + std::to_string(user); }
inline std::string name_of_reservation(int name) { return "r" + std::to_string(name); }

inline ReservationSpec spec_of(const Booked& booked, std::int64_t now_s) {
  ReservationSpec out;
  out.name = name_of_reservation(booked.name);
  out.start_s = std::max<std::int64_t>(0, now_s + booked.in_s);
  out.duration_s = booked.duration_s;
  out.constraint = must(parse_constraint(booked.among.constraint()));
  if (booked.nodes > 0) out.request = request_of({.nodes = booked.nodes});
  if (booked.users >= 0) {
    out.users.emplace();
    for (int user = 0; user < 3; ++user) {
      if ((booked.users >> user & 1) == 1) out.users->push_back(name_of_user(user));
    }
  }
  out.every_s = booked.every_s;
  out.count = booked.count;
  return out;
}

inline std::vector<QueueSpec> specs_of(const World& world) {
  std::vector<QueueSpec> out;
  for (const QueueWorld& queue : world.queues) {
    QueueSpec spec;
    spec.name = queue.name;
    if (queue.parent < 0) spec.discipline = *find_discipline(queue.discipline);
    spec.discipline.reservation_depth = queue.reservation_depth;
    spec.depth = std::min(queue.depth, queue.depth_max);
    if (!queue.among.any()) spec.constraint = must(parse_constraint(queue.among.constraint()));
    if (queue.parent >= 0) spec.parent = world.queues[static_cast<std::size_t>(queue.parent)].name;
    out.push_back(std::move(spec));
  }
  return out;
}

inline PriorityRule rule_of(const World& world) {
  PriorityRule out{.age = world.rule.age,
                   .size = world.rule.size,
                   .fair_share = world.rule.fair_share,
                   .age_max_s = world.rule.age_max_s,
                   .half_life_s = world.rule.half_life_s,
                   .period_s = world.rule.period_s};
  for (std::size_t n = 0; n < world.rule.queues.size(); ++n) {
    out.queues[world.queues[n].name] = world.rule.queues[n];
  }
  for (std::size_t n = 0; n < world.rule.shares.size(); ++n) {
    out.shares[name_of_user(static_cast<int>(n))] = world.rule.shares[n];
  }
  return out;
}

}  // namespace copse::queue
