// SPDX-License-Identifier: Apache-2.0
#include "supply/offer.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "supply/two_trees.hpp"

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
  uneven_ = false;
  top_ = kNoPool;
  for (const HresNeed& need : needs_) trees_ += resource(need).mode == 3 ? 1 : 0;
  find_tables();
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

bool Offer::serves_node(std::size_t n, std::uint32_t node) {
  const HresNeed& need = needs_[n];
  const Supply::Resource& r = resource(need);
  const std::uint32_t cover = r.covers.of(node);
  if (need.kinds == HresNeed::kSame) return serves(n, cover);
  const std::int64_t count = count_on(n, node);
  if (count == 0) return true;
  const auto layers = r.covers.layers(cover);
  return !layers.empty() && r.covers.rooted(cover) &&
         std::all_of(layers.begin(), layers.end(),
                     [&](std::uint32_t layer) { return count <= amount(layer).free; });
}

bool Offer::served_somewhere(std::size_t n) {
  const HresNeed& need = needs_[n];
  if (need.kinds == HresNeed::kSame) {
    const std::uint32_t covers = resource(need).covers.count();
    for (std::uint32_t cover = 0; cover < covers; ++cover) {
      if (serves(n, cover)) return true;
    }
    return false;
  }
  for (std::uint32_t node = 0; node < supply_.numbers().count(); ++node) {
    if (serves_node(n, node)) return true;
  }
  return false;
}

void Offer::find_tables() {
  tables_.assign(needs_.size(), nullptr);
  for (const HresNeed& need : needs_) {
    if (need.kinds != HresNeed::kSame) (void)table_of(need);
  }
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    if (needs_[n].kinds == HresNeed::kSame) continue;
    uneven_ = true;
    tables_[n] = &table_of(needs_[n]);
  }
}

// Made when first asked for, and again after properties or nodes have changed.
const Offer::Table& Offer::table_of(const HresNeed& need) {
  const std::uint32_t nodes = supply_.numbers().count();
  auto at = std::find_if(kept_.begin(), kept_.end(), [&](const Table& t) {
    return t.resource == need.resource && t.kinds == need.kinds;
  });
  if (at == kept_.end()) {
    kept_.push_back({need.resource, need.kinds, graph_.properties_version() + 1, 0, {}});
    at = std::prev(kept_.end());
  }
  Table& table = *at;
  if (table.properties_version == graph_.properties_version() &&
      table.structure == supply_.structure() && table.counts.size() == nodes) {
    return table;
  }
  const Supply::Resource::Kinds& kinds = resource(need).kinds[need.kinds];
  table.properties_version = graph_.properties_version();
  table.structure = supply_.structure();
  table.counts.assign(nodes, kinds.otherwise);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const PoolId pool = supply_.numbers().pool(node);
    const auto* properties = pool == kNoPool ? nullptr : graph_.properties(pool);
    if (properties == nullptr) continue;
    for (const auto& [property, value] : kinds.values) {
      if (!properties->contains(property)) continue;
      table.counts[node] = value;
      break;
    }
  }
  return table;
}

// Whether what is left on the node's paths is enough for one more node.
bool Offer::fits(std::uint32_t node) {
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    const Supply::Resource& r = resource(needs_[n]);
    if (r.mode != 3) continue;
    const std::int64_t count = count_on(n, node);
    for (std::uint32_t layer : r.covers.layers(r.covers.of(node))) {
      if (amount(layer).left < count && count > 0) return false;
    }
  }
  return true;
}

void Offer::lower(std::uint32_t node, int sign) {
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    const Supply::Resource& r = resource(needs_[n]);
    if (r.mode != 3) continue;
    const std::int64_t count = sign * count_on(n, node);
    for (std::uint32_t layer : r.covers.layers(r.covers.of(node))) amount(layer).left -= count;
  }
}

bool Offer::eligible(PoolId pool) {
  const std::uint32_t node = supply_.numbers().of(graph_, pool);
  if (node == NodeNumbers::kNone || node >= refused_.size() || refused_[node] == stamp_) {
    return false;
  }
  if (top_ != kNoPool && !graph_.below(pool, top_)) return false;
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    if (!serves_node(n, node)) return false;
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

bool Offer::hopeless(std::int64_t nodes) {
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    const Supply::Resource& r = resource(needs_[n]);
    std::int64_t all = 0;
    if (r.root != Supply::kNone &&
        (__builtin_mul_overflow(needs_[n].count, nodes, &all) || all > amount(r.root).free)) {
      return true;
    }
    if (!served_somewhere(n)) return true;
  }
  return false;
}

