// SPDX-License-Identifier: Apache-2.0
//
// What the supply alone rules out, and which nodes it has together.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "supply/offer.hpp"
#include "supply/two_trees.hpp"

namespace copse {

bool Offer::served_somewhere(std::size_t n) {
  const HresNeed& need = needs_[n];
  if (need.kinds == HresNeed::kSame) {
    const std::uint32_t covers = resource(need).classes.count();
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
  std::vector<const NodeClasses*> covers;
  std::uint32_t first_tree = 0;
  for (const HresNeed& need : needs_) {
    const Supply::Resource& r = resource(need);
    if (r.mode != 3) continue;
    first_tree = static_cast<std::uint32_t>(layers.size());
    covers.push_back(&r.classes);
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

}  // namespace copse
