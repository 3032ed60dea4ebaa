// SPDX-License-Identifier: Apache-2.0
//
// LayerChanges: changes of layers while grants are charged to them.
#pragma once

#include <string_view>

#include "engine/parts.hpp"

namespace copse {

class LayerChanges {
 public:
  explicit LayerChanges(EngineParts& parts) : e_(parts) {}

  // As the functions of Engine that add, change, reserve and free layers; notifies the effect sink.
  [[nodiscard]] Result<void> add(const HresSpec& spec, std::string_view file);
  [[nodiscard]] Result<void> remove_layer(std::string_view resource, std::string_view nodes);
  [[nodiscard]] Result<void> set_nodes(std::string_view resource, std::string_view nodes,
                                       std::string_view to);
  [[nodiscard]] Result<void> set_count(std::string_view resource, std::string_view nodes,
                                       std::int64_t count);
  [[nodiscard]] Result<void> reserve(const LayerReservation& reservation);
  [[nodiscard]] Result<void> free(std::string_view id);

 private:
  EngineParts& e_;
};

// Recomputes the layer charges of a grant, after its nodes or the layers over them have changed.
void recompute_charges(EngineParts& e, Grant& grant);
// The same for channels, after pools were released: removes the charges of released pools.
void recompute_channel_charges(EngineParts& e, Grant& grant);

}  // namespace copse
