// SPDX-License-Identifier: Apache-2.0
//
// A desk-size machine with every kind of change applied.
#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "copse/engine.hpp"
#include "formats/grug/grug.hpp"
#include "paths.hpp"

namespace copse::test {

inline std::string text_of_file(const std::string& path) {
  std::ifstream in((source_dir() + "/") + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class Desk {
 public:
  Desk()
      : engine(must(
            Engine::create(must(read_grug(text_of_file("examples/machines/desk.graphml"), "desk")),
                           {.policy = *find_policy("first"), .growth_waits = true}))) {}

  void grant(JobId job, const char* resources, std::int64_t duration_s,
             Operation operation = Operation::allocate_orelse_reserve) {
    const std::string text = fmt::format(R"({{"version": 9999, "resources": [{}], "tasks": [],
 "attributes": {{"system": {{"duration": {}}}}}}})",
                                         resources, duration_s);
    auto* request = must(engine->prepare(text, "job"));
    (void)engine->match(operation, *request, job);
  }

  void all_that_can_happen() {
    constexpr const char* kCore =
        R"({"type": "slot", "count": 1, "label": "x", "with": [{"type": "core", "count": 3}]})";
    constexpr const char* kNode =
        R"({"type": "slot", "count": 2, "label": "x", "with": [{"type": "node", "count": 1}]})";
    HresSpec spec;
    ResourceSpec& licence = spec.resources.emplace_back();
    licence.name = "licence";
    licence.mode = 1;
    licence.layers.emplace_back();
    licence.layers[0].nodes.emplace_back("node[0-3]", SourceLocation{});
    licence.layers[0].count = 12;
    must(engine->add_resources(spec));
    grant(1, kCore, 100);
    grant(2, kNode, 200);
    grant(3, kNode, 50);
    grant(4, kNode, 300);
    grant(5, kCore, 300, Operation::without_allocating);
    must(engine->cancel(1));
    must(engine->reserve_layer({"course", "licence", "node[0-3]", 4, 300, 900, {2, 9}}));
    attach();
    must(engine->advance(120));
    grant(6, kCore, 0);
    const PoolId node = engine->graph().of_type(engine->graph().find_type("node"))[2];
    engine->set_status(node, Status::degraded);
    engine->set_property(node, "fast", "very");
    engine->set_tag(node, "bench");
    engine->set_property(node, "passing", "yes");
    engine->remove_property(node, "passing");
    must(engine->set_layer_count("licence", "node[0-3]", 20));
    const Grant& cut = *engine->grant(2);
    const PoolId part = cut.selection.taken.back().first;
    must(engine->cancel_part(2, {&part, 1}, true));
    const PoolId gone = engine->graph().of_type(engine->graph().find_type("node"))[0];
    must(engine->remove({&gone, 1}));
    grant(7, kNode, 60);
    grant(8, kCore, 60);
  }

  void attach() {
    const ResourceGraph& graph = engine->graph();
    const PoolId like = graph.of_type(graph.find_type("node"))[0];
    NewSubtree subtree{graph.parent(like), {}};
    NewPool node;
    node.type = graph.type(like);
    node.basename = graph.basename(like);
    node.id = 77;
    node.rank = 77;
    node.properties["new"] = "1";
    subtree.pools.push_back(node);
    for (std::int64_t core = 0; core < 4; ++core) {
      NewPool c;
      c.parent = 0;
      c.type = graph.find_type("core");
      c.basename = NameId{engine->names().basenames.intern("core")};
      c.id = core;
      c.rank = 77;
      subtree.pools.push_back(c);
    }
    must(engine->attach({&subtree, 1}));
  }

  std::unique_ptr<Engine> engine;
};

// All that is visible of an engine, independent of how it is stored.
inline std::string shown(const Engine& engine) {
  const ResourceGraph& graph = engine.graph();
  std::string out = fmt::format("now {}\n", engine.now());
  for (const JobId job : engine.jobs()) {
    const Grant& grant = *engine.grant(job);
    out += fmt::format("job {} from {} to {} {}\n", job, grant.start, grant.end,
                       engine.charges_text(grant.charges));
    std::vector<ExpandedPool> pools;
    expand(graph, grant.selection, pools);
    for (const ExpandedPool& e : pools) {
      out += fmt::format("  {}{}\n", graph.path(e.pool, graph.dominant()), e.exclusive ? " x" : "");
    }
  }
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    const PoolId p{v};
    if (graph.removed(p)) continue;
    if (engine.status(p) != Status::up) {
      out += fmt::format("{} is {}\n", graph.name(p), word(engine.status(p)));
    }
    if (const auto* properties = graph.properties(p)) {
      for (const auto& [key, value] : *properties) {
        out += fmt::format("{} has {}={}\n", graph.name(p), key, value);
      }
    }
    if (graph.tags(p) != nullptr) out += fmt::format("{} is tagged\n", graph.name(p));
  }
  for (const LayerView& v : engine.layers(engine.now())) {
    out += fmt::format("layer {} {} total {} used {} held {}\n", v.resource, v.nodes, v.total,
                       v.used, v.held);
  }
  return out;
}

}  // namespace copse::test
