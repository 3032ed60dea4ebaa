// SPDX-License-Identifier: Apache-2.0
#include "copse/names.hpp"

namespace copse {

Names::Names() {
  // The order in which Fluxion knows them before it reads a graph (type order).
  for (const char* type : {"cluster", "core", "socket", "gpu", "node", "rack", "slot", "xor_slot",
                           "ssd", "storage_node", "*", ""}) {
    types.intern(type);
  }
  units.intern("");
  relations.intern("");
}

}  // namespace copse
