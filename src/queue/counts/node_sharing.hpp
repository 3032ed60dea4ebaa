// SPDX-License-Identifier: Apache-2.0
//
// NodeSharing: which groups of nodes promises take, if all are chosen again.
//
// A promise is a time. Its groups are found when it is made, next to those of other promises, and
// may later be in the way of one more. So all promises and that one choose again, in the order of
// their starts: each takes what its set has at its start (NodeGroups has the order). Whatever is
// free then stays free, until a later start takes it, so no promise has to look ahead. Where one
// finds too few, there may be another way, which is not searched.
//
// Running jobs keep their nodes. Groups that are reserved at some time of a promise have none.
//
// Cost: a promise takes O(g + l) queries of planners and O(log promises), about 0.5 µs with two
// groups. Most attempts that fail end after a few promises.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "queue/counts/node_counts.hpp"

namespace copse::queue {

class NodeSharing {
 public:
  // REQUIRES that the counts do not change meanwhile.
  explicit NodeSharing(const NodeCounts& counts) : counts_(counts), taken_(counts.units(), 0) {}

  // What the next promise takes; nullopt: it finds too little, and nothing more can be shared.
  // REQUIRES that starts ascend.
  [[nodiscard]] std::optional<CountedUse> next(std::int64_t start_s, std::int64_t end_s,
                                               const NodeCounts::Need& need);

 private:
  using Parts = std::vector<std::pair<std::uint32_t, std::int64_t>>;

  const NodeCounts& counts_;
  std::vector<std::int64_t> taken_;  // by group and layer, by those that have started
  std::vector<Parts> parts_;         // of each
  using End = std::pair<std::int64_t, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace copse::queue
