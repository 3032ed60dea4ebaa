// SPDX-License-Identifier: Apache-2.0
//
// Writing an RSet: as R version 1 (RFC 20), on one line, and as the short text of `flux R decode`.
// (rv1_selection.hpp writes a selection of a machine as R, in lines that are Fluxion's.)
#pragma once

#include <string>

#include "rset/rset.hpp"
#include "text/json_writer.hpp"

namespace copse {

// Canonical: entries with equal children joined, ascending by rank; children and properties sorted;
// the nodelist one hostlist in the order of ranks, left out if there are no names. Times are
// written with as many digits as they need, at least one behind the point. What is not set is left
// out but for starttime and expiration, as Flux writes it. Ends without a newline. O(size × log
// size).
void append_r(std::string& out, RSet r);

// Writes the value of the key `scheduling`. With `ranks`, entries of TreePool's `children` and
// `topo_ids` are trimmed to them, and those without a rank left out (RFC 49, *Allocated R*).
// O(ranges of ranks of the key × log ranges of `ranks` + length of the text).
void write_scheduling(JsonWriter& json, const RScheduling& scheduling,
                      const Idset* ranks = nullptr);

// "rank0/core[0-3] rank[1-2]/core[0-1],gpu0": cores first, then other types by name; ids in
// brackets if there are several. Empty for an empty set.
void append_r_short(std::string& out, RSet r);
void append_children_short(std::string& out, const RSet::Children& children);

}  // namespace copse
