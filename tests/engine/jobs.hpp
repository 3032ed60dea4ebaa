// SPDX-License-Identifier: Apache-2.0
//
// Jobspecs and engines for tests. Machines are those of graph/small_graph.hpp.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "copse/engine.hpp"
#include "graph/small_graph.hpp"

namespace copse {

// A resource in YAML's flow form: res("node", "2", slot("1", res("core"))).
inline std::string res(const std::string& type, const std::string& count = "1",
                       const std::string& with = "", const std::string& more = "") {
  return "{type: " + type + ", count: " + count + more +
         (with.empty() ? "" : ", with: [" + with + "]") + "}";
}
inline std::string slot(const std::string& count, const std::string& with) {
  return res("slot", count, with, ", label: task");
}
inline std::string xor_slot(const std::string& count, const std::string& with) {
  return res("xor_slot", count, with);
}

inline std::string job(const std::string& resources, const std::string& duration = "100",
                       const std::string& more = "") {
  return "version: 9999\nresources: [" + resources +
         "]\ntasks: [{command: [app], slot: task, count: {per_slot: 1}}]\nattributes: {system: "
         "{duration: " +
         duration + (more.empty() ? "" : ", " + more) + "}}\n";
}
inline std::string nodes(int count, const std::string& duration = "100") {
  return job(slot(std::to_string(count), res("node")), duration);
}
// This number of cores in a slot in a node, at any depth.
inline std::string cores(int count, const std::string& duration = "100") {
  return job(res("node", "1", slot("1", res("core", std::to_string(count)))), duration);
}

inline EngineOptions with_policy(const std::string& name) { return {.policy = *find_policy(name)}; }

inline std::unique_ptr<Engine> engine(EngineOptions options = with_policy("low"),
                                      ResourceGraph graph = machine()) {
  auto made = Engine::create(std::move(graph), std::move(options));
  EXPECT_TRUE(made) << (made ? "" : made.error().message());
  return std::move(*made);
}

// The match of this jobspec.
using Matched = std::expected<Match, NoMatch>;
inline Matched match(Engine& e, Operation operation, const std::string& text, JobId number = 1) {
  auto prepared = e.prepare(text, "job.yaml");
  if (!prepared) return std::unexpected(NoMatch(prepared.error()));
  auto matched = e.match(operation, **prepared, number);
  if (!matched) return std::unexpected(matched.error());
  return **matched;
}
inline Matched allocate(Engine& e, const std::string& text, JobId number = 1) {
  return match(e, Operation::allocate, text, number);
}

inline const std::vector<std::string>& remarks_of(const Matched& m) {
  return m ? m->remarks : m.error().remarks;
}
inline std::uint64_t visits_of(const Matched& m) { return m ? m->visits : m.error().visits; }

// "" or the word of the error's code.
template <class T, class E>
std::string error_of(const std::expected<T, E>& result) {
  return result ? "" : word(result.error().code);
}

// Paths of the pools of a selection that are exclusive, or of those that are not; without the root.
inline std::vector<std::string> paths_of(const ResourceGraph& g, const Selection& selection,
                                         bool exclusive = true) {
  std::vector<ExpandedPool> expanded;
  expand(g, selection, expanded);
  std::vector<std::string> paths;
  for (const ExpandedPool& e : expanded) {
    const std::string path = g.path(e.pool, g.dominant());
    if (e.exclusive == exclusive)
      paths.push_back(path.substr(std::min(path.size(), path.find('/', 1))));
  }
  return paths;
}
inline std::vector<std::string> taken(const Engine& e, const Matched& m) {
  if (!m) return {m.error().message()};
  return paths_of(e.graph(), m->selection);
}

using Paths = std::vector<std::string>;

}  // namespace copse