// The covers and the layers over some nodes; in mode 3 what they come to: false if some sum exceeds
// 63 bits. In the other modes a layer's sum says only that it is touched.
bool Offer::touch(std::span<const std::uint32_t> numbers, std::size_t n) {
  const Covers& covers = resource(needs_[n]).covers;
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

bool Offer::too_few(std::int64_t wanted) {
  const std::uint32_t nodes = supply_.numbers().count();
  if (needs_.empty()) return false;
  // For each need alone: in mode 3 taking nodes in any order finds as many as there can be.
  const std::vector<HresNeed> all = needs_;
  const std::uint32_t trees = trees_;
  bool few = false;
  std::vector<std::uint32_t> order(nodes);
  for (std::size_t n = 0; n < all.size() && !few; ++n) {
    needs_.assign(1, all[n]);
    find_tables();
    std::swap(known_[0], known_[n]);
    again();
    const Supply::Resource& r = resource(all[n]);
    std::int64_t found = 0;
    std::iota(order.begin(), order.end(), 0U);
    if (all[n].kinds != HresNeed::kSame) {  // the most nodes are had by those that draw least
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return count_on(0, a) < count_on(0, b);
      });
    }
    for (std::size_t i = 0; i < order.size() && found < wanted; ++i) {
      const std::uint32_t node = order[i];
      if (supply_.numbers().pool(node) == kNoPool || !serves_node(0, node)) continue;
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
  find_tables();
  again();
  return few;
}

bool Offer::refuse_heaviest() {
  std::int64_t most = 0, least = INT64_MAX;
  auto draws = [&](std::uint32_t node) {  // of all needs; exactness does not matter here
    std::int64_t sum = 0;
    for (std::size_t n = 0; n < needs_.size(); ++n) {
      if (tables_[n] != nullptr && __builtin_add_overflow(sum, count_on(n, node), &sum)) {
        return INT64_MAX;
      }
    }
    return sum;
  };
  for (std::uint32_t node = 0; node < refused_.size(); ++node) {
    if (refused_[node] == stamp_) continue;
    most = std::max(most, draws(node));
    least = std::min(least, draws(node));
  }
  if (most <= least) return false;
  // One at a time, the last first, where it is known what was taken: most of them may stay.
  std::uint32_t heaviest = NodeNumbers::kNone;
  for (std::uint32_t node : log_) {
    if (draws(node) <= least) continue;
    if (heaviest == NodeNumbers::kNone || draws(node) >= draws(heaviest)) heaviest = node;
  }
  if (heaviest != NodeNumbers::kNone) {
    refused_[heaviest] = stamp_;
    return true;
  }
  for (std::uint32_t node = 0; node < refused_.size(); ++node) {
    if (draws(node) == most) refused_[node] = stamp_;
  }
  return true;
}

bool Offer::keep_only_in_two_trees(std::span<const PoolId> candidates, std::int64_t wanted) {
  std::vector<TwoTrees::Layer> layers;
  std::unordered_map<std::uint32_t, std::uint32_t> places;  // by layer
  std::vector<const Covers*> covers;
  std::uint32_t first_tree = 0;
  for (const HresNeed& need : needs_) {
    const Supply::Resource& r = resource(need);
    if (r.mode != 3) continue;
    first_tree = static_cast<std::uint32_t>(layers.size());
    covers.push_back(&r.covers);
    for (std::uint32_t l : r.layers) {
      places.emplace(l, static_cast<std::uint32_t>(layers.size()));
      layers.push_back({amount(l).free / need.count, TwoTrees::kNone});
    }
    for (std::uint32_t l : r.layers) {
      const std::uint32_t above = supply_.layers()[l].parent;
      if (above != Supply::kNone) layers[places.at(l)].above = places.at(above);
    }
  }
  TwoTrees trees(std::move(layers), first_tree);
  std::unordered_map<std::uint64_t, std::uint32_t> kinds;  // by covers
  std::vector<std::uint32_t> kinds_of_nodes;
  std::vector<PoolId> eligible_nodes;
  for (PoolId pool : candidates) {
    if (!eligible(pool)) continue;
    const std::uint32_t node = supply_.numbers().of(graph_, pool);
    const std::uint32_t a = covers[0]->of(node), b = covers[1]->of(node);
    const auto [at, is_new] = kinds.try_emplace(std::uint64_t{a} << 32 | b, 0);
    if (is_new) {
      at->second = trees.add_kind(places.at(covers[0]->layers(a).front()),
                                  places.at(covers[1]->layers(b).front()));
    }
    trees.add_node(at->second);
    kinds_of_nodes.push_back(at->second);
    eligible_nodes.push_back(pool);
  }
  std::vector<bool> chosen;
  if (!trees.choose(kinds_of_nodes, wanted, chosen)) return false;
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) kept.push_back(supply_.numbers().of(graph_, eligible_nodes[i]));
  }
  std::fill(refused_.begin(), refused_.end(), stamp_);
  for (std::uint32_t node : kept) refused_[node] = 0;
  return true;
}

std::int64_t Offer::capacity(std::span<const PoolId> nodes) {
  const std::size_t before = mark();
  std::int64_t found = 0;
  for (PoolId node : nodes) found += take(node) ? 1 : 0;
  undo_to(before);
  return found;
}

std::optional<Offer::Shortage> Offer::shortage() {
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    const Supply::Resource& r = resource(needs_[n]);
    Shortage worst{.need = static_cast<std::uint32_t>(n)};
    if (served_somewhere(n)) continue;
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
