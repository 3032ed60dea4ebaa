// SPDX-License-Identifier: Apache-2.0
//
// A machine with hierarchical resources for tests: nodes n0, n1, … with two cores each, requests as
// shapes and hres strings, and the layers as one line.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "engine/jobs.hpp"
#include "hres/machine_of_nodes.hpp"
#include "request/constraint.hpp"
#include "request/hres.hpp"
#include "request/shape.hpp"

namespace copse {

class HresMachine {
 public:
  HresMachine(int nodes, std::string_view yaml, EngineOptions options = with_policy("lonode"))
      : engine(copse::engine(std::move(options), nodes_graph(nodes))) {
    const auto added = add(yaml);
    EXPECT_TRUE(added) << (added ? "" : added.error().message());
  }
  Result<void> add(std::string_view yaml) {
    const auto spec = read_hres(yaml, "resources.yaml");
    if (!spec) return std::unexpected(spec.error());
    return engine->add_resources(*spec, "resources.yaml");
  }

  PreparedRequest prepared(std::string_view shape, std::string_view hres,
                           std::int64_t duration_s = 0, std::string_view ranks = {}) {
    auto request = parse_shape(shape);
    EXPECT_TRUE(request);
    request->slots_share = true;
    request->duration_s = duration_s;
    if (!hres.empty()) request->hres = *parse_hres_request(hres);
    if (!ranks.empty()) {
      request->constraint = *parse_constraint(fmt::format(R"({{"ranks": ["{}"]}})", ranks));
    }
    auto made = engine->prepare(std::move(*request));
    EXPECT_TRUE(made) << (made ? "" : made.error().message());
    return made ? std::move(*made) : PreparedRequest();
  }
  // "0-2 at 10": the nodes and the start; else the word of the error.
  std::string match(Operation operation, JobId job, std::string_view shape, std::string_view hres,
                    std::int64_t duration_s = 0, std::string_view ranks = {}) {
    PreparedRequest request = prepared(shape, hres, duration_s, ranks);
    const auto got = engine->match(operation, request, job);
    if (!got) {
      const bool ever = engine->match(Operation::satisfiability, request, 0).has_value();
      return got.error().code == ErrorCode::insufficient && !ever ? "infeasible" : error_of(got);
    }
    if (operation == Operation::satisfiability) return "satisfiable";
    return shown(**got);
  }
  // This number of whole nodes.
  std::string alloc(JobId job, int nodes, std::string_view hres, std::int64_t duration_s = 0,
                    std::string_view ranks = {}) {
    return match(Operation::allocate, job, fmt::format("slot={}/node{{x}}", nodes), hres,
                 duration_s, ranks);
  }
  std::string reserve(JobId job, int nodes, std::string_view hres, std::int64_t duration_s = 0,
                      std::string_view ranks = {}) {
    return match(Operation::allocate_orelse_reserve, job, fmt::format("slot={}/node{{x}}", nodes),
                 hres, duration_s, ranks);
  }
  // One core on each node: nodes are shared.
  std::string share(JobId job, int nodes, std::string_view hres, std::int64_t duration_s = 0,
                    std::string_view ranks = {}) {
    return match(Operation::allocate, job, fmt::format("slot={}/node/core=1", nodes), hres,
                 duration_s, ranks);
  }

  [[nodiscard]] std::string shown(const Match& got) const {
    return fmt::format("{} at {}", nodes_of(got.selection), got.start);
  }
  [[nodiscard]] std::string nodes_of(const Selection& selection) const {
    std::vector<ExpandedPool> pools;
    expand(engine->graph(), selection, pools);
    Idset ranks;
    std::set<std::int64_t> sorted;
    for (const ExpandedPool& e : pools) {
      if (e.exclusive) sorted.insert(engine->graph().rank(e.pool));
    }
    for (std::int64_t rank : sorted) ranks.add(rank);
    return ranks.text();
  }
  [[nodiscard]] std::string nodes_of(JobId job) const {
    const Grant* grant = engine->grant(job);
    return grant == nullptr ? "none" : nodes_of(grant->selection);
  }
  // All layers in order: "2/5" used and total, "2/5(1)" with the withheld amount; "*": unbounded.
  [[nodiscard]] std::string used(std::int64_t at = -1) const {
    std::string out;
    for (const LayerView& v : engine->layers(at < 0 ? engine->now() : at)) {
      const std::string total = v.total == kUnlimitedCount ? "*" : std::to_string(v.total);
      out += fmt::format("{}{}/{}{}", out.empty() ? "" : " ", v.used, total,
                         v.held > 0 ? fmt::format("({})", v.held) : "");
    }
    return out;
  }
  [[nodiscard]] std::string charged(JobId job) const {
    const Grant* grant = engine->grant(job);
    return grant == nullptr ? "none" : engine->charges_text(grant->charges);
  }
  // Frees whole ranks.
  Result<bool> give_back(JobId job, std::initializer_list<int> ranks) {
    std::vector<PoolId> pools;
    for (int rank : ranks) {
      engine->graph().preorder(node(rank), [&](PoolId p) {
        pools.push_back(p);
        return true;
      });
    }
    return engine->cancel_part(job, pools, true);
  }
  [[nodiscard]] PoolId node(int rank) const { return engine->graph().of_rank(rank).front(); }

  std::unique_ptr<Engine> engine;
};

}  // namespace copse
