// SPDX-License-Identifier: Apache-2.0
#include "supply/offer.hpp"

#include <algorithm>
#include <iterator>

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
    const std::uint32_t covers = resource(needs_[n]).classes.count();
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
  const auto layers = r.classes.layers(cover);
  auto enough = [&](std::uint32_t layer) { return need.count <= amount(layer).free; };
  bool yes = !layers.empty() && r.classes.rooted(cover);
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
  const std::uint32_t cover = r.classes.of(node);
  if (need.kinds == HresNeed::kSame) return serves(n, cover);
  const std::int64_t count = count_on(n, node);
  if (count == 0) return true;
  const auto layers = r.classes.layers(cover);
  return !layers.empty() && r.classes.rooted(cover) &&
         std::all_of(layers.begin(), layers.end(),
                     [&](std::uint32_t layer) { return count <= amount(layer).free; });
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
    for (std::uint32_t layer : r.classes.layers(r.classes.of(node))) {
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
    for (std::uint32_t layer : r.classes.layers(r.classes.of(node))) amount(layer).left -= count;
  }
}

bool Offer::eligible(PoolId pool) {
  return eligible_node(pool, supply_.numbers().of(graph_, pool));
}

bool Offer::eligible_node(PoolId pool, std::uint32_t node) {
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
  const std::uint32_t node = supply_.numbers().of(graph_, pool);
  if (!eligible_node(pool, node)) return false;
  if (trees_ == 0) return true;
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

}  // namespace copse
