// SPDX-License-Identifier: Apache-2.0
//
// The `scheduling` key of an R (RFC 20) as TreePool writes it (RFC 49): the layouts of its nodes.
//
// What is read, and refused with line and column where it is not so:
//   * `children` is an array of objects (it may be missing); each has `ranks`, an idset that names
//     at least one rank, and `topo`, an object. No rank is in two of them.
//   * A domain, and `topo` is one, has `cores` and `gpus` (idsets), `memory` (whole GiB), `storage`
//     (an array of objects with `path`, `capacity` and perhaps `unit`); any other key names a
//     locality, whose value is an array of domains. core, gpu, node and slot name none.
//   * `topo_ids`, which Copse adds for sub-instances (rset/rset_scheduling.hpp), is an array of
//     entries as R_lite has them (it may be missing); no rank is in two of them. Layouts are
//     translated to the ids of R_lite by it.
// Other keys of `scheduling` and of an entry of `children` are carried along.
//
// Ranks: if `children` names as many ranks as R_lite has, the k-th smallest of one is the k-th
// smallest of the other, as where R was renumbered for a sub-instance and its `scheduling` was not.
// Else ranks mean themselves, and those that R_lite does not have are left out (nodes may have been
// excluded); that none is left is an error.
//
// Cost: O(length of the text + ranges of ranks · log), and the layouts that topo_ids makes: one for
// each of its entries and each layout that the entry meets.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/idset.hpp"
#include "copse/error.hpp"
#include "copse/layout.hpp"
#include "rset/rset.hpp"

namespace copse {

struct TreepoolKey {
  // An entry of `children`.
  struct Child {
    Idset ranks;        // those of R_lite
    std::string other;  // its other members as JSON, "\"topo\": {…}"
  };
  Layouts layouts;
  std::vector<Child> children;
  std::vector<RSet::Entry> topo_ids;  // ranks are those of R_lite; equal entries are one
  std::string other;  // the other members of `scheduling` as JSON, "\"writer\": \"TreePool\""
};

struct TreepoolLimits {
  std::uint32_t depth_max = 32;                             // of domains in each other
  std::uint32_t domains_max = 1u << 16;                     // of one layout
  std::uint32_t children_max = 1u << 20;                    // entries of `children`
  std::uint32_t all_domains_max = 1u << 20;                 // of all entries together
  std::size_t translated_bytes_max = std::size_t{1} << 28;  // of layouts that topo_ids makes
};

// Reads the key out of an R that read_r() accepted, whose ranks are `ranks`; nullopt if it has
// none, or one of another writer (no writer means Fluxion). `file` is only for messages.
// Errors: invalid, limit, with line and column.
[[nodiscard]] Result<std::optional<TreepoolKey>> read_treepool(std::string_view text,
                                                               const Idset& ranks,
                                                               std::string_view file = {},
                                                               const TreepoolLimits& limits = {});

// Appends the key of an allocated R as a JSON object: entries of `children` and of `topo_ids`
// trimmed to these ranks (ascending), those without a rank left out, all else as it was read
// (RFC 49, *Allocated R*).
// O(ranges of ranks of the key + ranks + length of the text).
void append_treepool(std::string& out, const TreepoolKey& key, std::span<const std::int64_t> ranks);

}  // namespace copse
