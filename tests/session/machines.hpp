// SPDX-License-Identifier: Apache-2.0
//
// Sessions on the machine of an R. Small machines: a TreePool of 4 nodes, each with 2 NUMA domains of 4 cores and a
// GPU; a plain R of 4 nodes of 4 cores without a scheduling key.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/treepool_memory.hpp"
#include "session/session.hpp"

namespace copse {

inline constexpr std::string_view kTreepoolMachine = R"({"version": 1, "execution": {
  "R_lite": [{"rank": "0-3", "children": {"core": "0-7", "gpu": "0-1"}}],
  "starttime": 0, "expiration": 0, "nodelist": ["n[0-3]"], "properties": {"big": "2-3"}},
  "scheduling": {"writer": "TreePool", "children": [{"ranks": "0-3", "topo": {"numa": [
    {"cores": "0-3", "gpus": "0"}, {"cores": "4-7", "gpus": "1"}]}}]}})";

inline constexpr std::string_view kPlainMachine = R"({"version": 1, "execution": {
  "R_lite": [{"rank": "0-3", "children": {"core": "0-3"}}],
  "starttime": 0, "expiration": 0, "nodelist": ["n[0-3]"]}})";

// A node that neither of them has, with two cores, as JGF.
inline std::string node_as_jgf(const std::string& name, int number) {
  const auto pool = [&](int id, const std::string& metadata) {
    return R"({"id": ")" + std::to_string(id) + R"(", "metadata": {)" + metadata + "}}";
  };
  const std::string path = "/cluster0/" + name, rank = std::to_string(number);
  std::string nodes =
      pool(0, R"("type": "cluster", "id": 0, "rank": -1, "paths": {"containment": "/cluster0"})");
  nodes += ", " + pool(900, R"("type": "node", "basename": "n", "name": ")" + name +
                                R"(", "id": )" + rank + R"(, "rank": )" + rank +
                                R"(, "paths": {"containment": ")" + path + "\"}");
  std::string edges = R"({"source": "0", "target": "900"})";
  for (int core = 0; core < 2; ++core) {
    const std::string id = std::to_string(core);
    nodes += ", " +
             pool(901 + core, R"("type": "core", "id": )" + id + R"(, "rank": )" + rank +
                                  R"(, "paths": {"containment": ")" + path + "/core" + id + "\"}");
    edges += R"(, {"source": "900", "target": ")" + std::to_string(901 + core) + "\"}";
  }
  return R"({"graph": {"nodes": [)" + nodes + R"(], "edges": [)" + edges + "]}}";
}

// A session with the machine's locality domains if TreePool wrote the R; else by the loop-aware
// traverser. `piece_gib` above 0: memory and storage are counted in such pieces.
inline Result<Session> session_of_r(std::string_view text, std::int64_t piece_gib = 0,
                                    SessionRequestLimits limits = {},
                                    SessionEnvironment environment = {}) {
  auto r = read_r(text, {}, {.layouts = TreepoolLimits{}});
  if (!r) return std::unexpected(r.error());
  const bool treepool = r->scheduling.treepool;
  if (treepool && piece_gib > 0) {
    if (auto ok = count_memory(*r, piece_gib); !ok) return std::unexpected(ok.error());
  }
  auto graph = graph_of_r(*r);
  if (!graph) return std::unexpected(graph.error());
  EngineOptions options;
  options.counts_nodes_first = false;
  options.traverser = treepool ? Traverser::treepool : Traverser::loop_aware;
  auto engine = Engine::create(std::move(*graph), std::move(options), std::move(r->layouts));
  if (!engine) return std::unexpected(engine.error());
  SessionOptions made;
  if (treepool) made.scheduling = std::move(r->scheduling);
  made.limits = limits;
  made.environment = std::move(environment);
  return Session(std::move(*engine), std::move(made));
}

}  // namespace copse
