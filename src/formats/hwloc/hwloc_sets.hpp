// SPDX-License-Identifier: Apache-2.0
//
// The sets of processors and memory that hwloc places its objects by. hwloc trusts sets that it
// wrote, and ends the process on others; these rules are checked before.
#pragma once

#include <hwloc.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/hwloc/hwloc_types.hpp"

namespace copse::hwloc_xml {

struct FreeBitmap {
  void operator()(hwloc_bitmap_t set) const { hwloc_bitmap_free(set); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

// Null if hwloc cannot read it, or there is no memory. REQUIRES a text that ends with a zero.
[[nodiscard]] Bitmap bitmap(const char* text);

// The sets of one object as its attributes give them; null for one that is not there.
struct ObjectSets {
  const char* cpuset = nullptr;
  const char* complete_cpuset = nullptr;  // the plain one if null
  const char* nodeset = nullptr;
  const char* complete_nodeset = nullptr;
};

// Objects are passed in the order of the text, only those with sets. Each set lies in the parent's,
// but for the nodesets of version 1, which hwloc 2 makes again;
// siblings share no processor; each PU is its own set, and occurs once. O(words of the sets) an
// object.
class SetRules {
 public:
  // A sentence about what is wrong, or "". REQUIRES depth >= 1, at most one more than the last.
  [[nodiscard]] std::string wrong(const ObjectSets& sets, const Type& type, unsigned os_index,
                                  std::uint32_t depth, bool version1);

 private:
  struct Level {
    Bitmap cpus, all_cpus, nodes, all_nodes;
    Bitmap taken;  // processors of the children so far
  };
  std::vector<Level> levels_;
  Bitmap units_{hwloc_bitmap_alloc()};
};

}  // namespace copse::hwloc_xml
