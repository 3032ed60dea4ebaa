// SPDX-License-Identifier: Apache-2.0
//
// HresStartBounds: bounds on when the supply can serve a request, for a search through times that goes
// forward.
//
// A bound is necessary, never sufficient: some node must be served by each need of one alternative,
// and the root of a tree must have enough for all nodes that the request takes at least.
//
// Cost: earliest O(layers of the needs · log spans) at first, until a node is found that can be
// served; answers of layers are kept until their time has passed. 16 bytes per layer of each need.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hres/hres_table.hpp"

namespace copse {

class HresStartBounds {
 public:
  explicit HresStartBounds(const HresTable& hres) : hres_(hres) {}

  // `nodes`: so many nodes the request takes at least.
  void begin(const HresNeeds& needs, HresTable::Job job, std::int64_t duration_s,
             std::int64_t horizon, std::int64_t nodes);
  // The first time from `t` on at which some alternative may be served; t must not go back. It is t
  // itself, or a time at which a layer's charges or reservations change.
  [[nodiscard]] std::optional<std::int64_t> earliest(std::int64_t t);

 private:
  using Time = std::optional<std::int64_t>;
  struct Wanted {
    HresNeed need;
    std::vector<std::int64_t> from, free;  // by place: the first fit known for times from `from` on
  };

  [[nodiscard]] std::int64_t of_layer(Wanted& wanted, std::size_t place, std::int64_t t);
  [[nodiscard]] std::int64_t of_need(Wanted& wanted, std::int64_t t);

  const HresTable& hres_;
  std::vector<std::vector<Wanted>> alternatives_;
  std::vector<std::uint32_t> places_;  // by layer: its place in its resource
  HresTable::Job job_ = 0;
  std::int64_t duration_s_ = 0, horizon_ = 0, nodes_ = 0;
};

}  // namespace copse
