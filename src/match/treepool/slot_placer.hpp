// SPDX-License-Identifier: Apache-2.0
//
// SlotPlacer: places slots on one node, by popcounts and bit operations on the mask of its free
// resources.
//
// A slot takes the lowest ids of the finest group that it fits in. As in flux-core's TreePool:
//   * With GPUs, groups are used in the order of the layout, level by level; slots that fit no
//       group of one level spill over to the next.
//   * Without GPUs, only the finest level with a group that fits a slot is used, its groups by
//       ascending number of free cores; unless `spill`: then coarser levels are used for the rest,
//       so that a node with n free cores has n / cores slots.
//   * With memory or storage as pools, as with GPUs: a group is used while it has enough of all.
//   * Domains taken whole are taken in the order of the layout, and each must be free when its turn
//     comes (domains may overlap).
//
// Cost: for each visited level and group, the words of its masks; parts: for each slot, the domains
// of the node times the nested parts.
#pragma once

#include <vector>

#include "match/treepool/node_kind.hpp"
#include "match/treepool/treepool_request.hpp"

namespace copse {

// A SlotPart with its name as a number (see NodeKinds); kNoName: not a domain, only amounts.
struct NamedPart {
  static constexpr std::uint32_t kNoName = UINT32_MAX;
  std::uint32_t name = kNoName;
  std::int64_t count = 1, repeat = 1;
  LeafAmounts amounts{};
  bool whole = false;
  std::vector<NamedPart> parts{};
  bool operator==(const NamedPart&) const = default;
};

struct Unit {
  LeafAmounts amounts{};
  std::vector<NamedPart> parts{};
  bool whole_node = false;  // the rest of its node is taken as well
  [[nodiscard]] bool has_stocks() const { return amounts[kMemory] > 0 || amounts[kStorage] > 0; }
  bool operator==(const Unit&) const = default;
};

class SlotPlacer {
 public:
  // Takes up to `most` units out of `left`, a mask of the kind; returns how many. None, if these
  // would be domains without a core: R needs one of each node (RFC 20).
  std::int64_t place(const NodeKind& kind, const Unit& unit, std::int64_t most, bool spill,
                     Word* left);

 private:
  struct Scored {
    std::int64_t free;
    std::uint32_t group;
  };
  struct Scope {  // a domain and those in it; the whole node has no mask
    std::uint32_t first, end;
    const AffinityGroup* group;
  };
  std::int64_t cores_only(const NodeKind& kind, std::int64_t cores, std::int64_t most, bool spill,
                          Word* left);
  std::int64_t with_parts(const NodeKind& kind, const Unit& unit, std::int64_t most, Word* left);
  template <class Take>
  bool or_restore(const NodeKind& kind, Word* left, Take take);
  bool all_parts(const NodeKind& kind, const std::vector<NamedPart>& parts, const Scope& scope,
                 Word* left);
  bool one_part(const NodeKind& kind, const NamedPart& part, const Scope& scope, std::uint32_t& d,
                Word* left);
  bool contents(const NodeKind& kind, const NamedPart& part, const Scope& scope, Word* left);

  std::vector<Scored> order_;
  std::vector<Word> saved_;  // stack of masks to restore
};

}  // namespace copse
