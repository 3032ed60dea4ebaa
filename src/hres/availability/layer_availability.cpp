// SPDX-License-Identifier: Apache-2.0
#include "hres/availability/layer_availability.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <ranges>
#include <unordered_map>

#include "hres/two_trees.hpp"

namespace copse {

void LayerAvailability::begin(std::span<const HresNeed> needs, HresTable::Job job,
                              std::int64_t start, std::int64_t end, bool empty) {
  needs_.assign(needs);
  by_node_ = needs_.trees() > 0;
  job_ = job;
  start_ = start;
  end_ = end;
  empty_ = empty;
  top_ = kNoPool;
  if (verdicts_.size() < needs_.size()) verdicts_.resize(needs_.size());
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    const std::uint32_t classes = needs_.resource(n).classes.count();
    if (verdicts_[n].size() < classes) verdicts_[n].resize(classes);
  }
  taken_at_.resize(hres_.numbers().count());
  refused_.resize(hres_.numbers().count());
}

const ChargeLedger::Account& LayerAvailability::account(std::uint32_t number) {
  return ledger_.account(number, [&] {
    const HresTable::Layer& layer = hres_.layers()[number];
    // Negative if more is taken than the layer has now. No overflow: both are >= 0.
    return layer.total() - (empty_ ? 0 : layer.times.most_taken(job_, start_, end_));
  });
}

bool LayerAvailability::covers(std::span<const std::uint32_t> layers, std::int64_t count) {
  return std::ranges::all_of(layers, [&](std::uint32_t l) { return count <= free(l); });
}

bool LayerAvailability::serves_class(std::size_t n, std::uint32_t node_class) {
  std::uint64_t& verdict = verdicts_[n][node_class];
  if (verdict >> 1 == ledger_.stamp()) return (verdict & 1) != 0;
  const std::int64_t count = needs_[n].count;
  const HresTable::Resource& r = needs_.resource(n);
  const auto layers = r.classes.layers(node_class);
  bool yes = !layers.empty() && r.classes.rooted(node_class);
  if (yes && r.mode == 1) {
    yes = std::ranges::any_of(layers, [&](std::uint32_t l) { return count <= free(l); });
  } else if (yes) {
    yes = covers(layers, count);
  }
  verdict = ledger_.stamp() << 1 | (yes ? 1U : 0U);
  return yes;
}

bool LayerAvailability::serves(std::size_t n, std::uint32_t node) {
  const NodeClasses& classes = needs_.resource(n).classes;
  const std::uint32_t node_class = classes.of(node);
  if (needs_.same(n)) return serves_class(n, node_class);
  const std::int64_t count = needs_.count_on(n, node);
  if (count == 0) return true;
  const auto layers = classes.layers(node_class);
  return !layers.empty() && classes.rooted(node_class) && covers(layers, count);
}

// Whether what is left on the node's path is enough for one more node.
bool LayerAvailability::fits(std::size_t n, std::uint32_t node) {
  const std::int64_t count = needs_.by_node(n) ? needs_.count_on(n, node) : 0;
  return count == 0 || std::ranges::all_of(needs_.layers(n, node), [&](std::uint32_t l) {
           return account(l).left >= count;
         });
}

void LayerAvailability::take(std::size_t n, std::uint32_t node) {
  const std::int64_t count = needs_.by_node(n) ? needs_.count_on(n, node) : 0;
  if (count == 0) return;
  for (std::uint32_t layer : needs_.layers(n, node)) ledger_.take(layer, node, count);
}

// A node that takes nothing is never recorded as taken; that is not needed.
bool LayerAvailability::taken(std::uint32_t node) const {
  const auto log = ledger_.log();
  const std::size_t at = taken_at_[node];
  return at < log.size() && log[at].by == node && log[at].account < accounts();
}

bool LayerAvailability::eligible(PoolId pool) { return eligible_node(pool, number(pool)); }

bool LayerAvailability::eligible_node(PoolId pool, std::uint32_t node) {
  if (node == NodeNumbers::kNone || node >= refused_.size()) return false;
  if (refused_[node] == ledger_.stamp()) return false;
  if (top_ != kNoPool && !graph_.below(pool, top_)) return false;
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    if (!serves(n, node)) return false;
  }
  if (!by_node_ || taken(node)) return true;
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    if (fits(n, node)) continue;
    ledger_.note_contention();
    return false;
  }
  return true;
}

bool LayerAvailability::take(PoolId pool) {
  const std::uint32_t node = number(pool);
  if (!eligible_node(pool, node)) return false;
  if (!by_node_ || taken(node)) return true;
  taken_at_[node] = ledger_.mark();
  for (std::size_t n = 0; n < needs_.size(); ++n) take(n, node);
  return true;
}

// --- Refusals

bool LayerAvailability::refuse_excess(std::span<const PoolId> nodes) {
  ledger_.reset();
  bool refused = false;
  for (PoolId pool : nodes) {
    if (take(pool)) continue;
    const std::uint32_t node = number(pool);
    if (node == NodeNumbers::kNone || refused_[node] == ledger_.stamp()) continue;
    refused_[node] = ledger_.stamp();
    refused = true;
  }
  return refused;
}

