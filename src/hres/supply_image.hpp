// SPDX-License-Identifier: Apache-2.0
//
// SupplyImage: all that a Supply knows and cannot derive, but for what grants are charged: layers
// with their numbers, nodes with theirs, reservations in the order in which they came.
//
// supply_of() trusts nothing. Cost: O(nodes of all layers) both ways.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hres/supply.hpp"

namespace copse {

struct SupplyImage {
  struct Layer {
    std::uint32_t resource = 0;
    std::string text;
    std::vector<std::uint32_t> nodes;  // numbers, ascending
    std::int64_t count = 0, base = 0;  // base: its own
    Place place;
    std::vector<LayerTimes::Reservation> reservations;  // the oldest first
  };
  struct Resource {
    std::string name;
    int mode = 1;
    std::string topology;
    std::vector<std::pair<std::string, std::int64_t>> variables;  // by name
    std::vector<Supply::Resource::Kinds> kinds;
    std::vector<std::uint32_t> layers;  // numbers, in the order of the file
  };
  std::vector<std::pair<std::string, PoolId>> nodes;  // by number; kNoPool: it is gone
  std::vector<Layer> layers;                          // by number, those that are gone included
  std::vector<Resource> resources;                    // by number
  std::vector<std::int64_t> edges;                    // of reservations, ascending
};

class SupplyImager {
 public:
  [[nodiscard]] static SupplyImage image_of(const Supply& supply);
  // Errors: invalid, limit.
  [[nodiscard]] static Result<std::unique_ptr<Supply>> supply_of(const ResourceGraph& graph,
                                                                 LayerOrder order,
                                                                 SupplyImage image);

 private:
  [[nodiscard]] static Result<void> take(Supply& supply, SupplyImage& image);
  [[nodiscard]] static Result<void> reserve(Supply& supply, SupplyImage& image);
};

}  // namespace copse
