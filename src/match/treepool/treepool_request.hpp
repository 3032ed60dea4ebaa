// SPDX-License-Identifier: Apache-2.0
//
// A request as the treepool traverser sees it: so many nodes, so many slots on each (or so many
// slots anywhere), and what a slot has.
//
// From the resources section, following flux-core's TreePool and RFC 14 where that says more:
//   * Counts above `node` multiply its count; those above an outermost slot do not multiply slots.
//     A slot above the node is one slot on each node. At most one count above and of the node may
//     be a range: the outermost one keeps it, the others count with their least.
//   * An exclusive node is taken whole, as is each node of an exclusive slot above it. A node in a
//     slot with nothing in it is exclusive (RFC 14's default; with something in it, it is shared
//     unless it says otherwise, as RFC 49's tables have it).
//   * A domain (a vertex whose type is a locality name, or anything exclusive without contents) in
//     a slot is taken whole if it is exclusive, or has nothing in it and does not say otherwise;
//     else what is in it is taken in so many domains of that name. Domains above a slot hold it: as
//     many slots are taken together as they have.
//   * Memory and storage in a slot are hints that nothing is done about; but where they are pools
//     (Layouts::piece_gib), that many GiB are taken, in whole pieces, the least of a range.
//   * What else is in a slot is a hint.
#pragma once

#include <string>
#include <vector>

#include "copse/error.hpp"
#include "copse/layout.hpp"
#include "copse/request.hpp"
#include "match/treepool/node_kind.hpp"

namespace copse {

// Domains that a slot has a part of, or all.
struct SlotPart {
  std::string name;
  std::int64_t count = 1;
  bool whole = false;
  // What is taken in each, so often; of a whole one what it must have at least.
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
  std::int64_t unit_slots = 1;  // of a unit
  // Of a unit; min 0: none.
  Count cores{.min = 0, .max = 0}, gpus{.min = 0, .max = 0};
  LeafAmounts stocks{};  // without cores and GPUs
  std::vector<SlotPart> parts{};
  std::vector<std::string> remarks;

  [[nodiscard]] bool moldable() const {
    return nodes.moldable() || units.moldable() || cores.moldable() || gpus.moldable();
  }
};

// Errors: invalid (no slot; nothing in it; two of what there can be one of), limit (nested deeper
// than 100). O(vertices).
[[nodiscard]] Result<TreepoolRequest> treepool_request(const std::vector<Resource>& resources,
                                                       const Layouts& layouts);

}  // namespace copse
