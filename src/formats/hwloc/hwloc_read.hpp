// SPDX-License-Identifier: Apache-2.0
//
// The machine of a hwloc XML text (`lstopo --of xml`), as hwloc itself understands it.
//
// cluster0 is the root; below it are the objects of hwloc's tree that the table lists, in the order
// of hwloc's walk: of each object the normal children, then memory, then I/O. Other objects, and
// those that are not allowed, are left out; their children move up to the nearest ancestor.
//
//   word           object                            pool
//   node           Machine with the info HostName    node, named by the host, rank 0
//   group          Group                             group
//   numanode       NUMANode                          numanode
//   memory         NUMANode with memory and CPUs     memory below it, in MB (2^20 bytes), divisible;
//                                                    only if HwlocOptions ask for it
//   socket         Package                           socket
//   L1cache …      L1, L2 and L3 caches, not those   cache, basename L1cache …, size in KiB
//                  for instructions
//   core           Core                              core
//   pu             PU                                pu
//   gpu            OS device of kind co-processor,   gpu; its number is the last one of its name
//                  or GPU named rsmi…                (cuda1, rsmi1, opencl0d1: gpu1)
//   storage        OS device of kind block           storage, size in GB, property LinuxDeviceID
//
// Ids are hwloc's logical indexes but for node and gpu; other ranks are -1. A device that several
// libraries show (cuda0 and opencl0d0 of one PCI device) is one gpu; a second gpu of a number gets
// the next number after the largest. Of I/O, hwloc keeps the objects that it calls important; it
// keeps caches only if they add structure.
//
// hwloc reads only the text: not this machine, and no variable HWLOC_… of the environment.
// REQUIRES that no other thread uses the environment meanwhile: hwloc reads it, and is given one
// without those variables.
// Cost: that of hwloc, which is O(objects × depth × length of their sets).
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "copse/error.hpp"
#include "copse/graph.hpp"

namespace copse {

// The words of the table.
inline constexpr std::array<std::string_view, 12> kHwlocWords{
    "node",    "group",   "socket", "numanode", "memory", "L1cache",
    "L2cache", "L3cache", "core",   "pu",       "gpu",    "storage"};

struct HwlocOptions {
  std::string_view allowed{};  // words, separated by commas; empty: all; others have no effect
  std::string_view dominant = "containment";
  bool memory = false;  // Fluxion has no pools of memory
};

// Errors: those of hwloc_xml::rewrite(), with line and column; invalid (hwloc refuses the tree; a
// storage device without a Size), limit (pools; a host whose number is above 2^53).
[[nodiscard]] Result<ResourceGraph> read_hwloc(std::string_view text, std::string_view file = {},
                                               const HwlocOptions& how = {});

// The same of several texts, each a node: they are below one cluster, with ranks in that order.
// Errors: as read_hwloc(); invalid (a text without a node, two nodes of one name).
struct HwlocText {
  std::string_view text;
  std::string_view file{};
};
[[nodiscard]] Result<ResourceGraph> read_hwloc_nodes(std::span<const HwlocText> texts,
                                                     const HwlocOptions& how = {});

}  // namespace copse
