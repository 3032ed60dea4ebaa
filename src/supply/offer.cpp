// SPDX-License-Identifier: Apache-2.0
#include "supply/offer.hpp"

#include <algorithm>
#include <utility>

namespace copse {

void Offer::begin(std::span<const HresNeed> needs, Supply::Job job, std::int64_t start,
                  std::int64_t end, bool empty) {
  log_.clear();  // what was taken is forgotten with the amounts that it was taken from
  needs_.assign(needs.begin(), needs.end());
  job_ = job;
  start_ = start;
  end_ = end;
  empty_ = empty;
  trees_ = 0;
  for (const HresNeed& need : needs_) trees_ += resource(need).mode == 3 ? 1 : 0;
  if (++stamp_ == 0) {  // stamps began again: nothing is known
    amounts_.clear();
    known_.clear();
    refused_.clear();
    stamp_ = 1;
  }
  amounts_.resize(supply_.layers().size());
  if (known_.size() < needs_.size()) known_.resize(needs_.size());
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    const std::uint32_t covers = resource(needs_[n]).covers.count();
    if (known_[n].size() < covers) known_[n].resize(covers);
  }
  taken_.resize(supply_.numbers().count());
  refused_.resize(supply_.numbers().count());
  again();
}

void Offer::again() {
  undo_to(0);
  crowded_ = false;
  if (++taken_stamp_ == 0) {
    std::fill(taken_.begin(), taken_.end(), 0);
    taken_stamp_ = 1;
  }
}

Offer::Amount& Offer::amount(std::uint32_t number) {
  Amount& out = amounts_[number];
  if (out.stamp == stamp_) return out;
  const Supply::Layer& layer = supply_.layers()[number];
  out.stamp = stamp_;
  // Below 0 where more is taken than there is now; the difference fits: both are 0 or more.
  out.free = layer.total() - (empty_ ? 0 : layer.times.most_taken(job_, start_, end_));
  out.left = out.free;
  return out;
}

bool Offer::serves(std::size_t n, std::uint32_t cover) {
  Known& known = known_[n][cover];
  if (known.stamp == stamp_) return known.verdict == Verdict::yes;
  const HresNeed& need = needs_[n];
  const Supply::Resource& r = resource(need);
  const auto layers = r.covers.layers(cover);
  auto enough = [&](std::uint32_t layer) { return need.count <= amount(layer).free; };
  bool yes = !layers.empty() && r.covers.rooted(cover);
  if (yes && r.mode == 1) {
    yes = std::any_of(layers.begin(), layers.end(), enough);
  } else if (yes) {
    yes = std::all_of(layers.begin(), layers.end(), enough);
  }
  known = {stamp_, yes ? Verdict::yes : Verdict::no};
  return yes;
}

// Whether what is left on the node's paths is enough for one more node.
bool Offer::fits(std::uint32_t node) {
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    const Supply::Resource& r = resource(needs_[n]);
    if (r.mode != 3) continue;
    for (std::uint32_t layer : r.covers.layers(r.covers.of(node))) {
      if (amount(layer).left < needs_[n].count) return false;
    }
  }
  return true;
}

void Offer::lower(std::uint32_t node, int sign) {
  for (const HresNeed& need : needs_) {
    const Supply::Resource& r = resource(need);
    if (r.mode != 3) continue;
    for (std::uint32_t layer : r.covers.layers(r.covers.of(node))) {
      amount(layer).left -= sign * need.count;
    }
  }
}

bool Offer::eligible(PoolId pool) {
  const std::uint32_t node = supply_.numbers().of(graph_, pool);
  if (node == NodeNumbers::kNone || refused_[node] == stamp_) return false;
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    if (!serves(n, resource(needs_[n]).covers.of(node))) return false;
  }
  if (trees_ == 0 || taken_[node] == taken_stamp_ || fits(node)) return true;
  crowded_ = true;
  return false;
}

bool Offer::take(PoolId pool) {
  if (!eligible(pool)) return false;
  if (trees_ == 0) return true;
  const std::uint32_t node = supply_.numbers().of(graph_, pool);
  if (taken_[node] == taken_stamp_) return true;
  taken_[node] = taken_stamp_;
  lower(node, 1);
  log_.push_back(node);
  return true;
}

void Offer::undo_to(std::size_t mark) {
  while (log_.size() > mark) {
    lower(log_.back(), -1);
    taken_[log_.back()] = 0;
    log_.pop_back();
  }
}

