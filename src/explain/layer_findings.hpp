// SPDX-License-Identifier: Apache-2.0
//
// Which layer of a hierarchical resource is the reason that a request gets nothing, if one is.
//
// First each need is looked at alone: its layers may serve fewer nodes than the request takes at
// least, a reason whatever else is asked for. Where nodes draw different amounts each counts with
// the least, so that the finding is true, but not complete. Otherwise, if the request would get
// pools without its hierarchical resources, the layers over those pools are the reason.
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
    bool pools_fit = false;  // the request would get pools if it asked for nothing else
  };
  // For a request that asks for hierarchical resources and gets nothing in this window. Begins an
  // attempt of the search for `job`. O(nodes + layers), and a walk.
  [[nodiscard]] Answer find(const CompiledRequest& request, const Window& window, JobId job);

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
  // By class: whether its nodes say what is missing. Those that could not be served even if all was
  // empty say nothing of what is in use, unless all are such.
  [[nodiscard]] std::vector<bool> classes_to_blame(const HresTable::Resource& resource,
                                                   std::int64_t count, const Room& room) const;

  const ResourceGraph& graph_;
  const HresTable& hres_;
  const Grants& grants_;
  StartSearch& search_;
};

}  // namespace copse
