// SPDX-License-Identifier: Apache-2.0
//
// How cores, GPUs and memory are grouped within a node, out of a hwloc XML text, as the `topo` of
// TreePool (RFC 49).
//
//   level   object of hwloc
//   socket  Package
//   Die     Die
//   numa    NUMANode; a Group that holds NUMA nodes, be they within its containers
//   Group   any other Group; one that holds a single container is called as that is
//
// A level is left out if each object has only one. Caches are not a level. Innermost domains have
// `cores`, by hwloc's logical numbers; `gpus`; and `memory`, if they are a NUMA node. GPUs outside
// of inner domains are next to the level that they belong to; memory outside of domains is at the
// node. Two NUMA nodes of the same cores (DDR and HBM) are two domains of these cores.
//
// GPUs are the devices that CUDA, NVML, OpenCL or RSMI show, numbered in hwloc's order; a device
// that a second library shows is the same GPU; several devices that one library shows on one card
// are its partitions, and count. Storage is not in the file.
//
// Containers and NUMA nodes without a core are skipped together with their memory: on POWER9
// the memory of each GPU is a NUMA node.
//
// Cost: that of hwloc, and O(domains × cores × length of their sets), bounded.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/idset.hpp"
#include "copse/error.hpp"
#include "rset/rset.hpp"

namespace copse {

struct HwlocLayout {
  std::string topo;  // JSON
  std::string host;  // empty if the file does not say
  Idset cores, gpus;
};

// Errors: those of hwloc_xml::rewrite(), with line and column; invalid (hwloc refuses the tree; it
// has no core, or a domain has parts of cores only), limit.
[[nodiscard]] Result<HwlocLayout> read_hwloc_layout(std::string_view text,
                                                    std::string_view file = {});

// The R of nodes with these layouts: of one for all ranks, or of as many as there are ranks. Its
// `scheduling` is TreePool's, ranks with equal layouts sharing an entry. It has a nodelist if all
// nodes have names; `hosts`, if given, are those. Errors: invalid (numbers that do not agree).
[[nodiscard]] Result<RSet> r_of_layouts(std::span<const HwlocLayout> layouts, const Idset& ranks,
                                        std::vector<std::string> hosts = {});

}  // namespace copse
