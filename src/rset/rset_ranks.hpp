// SPDX-License-Identifier: Apache-2.0
//
// New numbers for ranks, and for the ids on them. TreePool's `scheduling` follows; another
// scheduler's text cannot (RFC 20 says so of it), and is unchanged.
//
// An R that was allocated speaks of its instance's ranks and ids. Inside, an instance numbers ranks
// and, on each, all ids but those of gpus from 0 (RFC 49, *Sub-instance Initialization*; gpus are
// called by what the system calls them). `topo` describes the whole node by its own ids, which
// topo_ids then joins to the new ones (rset_scheduling.hpp), through any number of instances.
//
// All results are canonical. Cost: O(size × log size).
#pragma once

#include <span>

#include "copse/error.hpp"
#include "rset/rset.hpp"

namespace copse {

struct RemapOptions {
  bool keep_ids = false;  // ranks only
};

// Ranks become 0, 1, 2, … in their order, ids too; nslots, times and properties stay.
// Errors: invalid (topo_ids does not have an id that the set has), limit.
[[nodiscard]] Result<RSet> remap(const RSet& r, const RemapOptions& options = {});

// The rank of a host becomes its place in `hosts`; of a host with several ranks, these in turn.
// Errors: invalid (not as many hosts as ranks; a set without names), not_found.
[[nodiscard]] Result<RSet> rerank(const RSet& r, std::span<const std::string> hosts);

// The inventory of the instance that starts in this allocation: ranks by the place of their host in
// `hosts`, if given, ids as of remap(); without nslots, which only an allocation has, and without
// the properties that are local to the instance above. Errors: those of the other two.
[[nodiscard]] Result<RSet> normalize(const RSet& r, std::span<const std::string> hosts = {},
                                     const RemapOptions& options = {});

}  // namespace copse
