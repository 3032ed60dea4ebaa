// SPDX-License-Identifier: Apache-2.0
//
// Random forests of layers and requests for them, made in an oracle. A seed gives the same case on
// every platform.
//
// Covered: all modes, layers without nodes, with a count of 0, without a bound; partial overlaps in
// modes 1 and 2; trees of one to three levels, nodes outside them and in inner layers only, any
// order in the file; sums of items, items of 0, alternatives, the same name twice.
#pragma once

#include <string>

#include "copse/request.hpp"
#include "property/hres_oracle.hpp"
#include "property/random.hpp"

namespace copse::property {

[[nodiscard]] std::string idset_of(const std::set<int>& ids);
[[nodiscard]] std::string hosts_of(const std::set<int>& nodes);  // "n[0,2-3]"

// A count for a layer of this number of nodes.
[[nodiscard]] std::int64_t layer_count(Random& random, std::size_t nodes, int mode);
// Appends a resource over nodes [0, nodes).
void add_resource(Random& random, int nodes, HresOracle& out);
// All resources as a resources.yaml.
[[nodiscard]] std::string text_of_layers(const HresOracle& oracle);
// A job with its hierarchical resources as a request; each alternative has at most one tree.
[[nodiscard]] HresOracle::Job make_supply_job(Random& random, const HresOracle& oracle,
                                              HresRequest& hres);

}  // namespace copse::property
