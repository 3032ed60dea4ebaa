// SPDX-License-Identifier: Apache-2.0
#include "copse/names.hpp"

namespace copse {

Names::Names() {
  // The types that Fluxion knows before it reads a graph, in its order (type order).
  for (const char* type : {"cluster", "core", "socket", "gpu", "node", "rack", "slot", "xor_slot",
                           "ssd", "storage_node", "*", ""}) {
    types.intern(type);
  }
  units.intern("");
  relations.intern("");
}

}  // namespace copse
