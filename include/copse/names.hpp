// SPDX-License-Identifier: Apache-2.0
//
// The interned names of one graph. Its columns have numbers instead of text.
#pragma once

#include "copse/interner.hpp"

namespace copse {

// Types are interned in the order that Fluxion uses: a fixed list first, then those of the graph,
// then those of prune filters; that order is the *type order*.
struct Names {
  Interner types, units, basenames, subsystems, relations;

  Names() {
    for (const char* type : {"cluster", "core", "socket", "gpu", "node", "rack", "slot", "xor_slot",
                             "ssd", "storage_node", "*", ""}) {
      types.intern(type);
    }
    units.intern("");
    relations.intern("");
  }
};

}  // namespace copse
