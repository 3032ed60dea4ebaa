// SPDX-License-Identifier: Apache-2.0
//
// R version 1 (RFC 20): its `execution` part as a plain value, and the machine that it describes.
//
// read_r() checks everything that RFC 20 says of that part, so that an RSet can be used as it is:
//   1. Ranks are 0 to 2^31 - 1; no rank is in two entries, and no entry is without a rank.
//   2. hosts is empty (there was no nodelist) or has one host for each rank: hosts[k] is that of
//      the k-th smallest rank.
//   3. Properties name known ranks only.
// Other keys than those of RFC 20 are passed over, `scheduling` among them, but must be valid JSON.
//
// Cost: O(length of the text + hosts). Idsets stay ranges, so "0-4294967295" is 16 bytes; how many
// pools they come to is known, and bounded, before one of them is made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/idset.hpp"
#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "graph/graph_builder.hpp"

namespace copse {

struct RSet {
  // The resources of some ranks: ids by type, in the order of the text.
  struct Entry {
    Idset ranks;
    std::vector<std::pair<std::string, Idset>> children;
  };
  std::vector<Entry> entries;
  std::vector<std::string> hosts;
  std::vector<std::pair<std::string, Idset>> properties;  // name, ranks
  double starttime_s = 0, expiration_s = 0;               // since the epoch; 0: unset
  std::int64_t nslots = 0;                                // 0: not given

  [[nodiscard]] Idset ranks() const;  // of all entries; O(ranges × log ranges)
};

struct RLimits {
  std::size_t text_bytes_max = std::size_t{1} << 31;
  std::int64_t ranks_max = 1 << 20;
  std::int64_t property_uses_max = 1 << 22;  // sum over properties of their ranks
};

// Reads an R; `file` is only for messages.
// Errors, with line and column: invalid (no JSON, a rule of RFC 20 that is broken, a key given
// twice), limit (the sentence has the bound; numbers of hosts and children end at 2^53).
[[nodiscard]] Result<RSet> read_r(std::string_view text, std::string_view file = {},
                                  const RLimits& limits = {});

// The machine of an R: cluster0, below it a node for each rank, below that its children, size 1.
//   * Pools are created in the order of the entries, ranks ascending, each node before its children
//     and these in the order of the text.
//   * A node is named by its host: basename and id are the host without and the number of its last
//     digits (id -1: there are none). Children are named type + id, and have their node's rank.
//   * A property of a rank becomes one of its node, with an empty value.
// Errors: invalid (no nodelist; a subsystem other than containment), limit (pools).
// Cost: O(pools × log ranges).
[[nodiscard]] Result<ResourceGraph> graph_of_r(const RSet& r,
                                               std::string_view dominant = "containment",
                                               GraphBuilder::Limits limits = {});

}  // namespace copse
