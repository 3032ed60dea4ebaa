// SPDX-License-Identifier: Apache-2.0
#include "hres/hres_start_bounds.hpp"

#include <algorithm>

namespace copse {

namespace {
constexpr std::int64_t kNever = INT64_MAX;
}

void HresStartBounds::begin(const HresNeeds& needs, HresTable::Job job, std::int64_t duration_s,
                            std::int64_t horizon, std::int64_t nodes) {
  job_ = job;
  duration_s_ = duration_s;
  horizon_ = horizon;
  nodes_ = std::max<std::int64_t>(nodes, 1);
  alternatives_.clear();
  places_.resize(hres_.layers().size());
  for (const std::vector<HresNeed>& alternative : needs.alternatives) {
    std::vector<Wanted>& made = alternatives_.emplace_back();
    for (const HresNeed& need : alternative) {
      const auto& layers = hres_.resources()[need.resource].layers;
      for (std::uint32_t i = 0; i < layers.size(); ++i) places_[layers[i]] = i;
      made.push_back({need, std::vector<std::int64_t>(layers.size(), -1),
                      std::vector<std::int64_t>(layers.size(), -1)});
    }
  }
}

// A result is valid for all times up to it.
std::int64_t HresStartBounds::of_layer(Wanted& wanted, std::size_t place, std::int64_t t) {
  const HresTable::Resource& resource = hres_.resources()[wanted.need.resource];
  std::int64_t& free = wanted.free[place];
  if (free >= t && wanted.from[place] <= t && wanted.from[place] >= 0) return free;
  const std::uint32_t number = resource.layers[place];
  const HresTable::Layer& layer = hres_.layers()[number];
  std::int64_t units = wanted.need.count;
  if (number == resource.root && __builtin_mul_overflow(units, nodes_, &units)) return kNever;
  const Time found = units > layer.total() ? Time()
                                           : layer.times.earliest(job_, t, duration_s_, horizon_,
                                                                  layer.total() - units);
  wanted.from[place] = t;
  free = found.value_or(kNever);
  return free;
}

std::int64_t HresStartBounds::of_need(Wanted& wanted, std::int64_t t) {
  const HresTable::Resource& r = hres_.resources()[wanted.need.resource];
  std::int64_t best = kNever;
  if (wanted.need.count == 0) return t;  // some node needs nothing
  for (std::uint32_t node_class = 0; node_class < r.classes.count() && best > t; ++node_class) {
    const auto layers = r.classes.layers(node_class);
    if (layers.empty() || !r.classes.rooted(node_class)) continue;
    std::int64_t here = r.mode == 1 ? kNever : t;
    for (std::uint32_t layer : layers) {
      const std::int64_t at = of_layer(wanted, places_[layer], t);
      here = r.mode == 1 ? std::min(here, at) : std::max(here, at);
      if (r.mode == 1 ? here == t : here >= best) break;
    }
    best = std::min(best, here);
  }
  return best;
}

std::optional<std::int64_t> HresStartBounds::earliest(std::int64_t t) {
  std::int64_t best = kNever;
  for (std::vector<Wanted>& alternative : alternatives_) {
    std::int64_t here = t;
    for (Wanted& wanted : alternative) here = std::max(here, of_need(wanted, t));
    best = std::min(best, here);
    if (best == t) break;
  }
  return best == kNever ? std::nullopt : std::optional(best);
}

}  // namespace copse
