// SPDX-License-Identifier: Apache-2.0
//
// What every fuzz target does with input that was accepted: load, match once, write it down in
// every form, and give it back. Breaks off if something that always holds does not.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <source_location>
#include <string>

#include "copse/engine.hpp"
#include "formats/formats.hpp"
#include "formats/grug/grug.hpp"

namespace copse::fuzz {

inline void require(bool holds, const std::source_location& at = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u: what is required does not hold\n", at.file_name(),
               static_cast<unsigned>(at.line()));
  std::abort();
}

// cluster → 2 racks → 3 nodes → 2 sockets → (4 cores, 1 gpu, 2 memory of 8 GB)
inline ResourceGraph small_machine() {
  constexpr const char* kRecipe = R"(<graphml>
  <key id="t" for="node" attr.name="type" attr.type="string"/>
  <key id="r" for="node" attr.name="root" attr.type="int"><default>0</default></key>
  <key id="s" for="node" attr.name="size" attr.type="long"><default>1</default></key>
  <key id="n" for="edge" attr.name="multi_scale" attr.type="int"/>
  <key id="i" for="edge" attr.name="id_scope" attr.type="int"><default>1</default></key>
  <graph edgedefault="directed">
    <node id="c"><data key="r">1</data><data key="t">cluster</data></node>
    <node id="k"><data key="t">rack</data></node><node id="n"><data key="t">node</data></node>
    <node id="s"><data key="t">socket</data></node><node id="o"><data key="t">core</data></node>
    <node id="g"><data key="t">gpu</data></node>
    <node id="m"><data key="t">memory</data><data key="s">8</data></node>
    <edge source="c" target="k"><data key="n">2</data></edge>
    <edge source="k" target="n"><data key="n">3</data></edge>
    <edge source="n" target="s"><data key="n">2</data></edge>
    <edge source="s" target="o"><data key="n">4</data></edge>
    <edge source="s" target="g"><data key="n">1</data></edge>
    <edge source="s" target="m"><data key="n">2</data></edge>
  </graph></graphml>)";
  auto graph = read_grug(kRecipe, "small");
  require(graph.has_value());
  return std::move(*graph);
}

inline std::unique_ptr<Engine> engine_on(ResourceGraph graph, const char* policy) {
  auto engine = Engine::create(std::move(graph), {.policy = *find_policy(policy)});
  require(engine.has_value());
  (*engine)->set_property(PoolId{0}, "fast", "1");
  return std::move(*engine);
}

inline void write_all(const Engine& engine, const Match& match) {
  std::vector<ExpandedPool> expanded;
  expand(engine.graph(), match.selection, expanded);
  require(expanded.empty() == match.selection.empty());
  for (Format format : {Format::simple, Format::pretty_simple, Format::jgf, Format::jgf_shorthand,
                        Format::rlite, Format::rv1, Format::rv1_nosched, Format::rv1_shorthand}) {
    std::string out;
    Writer(format).write({.graph = engine.graph(),
                          .pools = expanded,
                          .labels = match.selection.labels,
                          .start = match.start,
                          .end = match.end},
                         out);
    require(out.empty() || out.back() == '\n');
  }
}

// Matches now and, while that is taken, once more for later; then everything is as before.
inline void match_once(Engine& engine, PreparedRequest& request) {
  const std::uint64_t before = engine.fingerprint();
  for (JobId job : {JobId{1}, JobId{2}}) {
    auto match = engine.match(Operation::allocate_orelse_reserve, request, job);
    if (!match) {
      require(!match.error().text.empty());
      continue;
    }
    require((*match)->start < (*match)->end && !(*match)->selection.empty());
    write_all(engine, **match);
  }
  for (JobId job : {JobId{1}, JobId{2}}) {
    if (engine.grant(job) != nullptr) require(engine.cancel(job).has_value());
  }
  require(engine.fingerprint() == before);
}

inline void match_once(Engine& engine, Request request) {
  auto prepared = engine.prepare(std::move(request));
  if (prepared) match_once(engine, *prepared);
}

// On small machines that stay, under two policies.
inline void match_on_two(const Request& request) {
  static const auto low = engine_on(small_machine(), "low");
  static const auto first = engine_on(small_machine(), "firstnodex");
  match_once(*low, request);
  match_once(*first, request);
}

// Whatever the machine is made of: a slot of the type of its last leaf, else of its root.
inline Request any_of(const ResourceGraph& graph) {
  const PoolId last{graph.tree_count() - 1};
  Request request;
  Resource wanted;
  wanted.type = graph.type_name(last);
  if (last.v > 0) {
    Resource slot;
    slot.type = "slot";
    slot.label = "x";
    slot.with = {std::move(wanted)};
    wanted = std::move(slot);
  } else {
    wanted.exclusive = Exclusivity::yes;
  }
  request.resources = {std::move(wanted)};
  request.duration_s = 60;
  return request;
}

// node→socket→slot→core[1] under a constraint.
inline Request with_constraint(Constraint constraint) {
  Request request;
  Resource inner;
  inner.type = "core";
  for (const char* type : {"slot", "socket", "node"}) {
    Resource outer;
    outer.type = type;
    outer.label = "x";
    outer.with = {std::move(inner)};
    inner = std::move(outer);
  }
  request.resources = {std::move(inner)};
  request.duration_s = 60;
  request.constraint = std::move(constraint);
  return request;
}

}  // namespace copse::fuzz