bool Offer::thin_out(std::span<const PoolId> nodes) {
  again();
  bool thinner = false;
  for (PoolId pool : nodes) {
    if (take(pool)) continue;
    const std::uint32_t node = supply_.numbers().of(graph_, pool);
    if (node == NodeNumbers::kNone || refused_[node] == stamp_) continue;
    refused_[node] = stamp_;
    thinner = true;
  }
  return thinner;
}

bool Offer::charge(std::span<const PoolId> nodes, std::vector<LayerCharge>& out) {
  const std::size_t before = out.size();
  numbers_.clear();
  for (PoolId pool : nodes) numbers_.push_back(supply_.numbers().of(graph_, pool));
  bool served = !nodes.empty();
  sums_.resize(supply_.layers().size());
  for (std::size_t n = 0; n < needs_.size() && served; ++n) {
    const HresNeed& need = needs_[n];
    const Supply::Resource& r = resource(need);
    touch(numbers_, n);
    std::uint32_t payer = Supply::kNone;
    for (std::uint32_t cover : covers_) served = served && serves(n, cover);
    for (std::uint32_t layer : layers_) {
      const std::int64_t count = std::exchange(sums_[layer], 0);
      std::int64_t sum = need.count;
      if (r.mode == 3 && __builtin_mul_overflow(need.count, count, &sum)) served = false;
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
    touch(numbers_, n);
    for (std::uint32_t layer : layers_) {
      const std::int64_t count = std::exchange(sums_[layer], 0);
      draw.charges.push_back({layer, r.mode == 3 ? needs_[n].count * count : needs_[n].count});
    }
  }
}

bool Offer::hopeless(std::int64_t nodes) {
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    const Supply::Resource& r = resource(needs_[n]);
    std::int64_t all = 0;
    if (r.root != Supply::kNone &&
        (__builtin_mul_overflow(needs_[n].count, nodes, &all) || all > amount(r.root).free)) {
      return true;
    }
    bool served = false;
    for (std::uint32_t cover = 0; cover < r.covers.count() && !served; ++cover) {
      served = serves(n, cover);
    }
    if (!served) return true;
  }
  return false;
}

// The covers and the layers over some nodes, and how many nodes each layer has of them.
void Offer::touch(std::span<const std::uint32_t> numbers, std::size_t n) {
  const Covers& covers = resource(needs_[n]).covers;
  if (counts_.size() < covers.count()) counts_.resize(covers.count());
  covers_.clear();
  layers_.clear();
  for (std::uint32_t node : numbers) {
    const std::uint32_t cover = covers.of(node);
    if (counts_[cover]++ == 0) covers_.push_back(cover);
  }
  for (std::uint32_t cover : covers_) {
    const std::int64_t count = std::exchange(counts_[cover], 0);
    for (std::uint32_t layer : covers.layers(cover)) {
      if (sums_[layer] == 0) layers_.push_back(layer);
      sums_[layer] += count;
    }
  }
}

bool Offer::too_few(std::int64_t wanted) {
  const std::uint32_t nodes = supply_.numbers().count();
  if (needs_.empty()) return false;
  // For each need alone: in mode 3 taking nodes in any order finds as many as there can be.
  const std::vector<HresNeed> all = needs_;
  const std::uint32_t trees = trees_;
  bool few = false;
  for (std::size_t n = 0; n < all.size() && !few; ++n) {
    needs_.assign(1, all[n]);
    std::swap(known_[0], known_[n]);
    again();
    const Supply::Resource& r = resource(all[n]);
    std::int64_t found = 0;
    for (std::uint32_t node = 0; node < nodes && found < wanted; ++node) {
      if (!serves(0, r.covers.of(node))) continue;
      if (r.mode == 3) {
        if (!fits(node)) continue;
        lower(node, 1);
        log_.push_back(node);
      }
      ++found;
    }
    few = found < wanted;
    undo_to(0);
    std::swap(known_[0], known_[n]);
  }
  needs_ = all;
  trees_ = trees;
  again();
  return few;
}

std::optional<Offer::Shortage> Offer::shortage() {
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    const Supply::Resource& r = resource(needs_[n]);
    Shortage worst{.need = static_cast<std::uint32_t>(n)};
    bool served = false;
    for (std::uint32_t cover = 0; cover < r.covers.count() && !served; ++cover) {
      served = serves(n, cover);
    }
    if (served) continue;
    for (std::uint32_t layer : r.layers) {
      const std::int64_t left = amount(layer).free;
      if (left >= needs_[n].count) continue;
      if (worst.layer == Supply::kNone || left > worst.left) {
        worst.layer = layer;
        worst.left = left;
      }
    }
    return worst;
  }
  return {};
}

}  // namespace copse
