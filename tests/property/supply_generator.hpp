// SPDX-License-Identifier: Apache-2.0
//
// Random forests of layers and requests for them, made in an oracle. The same seed gives the same
// on every platform.
//
// Covered: all modes, layers without nodes, with none, without a bound; partial overlaps in
// modes 1 and 2; trees of one to three levels, nodes outside of them and in inner layers only, any
// order of the file; sums of items, items of 0, alternatives, the same name twice.
#pragma once

#include <string>

#include "copse/request.hpp"
#include "property/random.hpp"
#include "property/supply_oracle.hpp"

namespace copse::property {

[[nodiscard]] std::string idset_of(const std::set<int>& ids);
[[nodiscard]] std::string hosts_of(const std::set<int>& nodes);  // "n[0,2-3]"

// A count for a layer of that many nodes.
[[nodiscard]] std::int64_t layer_count(Random& random, std::size_t nodes, int mode);
// Appends a resource over nodes [0, nodes).
void add_resource(Random& random, int nodes, SupplyOracle& out);
// All resources as a resources.yaml.
[[nodiscard]] std::string text_of_layers(const SupplyOracle& oracle);
// A job, and its request for hierarchical resources; one tree at most in each
// alternative.
[[nodiscard]] SupplyOracle::Job make_supply_job(Random& random, const SupplyOracle& oracle,
                                                HresRequest& hres);

}  // namespace copse::property
