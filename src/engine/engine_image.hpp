// SPDX-License-Identifier: Apache-2.0
//
// EngineImage: all that decides what an engine will answer, as one plain value.
//
// The state is not part of it: it is what applying every grant gives (parts.hpp). Numbers of pools
// and of grants are, with the order in which free ones are given out, so that an engine made of its
// image has the fingerprint of the engine and gives its answers. Caches are not.
//
// engine_of() trusts nothing: a value that breaks a rule makes no engine.
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
  struct Weight {  // of an interior pool: where `first` looks
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
  std::vector<std::uint32_t> free_grants;  // the other numbers, in the order they came free
  std::vector<Growth> growth;
  std::vector<Weight> weights;  // those that are not as at first, ascending
  std::optional<HresImage> hres{};
  std::vector<Channels::Channel> channels;
};

// When each grant is, as columns; by job, ascending.
struct GrantTimes {
  std::vector<std::int64_t> jobs, starts, ends;
};

class EngineImager {
 public:
  [[nodiscard]] static EngineImage image_of(const Engine& engine);
  // Errors: invalid, limit, and those of Engine::create.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> engine_of(EngineImage image);
  // One look at each grant: O(grants), and a sort if their jobs did not come in order.
  [[nodiscard]] static GrantTimes grant_times(const Engine& engine);
  // The numbers of the layers, in the order of Engine::layers(). A LayerCharge names them; a layer
  // has its number as long as it is there. O(layers).
  [[nodiscard]] static std::vector<std::uint32_t> layer_numbers(const Engine& engine);
};

}  // namespace copse
