// SPDX-License-Identifier: Apache-2.0
//
// The layouts of nodes that TreePool's `scheduling` key describes (RFC 49).
//
// What is read, and refused with line and column where it is not so (rv1_scheduling.cpp):
//   * `writer` is TreePool, or a URI with that scheme (RFC 20).
//   * `children` is an array of objects (it may be missing); each has `ranks`, an idset that names
//     at least one rank, and `topo`, an object. No rank is in two of them.
//   * A domain, and `topo` is one, has `cores` and `gpus` (idsets), `memory` (whole GiB), `storage`
//     (an array of objects with `path`, `capacity` and perhaps `unit`); any other key names a
//     locality, whose value is an array of domains. core, gpu, node and slot are not names of
//     localities.
//   * `topo_ids`, which Copse adds for sub-instances (rset/rset_scheduling.hpp), is an array of
//     entries as R_lite has them (it may be missing); no rank is in two of them. Layouts are
//     translated to the ids of R_lite by it.
// Other keys of `scheduling` and of an entry of `children` are carried along.
#pragma once

#include <cstddef>
#include <cstdint>

#include "copse/error.hpp"
#include "rset/rset.hpp"

namespace copse {

struct TreepoolLimits {
  std::uint32_t depth_max = 32;                             // of domains in each other
  std::uint32_t domains_max = 1u << 16;                     // of one layout
  std::uint32_t entries_max = 1u << 20;                     // of `children`, and of `topo_ids`
  std::uint32_t all_domains_max = 1u << 20;                 // of all entries together
  std::size_t translated_bytes_max = std::size_t{1} << 28;  // of layouts that topo_ids makes
};

// Makes r.layouts of the layouts that the entries of r.scheduling.children have. Their ranks become
// those of R_lite, as of align() and trim(): nodes may have been excluded, or renumbered.
// Errors: invalid (no rank of `children` is one of R_lite), limit (bytes); the R is of no more use.
// Cost: O(ranges of ranks · log), and the layouts that topo_ids makes: one for each of its entries
// and each layout that the entry meets.
[[nodiscard]] Result<void> take_layouts(RSet& r, const TreepoolLimits& limits);

}  // namespace copse
