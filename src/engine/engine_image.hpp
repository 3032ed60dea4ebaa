// SPDX-License-Identifier: Apache-2.0
//
// EngineImage: everything that determines the answers of an engine, as one plain value.
//
// The state is not part of it: it results from applying every grant (parts.hpp). Numbers of pools
// and grants are, with the order in which free ones are reused, so that an engine made from the
// image has the same fingerprint and gives the same answers. Caches are not.
//
// Images are untrusted: engine_of() refuses a value that breaks a rule.
// Cost: O(machine + grants) both ways, and the grants are applied.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "copse/engine.hpp"
#include "engine/changes/growth.hpp"
#include "graph/graph_image.hpp"
#include "hres/channels.hpp"
#include "hres/hres_image.hpp"

namespace copse {

struct EngineImage {
  struct Weight {  // of an interior pool: for the exploration order of `first`
    PoolId pool;
    std::uint64_t weight = 0;
    bool recorded = false;
  };

  GraphImage graph;
  EngineOptions options;
  Layouts layouts;
  std::vector<bool> leaf_types;                         // that prune filters know
  std::vector<std::pair<PoolId, Status>> status;        // of pools that are not up, ascending
  bool clock_runs = false;                              // the clock has moved
  std::vector<std::pair<std::uint32_t, Grant>> grants;  // by number, ascending
  std::vector<std::uint32_t> free_grants;  // the other numbers, in the order in which they were
                                           // released
  std::vector<Growth> growth;
  std::int64_t nodes_lost = 0;                         // GrowthLedger::nodes_lost
  std::vector<std::pair<JobId, std::string>> users{};  // of jobs, for a visiting policy
  std::vector<Weight> weights;  // those that differ from the initial weight, ascending
  std::optional<HresImage> hres{};
  std::vector<Channels::Channel> channels;
};

// The times of all grants, as columns; by job, ascending.
struct GrantTimes {
  std::vector<std::int64_t> jobs, starts, ends;
};

class EngineImager {
 public:
  [[nodiscard]] static EngineImage image_of(const Engine& engine);
  // Errors: invalid, limit, and those of Engine::create.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> engine_of(EngineImage image);
  // O(grants), plus a sort if their jobs are not in order.
  [[nodiscard]] static GrantTimes grant_times(const Engine& engine);
  // The numbers of the layers, in the order of Engine::layers(). A LayerCharge refers to them; a
  // layer keeps its number while it exists. O(layers).
  [[nodiscard]] static std::vector<std::uint32_t> layer_numbers(const Engine& engine);
};

}  // namespace copse
