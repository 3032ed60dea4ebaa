// SPDX-License-Identifier: Apache-2.0
//
// HresStartBounds: lower bounds on the time at which layers have enough for a request, for a search
// that goes forward in time.
//
// A bound is necessary, not sufficient: for each need of one alternative some node must have
// enough, and the root of a tree must have enough for the least number of nodes of the request.
//
// Cost: earliest O(layers of the needs · log spans) at first, until a node with enough is found;
// results of layers are cached until their time has passed. 16 bytes per layer of each need.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hres/hres_table.hpp"

namespace copse {

class HresStartBounds {
 public:
  explicit HresStartBounds(const HresTable& hres) : hres_(hres) {}

  // `nodes`: the least number of nodes of the request.
  void begin(const HresNeeds& needs, HresTable::Job job, std::int64_t duration_s,
             std::int64_t horizon, std::int64_t nodes);
  // The first time >= t at which some alternative may have enough; t must not decrease. It is t
  // itself, or a time at which charges or reservations of a layer change.
  [[nodiscard]] std::optional<std::int64_t> earliest(std::int64_t t);

 private:
  using Time = std::optional<std::int64_t>;
  struct Wanted {
    HresNeed need;
    std::vector<std::int64_t> from, free;  // by index of the layer: the first fit for times from
                                           // `from` on
  };

  [[nodiscard]] std::int64_t of_layer(Wanted& wanted, std::size_t place, std::int64_t t);
  [[nodiscard]] std::int64_t of_need(Wanted& wanted, std::int64_t t);

  const HresTable& hres_;
  std::vector<std::vector<Wanted>> alternatives_;
  std::vector<std::uint32_t> places_;  // by layer: its index in its resource
  HresTable::Job job_ = 0;
  std::int64_t duration_s_ = 0, horizon_ = 0, nodes_ = 0;
};

}  // namespace copse
