// SPDX-License-Identifier: Apache-2.0
//
// Finds the layer of a hierarchical resource that is the reason for a failure, if there is one.
//
// First each need is checked separately: if its layers have enough for fewer nodes than the request
// takes at least, that is a reason, whatever the rest of the request. If nodes need different
// amounts, the least one is used, so the finding is true, but not complete. Otherwise, if the
// request would get pools without its hierarchical resources, the layers over those pools are the
// reason.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "copse/explain.hpp"
#include "hres/hres_table.hpp"
#include "start_search/start_search.hpp"
#include "state/grants.hpp"

namespace copse {

class LayerFindings {
 public:
  LayerFindings(const ResourceGraph& graph, const HresTable& hres, const Grants& grants,
                StartSearch& search)
      : graph_(graph), hres_(hres), grants_(grants), search_(search) {}

  struct Answer {
    std::vector<Finding> findings;
    bool pools_fit = false;  // whether the request would get pools without hierarchical resources
  };
  // For a request with hierarchical resources that gets nothing in this window. Overwrites the
  // result of the search. O(nodes + layers), and a walk.
  [[nodiscard]] Answer find(LearnedRequest& request, const Window& window, JobId job);

 private:
  class Room;
  struct Served;

  [[nodiscard]] Finding about_layer(const HresNeed& need, std::uint32_t layer, Room& room) const;
  [[nodiscard]] std::optional<Finding> short_alone(const HresNeed& need, std::int64_t nodes,
                                                   Room& room) const;
  [[nodiscard]] std::optional<Finding> short_there(std::span<const HresNeed> needs,
                                                   const std::vector<PoolId>& nodes,
                                                   Room& room) const;
  [[nodiscard]] Served served_by_classes(const HresTable::Resource& resource, std::int64_t count,
                                         Room& room) const;
  [[nodiscard]] Served served_by_tree(const HresTable::Resource& resource, std::int64_t count,
                                      Room& room, std::int64_t wanted) const;
  [[nodiscard]] std::vector<std::int64_t> nodes_of_classes(
      const HresTable::Resource& resource) const;
  // By class: whether its nodes are relevant. Nodes for which layers would not have enough even if
  // empty are not, unless all are such.
  [[nodiscard]] std::vector<bool> classes_to_blame(const HresTable::Resource& resource,
                                                   std::int64_t count, const Room& room) const;

  const ResourceGraph& graph_;
  const HresTable& hres_;
  const Grants& grants_;
  StartSearch& search_;
};

}  // namespace copse