bool LayerAvailability::refuse_heaviest() {
  std::int64_t most = 0, least = INT64_MAX;
  auto charged_on = [&](std::uint32_t node) {  // over all needs; an estimate is enough here
    std::int64_t sum = 0;
    for (std::size_t n = 0; n < needs_.size(); ++n) {
      if (!needs_.same(n) && __builtin_add_overflow(sum, needs_.count_on(n, node), &sum)) {
        return INT64_MAX;
      }
    }
    return sum;
  };
  for (std::uint32_t node = 0; node < refused_.size(); ++node) {
    if (refused_[node] == ledger_.stamp()) continue;
    most = std::max(most, charged_on(node));
    least = std::min(least, charged_on(node));
  }
  if (most <= least) return false;
  // One at a time, the last first, if it is known what was taken: most of them may stay.
  std::uint32_t heaviest = NodeNumbers::kNone;
  for (const ChargeLedger::Charge& charge : ledger_.log()) {
    if (charge.account >= accounts() || charged_on(charge.by) <= least) continue;
    if (heaviest == NodeNumbers::kNone || charged_on(charge.by) >= charged_on(heaviest))
      heaviest = charge.by;
  }
  if (heaviest != NodeNumbers::kNone) {
    refused_[heaviest] = ledger_.stamp();
    return true;
  }
  for (std::uint32_t node = 0; node < refused_.size(); ++node) {
    if (charged_on(node) == most) refused_[node] = ledger_.stamp();
  }
  return true;
}

bool LayerAvailability::keep_only_in_two_trees(std::span<const PoolId> candidates,
                                               std::int64_t wanted) {
  assert(needs_.trees() == 2 && !needs_.uneven() && ledger_.log().empty());
  std::vector<TwoTrees::Layer> layers;
  std::unordered_map<std::uint32_t, std::uint32_t> places;  // by layer
  std::vector<const NodeClasses*> classes;
  std::uint32_t first_tree = 0;
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    const HresTable::Resource& r = needs_.resource(n);
    if (r.mode != 3) continue;
    first_tree = static_cast<std::uint32_t>(layers.size());
    classes.push_back(&r.classes);
    for (std::uint32_t l : r.layers) {
      places.emplace(l, static_cast<std::uint32_t>(layers.size()));
      layers.push_back({free(l) / needs_[n].count, TwoTrees::kNone});
    }
    for (std::uint32_t l : r.layers) {
      const std::uint32_t above = hres_.layers()[l].parent;
      if (above != HresTable::kNone) layers[places.at(l)].above = places.at(above);
    }
  }
  TwoTrees trees(std::move(layers), first_tree);
  std::unordered_map<std::uint64_t, std::uint32_t> kinds;  // by the classes of both
  std::vector<std::uint32_t> nodes, kinds_of_nodes;
  for (PoolId pool : candidates) {
    if (!eligible(pool)) continue;
    nodes.push_back(number(pool));
    const std::uint32_t a = classes[0]->of(nodes.back()), b = classes[1]->of(nodes.back());
    const auto [at, is_new] = kinds.try_emplace(std::uint64_t{a} << 32 | b, 0);
    if (is_new) {
      at->second = trees.add_kind(places.at(classes[0]->layers(a).front()),
                                  places.at(classes[1]->layers(b).front()));
    }
    trees.add_node(at->second);
    kinds_of_nodes.push_back(at->second);
  }
  std::vector<bool> chosen;
  if (!trees.choose(kinds_of_nodes, wanted, chosen)) return false;
  std::ranges::fill(refused_, ledger_.stamp());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) refused_[nodes[i]] = 0;
  }
  return true;
}

// --- What the layers alone exclude

bool LayerAvailability::served_somewhere(std::size_t n) {
  if (needs_.same(n)) {
    const auto all = std::views::iota(0U, needs_.resource(n).classes.count());
    return std::ranges::any_of(all, [&](std::uint32_t c) { return serves_class(n, c); });
  }
  const auto all = std::views::iota(0U, hres_.numbers().count());
  return std::ranges::any_of(all, [&](std::uint32_t node) { return serves(n, node); });
}

bool LayerAvailability::cannot_serve(std::int64_t nodes) {
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    const std::uint32_t root = needs_.resource(n).root;
    std::int64_t all = 0;
    if (root != HresTable::kNone &&
        (__builtin_mul_overflow(needs_[n].count, nodes, &all) || all > free(root))) {
      return true;
    }
    if (!served_somewhere(n)) return true;
  }
  return false;
}

// For each need separately: in mode 3, taking nodes in any order finds the maximum.
bool LayerAvailability::too_few(std::int64_t wanted) {
  assert(ledger_.log().empty());
  std::vector<std::uint32_t> order(hres_.numbers().count());
  for (std::size_t n = 0; n < needs_.size(); ++n) {
    std::iota(order.begin(), order.end(), 0U);
    if (!needs_.same(n)) {  // nodes that take least give the most nodes
      std::ranges::stable_sort(order, {},
                               [&](std::uint32_t node) { return needs_.count_on(n, node); });
    }
    std::int64_t found = 0;
    for (std::size_t i = 0; i < order.size() && found < wanted; ++i) {
      const std::uint32_t node = order[i];
      if (hres_.numbers().pool(node) == kNoPool || !serves(n, node) || !fits(n, node)) continue;
      take(n, node);
      ++found;
    }
    ledger_.reset();
    if (found < wanted) return true;
  }
  return false;
}

std::int64_t LayerAvailability::capacity(std::span<const PoolId> nodes) {
  const std::size_t before = ledger_.mark();
  std::int64_t found = 0;
  for (PoolId node : nodes) found += take(node) ? 1 : 0;
  ledger_.undo_to(before);
  return found;
}

}  // namespace copse
