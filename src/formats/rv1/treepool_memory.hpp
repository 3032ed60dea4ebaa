// SPDX-License-Identifier: Apache-2.0
//
// Memory and storage of TreePool's layouts as resources: RFC 49 has them as hints, which are not
// counted; here they become children of an R, so that its machine has pools of them, which are
// granted, planned in time and given back like cores.
//
// A pool is a piece of a number of GiB. The memory of each domain, and the storage of the node,
// come to the whole pieces in them; a remainder belongs to none. Pieces of one type are
// numbered from 0 on in each node, domains in the order of the layout, so that those of a domain
// are a range.
//
// Cost: an entry of R_lite more for each layout that an entry meets, and a pool for each piece: a
// bit and some 60 bytes. A node has kPiecesMax at most.
#pragma once

#include <cstdint>

#include "copse/error.hpp"
#include "rset/rset.hpp"

namespace copse {

inline constexpr std::int64_t kPiecesMax = 4096;  // of memory and storage of one node together

// Gives the entries of the R children of type memory and storage, and the domains of its layouts
// the ids of theirs. REQUIRES piece_gib > 0.
// Errors: invalid (R_lite has such children; storage in a unit that is none of KiB to PiB), limit
// (pieces); then its layouts are of no more use.
[[nodiscard]] Result<void> count_memory(RSet& r, std::int64_t piece_gib);

}  // namespace copse
