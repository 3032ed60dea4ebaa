// SPDX-License-Identifier: Apache-2.0
//
// CompiledRequest: a request resolved against a graph and flattened to an array.
//
// Size: about 150 bytes per vertex of the request, for each of its variants; a bit per pool if it
// has a constraint.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "copse/layout.hpp"
#include "copse/policy.hpp"
#include "copse/request.hpp"
#include "copse/traverser.hpp"
#include "hres/channels.hpp"
#include "hres/hres_table.hpp"
#include "match/compile/allowed_pools.hpp"
#include "match/compile/near_domains.hpp"

namespace copse {

struct TreepoolRequest;  // treepool_request.hpp

struct Need {
  TypeId type;
  std::int64_t units;
};

// One vertex of the resources section.
struct Level {
  TypeId type;
  bool slot = false;
  Count count;
  std::int64_t most = 1;  // count.most()
  Exclusivity exclusive = Exclusivity::unset;
  std::uint32_t label = 0;                // 0: none, else index into labels, from 1
  std::uint32_t first = 0, children = 0;  // its children (`with`): levels [first, first + children)
  std::vector<Need> needs;                // least units below, for one unit of this
  std::vector<ChannelNeed> charges;       // of each chosen pool, along auxiliary subsystems
  bool shared = false;                    // shared even in a slot: see Request::slots_share
  bool slot_below = false;                // its only child is a slot
  std::uint32_t domain = 0;               // of a slot: 0: none, else index into domains, from 1
  Idset NearDomain::* near = nullptr;  // the ids of the slot's domain that it may have; null: any
  std::uint32_t filter = 0;            // 0: any pools of the type; else those of filters, from 1
  bool alternative = false;  // it is in one of several alternative slots, and may be left out
  bool displaced = false;    // a slot that is formed at no pool, see Siblings
  std::uint32_t list = 0;    // its children as a list, see Siblings
};

// One list of the resources section: levels [first, first + count). Slots in it are alternatives if
// there are several.
struct Siblings {
  std::uint32_t first = 0, count = 0;
  std::uint32_t slots = 0;   // how many of them are slots
  std::uint32_t inside = 0;  // the list to search for where one of its slots is formed: that of the
                             // slot or, of several, their union (the largest count of each type). A
                             // slot whose own content differs from that list is displaced: what is
                             // found is not what it requests.
};

// Whether a pool is taken exclusively for a level, below something exclusive or in a slot.
[[nodiscard]] inline bool takes_exclusively(const Level& level, bool inside) {
  return level.exclusive == Exclusivity::yes || (inside && !level.shared);
}

struct CompiledRequest {
  std::vector<Level> levels;  // the first `top` are the top level
  std::uint32_t top = 0;
  std::vector<Siblings> lists;  // the first is the top level
  bool alternatives = false;    // slots are next to each other or next to something else
  std::vector<Need> total;      // least units of every type for the whole request, types ascending
  std::vector<std::string> labels{""};
  std::vector<AllowedPools> filters;  // pools with the properties of a level
  // Types with `exclusive: true` anywhere, without divisible ones, and those of the policy.
  std::vector<TypeId> exclusive_types;
  std::string user{};

  // Set if the request can never match: a sentence with the reason.
  std::string impossible;
  // Set if siblings fit the same pools, which the simple walk gives to neither: a sentence with the
  // reason.
  std::string clash;

  // Tried in order, instead of the request itself: one alternative of each xor_slot. The request
  // then has no levels, and its `total` is the least of any variant.
  std::vector<CompiledRequest> variants;

  // The whole request, for the treepool traverser; there are no levels then.
  std::shared_ptr<const TreepoolRequest> treepool;

  HresNeeds hres;  // hierarchical resources: set by the engine

  bool charges_channels = false;  // whether a level of the request or of a variant has charges
  std::vector<ChannelNeed> least_charges;  // by channel: the least charges of the whole request
  std::vector<NearDomains> domains;        // that slots demand
  // If charges_channels, or if there are domains: the resources without these, as in the levels.
  std::shared_ptr<const std::vector<Resource>> resources;

  AllowedPools allowed;                  // empty if there is no constraint
  std::uint64_t properties_version = 0;  // for which the constraint was evaluated

  // The version of the engine's graph when this was compiled, and the number of its changes that
  // were processed.
  std::uint64_t graph_version = 0;
  std::size_t changes_seen = 0;
  std::uint64_t largest_version = 0;
  // The same for hierarchical resources: names and layers, and counts.
  std::uint64_t hres_structure = 0, hres_version = 0;

  [[nodiscard]] bool constrained() const { return !allowed.empty(); }
  // Whether it was compiled with properties of pools.
  [[nodiscard]] bool reads_properties() const {
    const auto filtered = [](const CompiledRequest& one) { return !one.filters.empty(); };
    return constrained() || filtered(*this) ||
           std::any_of(variants.begin(), variants.end(), filtered);
  }
  // Whether a pool of the level's type has the properties that the level requests.
  [[nodiscard]] bool agrees(PoolId p, const Level& level) const {
    return level.filter == 0 || filters[level.filter - 1][p.v];
  }
  // Whether pools of this type are taken whole.
  [[nodiscard]] bool takes_whole(TypeId type) const {
    return std::find(exclusive_types.begin(), exclusive_types.end(), type) != exclusive_types.end();
  }
  [[nodiscard]] std::int64_t total_of(TypeId type) const {
    for (const Need& n : total) {
      if (n.type == type) return n.units;
    }
    return 0;
  }
};

// Errors: not_found if the request has a type that is neither in the graph nor in a filter (the
// sentence is Fluxion's); limit if it has more than 1,000 variants; those of
// split_channel_charges(), if there are `channels`. Cost: O(request), times its variants, and
// O(pools) if it has a constraint.
[[nodiscard]] Result<CompiledRequest> compile(const Request& request, const ResourceGraph& graph,
                                              const Policy& policy,
                                              Traverser traverser = Traverser::simple,
                                              const Layouts& layouts = {},
                                              Channels* channels = nullptr);

}  // namespace copse
