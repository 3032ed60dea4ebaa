// SPDX-License-Identifier: Apache-2.0
#include "hres/availability/layer_charger.hpp"

#include <algorithm>
#include <utility>

namespace copse {

void LayerCharger::number(std::span<const PoolId> nodes) {
  numbers_.clear();
  for (PoolId pool : nodes) numbers_.push_back(hres_.numbers().of(graph_, pool));
  sums_.resize(hres_.layers().size());
}

bool LayerCharger::charge(LayerAvailability& availability, std::span<const PoolId> nodes,
                          std::vector<LayerCharge>& out) {
  const LayerNeeds& needs = availability.needs();
  const std::size_t before = out.size();
  number(nodes);
  bool served = !nodes.empty();
  for (std::size_t n = 0; n < needs.size() && served; ++n) {
    const int mode = needs.resource(n).mode;
    const std::int64_t count = needs[n].count;
    std::uint32_t payer = HresTable::kNone;
    served = touch(needs, n);
    if (needs.same(n)) {
      served = served && std::ranges::all_of(classes_, [&](std::uint32_t c) {
                 return availability.serves_class(n, c);
               });
    } else {
      served = served && std::ranges::all_of(numbers_, [&](std::uint32_t node) {
                 return availability.serves(n, node);
               });
    }
    for (std::uint32_t layer : layers_) {
      const std::int64_t sum_here = std::exchange(sums_[layer], 0);
      const std::int64_t sum = mode == 3 ? sum_here : count;
      const bool enough = sum <= availability.free(layer);
      if (mode != 1) {
        served = served && enough;
        out.push_back({layer, sum});
      } else if (enough && (payer == HresTable::kNone ||
                            hres_.layers()[layer].rank < hres_.layers()[payer].rank)) {
        payer = layer;
      }
    }
    if (mode == 1 && payer != HresTable::kNone) out.push_back({payer, count});
    served = served && (mode != 1 || payer != HresTable::kNone);
  }
  if (!served) out.resize(before);
  return served;
}

void LayerCharger::recompute_charges(std::span<const PoolId> nodes, GrantCharges& charges) {
  granted_.assign(charges.needs);
  const std::vector<LayerCharge> before = std::exchange(charges.layers, {});
  number(nodes);
  for (std::size_t n = 0; n < granted_.size(); ++n) {
    const int mode = granted_.resource(n).mode;
    if (mode == 1) {
      for (const LayerCharge& charge : before) {
        const HresTable::Layer& layer = hres_.layers()[charge.layer];
        if (layer.exists && layer.resource == granted_[n].resource)
          charges.layers.push_back(charge);
      }
      continue;
    }
    (void)touch(granted_, n);  // no overflow: it was granted
    for (std::uint32_t layer : layers_) {
      const std::int64_t sum = std::exchange(sums_[layer], 0);
      charges.layers.push_back({layer, mode == 3 ? sum : granted_[n].count});
    }
  }
}

void LayerCharger::choose_payers(std::span<const PoolId> nodes, HresTable::Job job,
                                 std::int64_t start, std::int64_t end, GrantCharges& charges) {
  granted_.assign(charges.needs);
  number(nodes);
  for (std::size_t n = 0; n < granted_.size(); ++n) {
    const bool paid = std::ranges::any_of(charges.layers, [&](const LayerCharge& charge) {
      return hres_.layers()[charge.layer].resource == granted_[n].resource;
    });
    if (granted_.resource(n).mode != 1 || paid) continue;
    const std::int64_t count = granted_[n].count;
    (void)touch(granted_, n);
    std::uint32_t payer = HresTable::kNone;
    bool payer_has_enough = false;
    for (const std::uint32_t number : layers_) {
      sums_[number] = 0;
      const HresTable::Layer& layer = hres_.layers()[number];
      const bool enough = layer.total() - layer.times.most_taken(job, start, end) >= count;
      const bool better = payer == HresTable::kNone || (enough && !payer_has_enough) ||
                          (enough == payer_has_enough && layer.rank < hres_.layers()[payer].rank);
      if (!better) continue;
      payer = number;
      payer_has_enough = enough;
    }
    if (payer != HresTable::kNone) charges.layers.push_back({payer, count});
  }
}

// Collects the classes of the nodes and the layers over them; in mode 3 with their sums: false if a
// sum exceeds 63 bits. In other modes the sum only marks a layer as touched.
bool LayerCharger::touch(const LayerNeeds& needs, std::size_t n) {
  const NodeClasses& classes = needs.resource(n).classes;
  bool fits_63 = true;
  auto add = [&](std::int64_t& sum, std::int64_t amount) {
    if (!__builtin_add_overflow(sum, amount, &sum)) return;
    sum = INT64_MAX;
    fits_63 = false;
  };
  if (counts_.size() < classes.count()) counts_.resize(classes.count());
  classes_.clear();
  layers_.clear();
  for (std::uint32_t node : numbers_) {
    const std::uint32_t node_class = classes.of(node);
    const std::int64_t count = needs.by_node(n) ? needs.count_on(n, node) : 1;
    if (count == 0) continue;
    if (counts_[node_class] == 0) classes_.push_back(node_class);
    add(counts_[node_class], count);
  }
  for (std::uint32_t node_class : classes_) {
    const std::int64_t count = std::exchange(counts_[node_class], 0);
    for (std::uint32_t layer : classes.layers(node_class)) {
      if (sums_[layer] == 0) layers_.push_back(layer);
      add(sums_[layer], count);
    }
  }
  return fits_63;
}

}  // namespace copse
