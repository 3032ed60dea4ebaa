// SPDX-License-Identifier: Apache-2.0
//
// NearDomains: a demand that the cores and GPUs of a slot are near each other, as in
// `slot=1/socket/[core=4;gpu]`, on a machine without pools of type socket. There the layouts say
// which cores and GPUs each socket of a node has.
//
// The walks know pools only. So the vertex of the domain is left out of the resources, and what it
// has in it becomes a part of the slot. The walk then forms slots in one domain of a node after the
// other, of the cores and GPUs of this domain alone.
//
// Size: O(domains with the name), for each such vertex of a request.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/idset.hpp"
#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "copse/layout.hpp"
#include "copse/request.hpp"

namespace copse {

// The ids of a domain, with those of the domains inside.
struct NearDomain {
  Idset cores{}, gpus{};
};

// Invariant: no id is in two domains of a layout. The first one has it; and of domains with the name
// inside each other, only the outermost counts.
struct NearDomains {
  std::string name;  // "socket"
  std::string path;  // of the vertex: "slot[2] > socket[1]"
  SourceLocation place{};
  std::vector<std::vector<NearDomain>> of_layout{};
  std::vector<Layouts::Ranks> ranks{};  // as in Layouts

  // Those of the node with this rank. O(log ranges).
  [[nodiscard]] std::span<const NearDomain> of_rank(std::int64_t rank) const;
};

// A request without the vertices of domains.
struct NearSplit {
  struct Slot {
    const Resource* slot;
    std::size_t near;  // the number of its parts that are in the domain: they come first
  };
  std::shared_ptr<const std::vector<Resource>> resources;  // nullptr: there are no such vertices
  std::vector<NearDomains> domains;
  std::vector<Slot> slots;  // by domain

  // The number of the domain that the slot demands, from 1; 0: none.
  [[nodiscard]] std::uint32_t domain_of(const Resource& slot) const;
  // Whether a resource is in the domain of its slot.
  [[nodiscard]] bool is_near(const Resource& resource) const;
};

// Separates the vertices whose type is no type of pools, but the name of a domain. Errors: unsupported,
// with the place: the vertex is not in a slot; it is a whole domain, or several; it has other parts than
// cores and GPUs; the slot has more of these outside of it, or two domains. O(request).
[[nodiscard]] Result<NearSplit> split_near_domains(const std::vector<Resource>& resources,
                                                   const ResourceGraph& graph,
                                                   const Layouts& layouts);

}  // namespace copse
