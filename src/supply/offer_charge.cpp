// SPDX-License-Identifier: Apache-2.0
//
// What layers are charged for the nodes that were chosen.
#include <utility>

#include "supply/offer.hpp"

namespace copse {

bool Offer::charge(std::span<const PoolId> nodes, std::vector<LayerCharge>& out) {
  const std::size_t before = out.size();
  numbers_.clear();
  for (PoolId pool : nodes) numbers_.push_back(supply_.numbers().of(graph_, pool));
  bool served = !nodes.empty();
  sums_.resize(supply_.layers().size());
  for (std::size_t n = 0; n < needs_.size() && served; ++n) {
    const HresNeed& need = needs_[n];
    const Supply::Resource& r = resource(need);
    std::uint32_t payer = Supply::kNone;
    if (need.kinds != HresNeed::kSame) {
      for (std::uint32_t node : numbers_) served = served && serves_node(n, node);
    }
    served = touch(numbers_, n) && served;
    for (std::uint32_t cover : covers_) {
      served = served && (need.kinds != HresNeed::kSame || serves(n, cover));
    }
    for (std::uint32_t layer : layers_) {
      const std::int64_t sum_here = std::exchange(sums_[layer], 0);
      const std::int64_t sum = r.mode == 3 ? sum_here : need.count;
      const bool enough = sum <= amount(layer).free;
      if (r.mode != 1) {
        served = served && enough;
        out.push_back({layer, sum});
      } else if (enough && (payer == Supply::kNone ||
                            supply_.layers()[layer].rank < supply_.layers()[payer].rank)) {
        payer = layer;
      }
    }
    if (r.mode == 1 && payer != Supply::kNone) out.push_back({payer, need.count});
    served = served && (r.mode != 1 || payer != Supply::kNone);
  }
  if (!served) out.resize(before);
  return served;
}

void Offer::redraw(std::span<const PoolId> nodes, Draw& draw) {
  needs_ = draw.needs;
  find_tables();
  const std::vector<LayerCharge> before = std::exchange(draw.charges, {});
  numbers_.clear();
  for (PoolId pool : nodes) numbers_.push_back(supply_.numbers().of(graph_, pool));
  sums_.resize(supply_.layers().size());
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    const Supply::Resource& r = resource(needs_[n]);
    if (r.mode == 1) {
      for (const LayerCharge& charge : before) {
        const Supply::Layer& layer = supply_.layers()[charge.layer];
        if (layer.there && layer.resource == needs_[n].resource) draw.charges.push_back(charge);
      }
      continue;
    }
    (void)touch(numbers_, n);  // what was granted fits
    for (std::uint32_t layer : layers_) {
      const std::int64_t sum = std::exchange(sums_[layer], 0);
      draw.charges.push_back({layer, r.mode == 3 ? sum : needs_[n].count});
    }
  }
}

// The covers and the layers over some nodes; in mode 3 what they come to: false if some sum exceeds
// 63 bits. In the other modes a layer's sum says only that it is touched.
bool Offer::touch(std::span<const std::uint32_t> numbers, std::size_t n) {
  const NodeClasses& covers = resource(needs_[n]).classes;
  const bool by_node = resource(needs_[n]).mode == 3;
  bool fits_63 = true;
  auto add = [&](std::int64_t& sum, std::int64_t amount) {
    if (!__builtin_add_overflow(sum, amount, &sum)) return;
    sum = INT64_MAX;
    fits_63 = false;
  };
  if (counts_.size() < covers.count()) counts_.resize(covers.count());
  covers_.clear();
  layers_.clear();
  for (std::uint32_t node : numbers) {
    const std::uint32_t cover = covers.of(node);
    const std::int64_t count = by_node ? count_on(n, node) : 1;
    if (count == 0) continue;
    if (counts_[cover] == 0) covers_.push_back(cover);
    add(counts_[cover], count);
  }
  for (std::uint32_t cover : covers_) {
    const std::int64_t count = std::exchange(counts_[cover], 0);
    for (std::uint32_t layer : covers.layers(cover)) {
      if (sums_[layer] == 0) layers_.push_back(layer);
      add(sums_[layer], count);
    }
  }
  return fits_63;
}

}  // namespace copse
