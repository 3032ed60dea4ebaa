// SPDX-License-Identifier: Apache-2.0
//
// Reading R version 1 (RFC 20) as a value (rset/rset.hpp), and the machine that it describes.
//
// read_r() checks all rules of RFC 20, so that an RSet can be used without further checks. Keys
// that RFC 20 does not have are skipped, but must be valid JSON; `scheduling` is kept, see
// rset/rset_scheduling.hpp.
//
// How strict it is:
//   machine   no rank may be in two entries (as Fluxion's reader has it); a node may be without
//             cores, and there need be no nodelist
//   merging   as machine, but a rank in several entries has what they have together, if no id is
//             there twice, and an empty object is an R_lite without entries (as `flux R` has it)
//   strict    every MUST and SHALL of RFC 20 and 49: also core in all children, no empty list of
//             ids, a nodelist; `scheduling` an object, its writer a URI, which children need; no
//             property local to an instance, and no rank in scheduling.children that R_lite has not,
//             in an R with nslots, which is an allocation; nothing but ranks and topo in an entry of
//             TreePool's children
//
// Cost: O(length of the text + hosts). Idsets stay ranges, so "0-4294967295" is 16 bytes; how many
// pools they come to is known, and bounded, before one of them is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "formats/rv1/treepool.hpp"
#include "graph/graph_builder.hpp"
#include "rset/rset.hpp"

namespace copse {

enum class RRules : std::uint8_t { machine, merging, strict };

struct RLimits {
  std::size_t text_bytes_max = std::size_t{1} << 31;
  std::int64_t ranks_max = 1 << 20;
  std::int64_t property_uses_max = 1 << 22;  // sum over properties of their ranks
  RRules rules = RRules::machine;
  // The hosts are not used: nodelist need not have one for each rank, and is left out then.
  bool any_hosts = false;
  // If given, `topo` of TreePool's scheduling key is read as well: see take_layouts().
  std::optional<TreepoolLimits> layouts{};
};

// Reads an R; `file` is only for messages.
// Errors, with line and column: invalid (no JSON, a rule of RFC 20 that is broken, a key given
// twice), limit (the sentence has the bound; numbers of hosts and children end at 2^53).
[[nodiscard]] Result<RSet> read_r(std::string_view text, std::string_view file = {},
                                  const RLimits& limits = {});

// Reads one or more R in sequence, as `flux R` takes them; places are those of
// the whole text. Errors: those of read_r(); limit (more than `sets_max`).
[[nodiscard]] Result<std::vector<RSet>> read_rs(std::string_view text, std::string_view file = {},
                                                const RLimits& limits = {},
                                                std::size_t sets_max = 1u << 16);

// Reads the value of the key `scheduling` from a file of its own. Errors: as of read_r().
[[nodiscard]] Result<RScheduling> read_scheduling(std::string_view text, std::string_view file = {},
                                                  const RLimits& limits = {});

// The machine of an R: cluster0, below it a node for each rank, below that its children, size 1.
//   * Pools are created in the order of the entries, ranks ascending, each node before its children
//     and these in the order of the text.
//   * A node is named by its host: basename and id are the host without and the number of its last
//     digits (id -1: there are none). Children are named type + id, and have their node's rank.
//   * A property of a rank becomes one of its node, with an empty value; "h200@gpu" also becomes the
//     property "h200" of its gpus, unless types of devices are ignored, as by Fluxion.
// An R without ranks is a cluster without nodes.
// Errors: invalid (no nodelist; a subsystem other than containment), limit (pools).
// Cost: O(pools × log ranges).
enum class DeviceTypes : std::uint8_t { read, ignored };
[[nodiscard]] Result<ResourceGraph> graph_of_r(const RSet& r,
                                               std::string_view dominant = "containment",
                                               GraphBuilder::Limits limits = {},
                                               DeviceTypes devices = DeviceTypes::read);

}  // namespace copse
