// SPDX-License-Identifier: Apache-2.0
//
// A request for the treepool traverser: a number of nodes, a number of slots on each (or in all),
// and the contents of a slot.
//
// Rules for the resources section, from flux-core's TreePool and, where these are incomplete, RFC
// 14:
//   * Counts above `node` multiply its count; those above an outermost slot do not multiply slots.
//     A slot above the node is one slot on each node. At most one count above and of the node may
//     be a range: the outermost one keeps it, the others use their minimum.
//   * An exclusive node is taken whole, as is each node of an exclusive slot above it. A node in a
//       slot without contents is exclusive (RFC 14's default; with contents it is shared unless
//       specified otherwise, as in RFC 49's tables).
//   * A domain (a vertex whose type is a locality name, or anything exclusive without contents) in
//     a slot is taken whole if it is exclusive, or has no contents and is not specified otherwise;
//       else its contents are taken from that many domains of that name. Domains above a slot
//       contain it: all their slots are taken together.
//   * Memory and storage in a slot are hints without effect. If they are pools
//       (Layouts::piece_gib), that many GiB are taken, in whole pieces; of a range the minimum.
//     * Anything else in a slot is a hint.
#pragma once

#include <string>
#include <vector>

#include "copse/error.hpp"
#include "copse/layout.hpp"
#include "copse/request.hpp"
#include "match/treepool/node_kind.hpp"

namespace copse {

// Domains that a slot takes in part or completely.
struct SlotPart {
  std::string name;
  std::int64_t count = 1;
  bool whole = false;
  // The amounts taken in each, `repeat` times; for a whole domain the amounts that it must have.
  std::int64_t repeat = 1;
  LeafAmounts amounts{};
  std::vector<SlotPart> parts{};
};

struct TreepoolRequest {
  bool by_node = false;
  Count nodes;  // the number of nodes is one of these times node_factor
  std::int64_t node_factor = 1;
  bool whole_nodes = false;
  Count units;                  // on each node, or in all: slots, or domains that hold slots
  std::int64_t unit_slots = 1;  // slots in a unit
  // Of a unit; min 0: none.
  Count cores{.min = 0, .max = 0}, gpus{.min = 0, .max = 0};
  LeafAmounts stocks{};  // memory and storage only
  std::vector<SlotPart> parts{};
  std::vector<std::string> remarks;

  [[nodiscard]] bool moldable() const {
    return nodes.moldable() || units.moldable() || cores.moldable() || gpus.moldable();
  }
};

// Errors: invalid (no slot; an empty slot; a repeated element that must be unique), limit (nested
// deeper than 100). O(vertices).
[[nodiscard]] Result<TreepoolRequest> treepool_request(const std::vector<Resource>& resources,
                                                       const Layouts& layouts);

}  // namespace copse
