// SPDX-License-Identifier: Apache-2.0
//
// HresImage: the content of an HresTable that cannot be derived, without the charges of grants:
// numbered layers and nodes, and reservations in order of creation.
//
// Images are untrusted: hres_of() checks everything. Cost: O(nodes of all layers) both ways.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hres/hres_table.hpp"

namespace copse {

struct HresImage {
  struct Layer {
    std::uint32_t resource = 0;
    std::string text;
    std::vector<std::uint32_t> nodes;  // numbers, ascending
    std::int64_t count = 0, base = 0;  // base: its own
    SourceLocation place;
    std::vector<LayerTimes::Reservation> reservations;  // the oldest first
  };
  struct Resource {
    std::string name;
    int mode = 1;
    std::string topology;
    std::vector<std::pair<std::string, std::int64_t>> variables;  // by name
    std::vector<HresTable::Resource::Kinds> kinds;
    std::vector<std::uint32_t> layers;  // numbers, in the order of the file
  };
  std::vector<std::pair<std::string, PoolId>> nodes;  // by number; kNoPool: removed
  std::vector<Layer> layers;                          // by number, including removed ones
  std::vector<Resource> resources;                    // by number
  std::vector<std::int64_t> edges;                    // of reservations, ascending
};

class HresImager {
 public:
  [[nodiscard]] static HresImage image_of(const HresTable& hres);
  // Errors: invalid, limit.
  [[nodiscard]] static Result<std::unique_ptr<HresTable>> hres_of(const ResourceGraph& graph,
                                                                  LayerOrder order,
                                                                  HresImage image);

 private:
  [[nodiscard]] static Result<void> take(HresTable& hres, HresImage& image);
  [[nodiscard]] static Result<void> reserve(HresTable& hres, HresImage& image);
};

}  // namespace copse
