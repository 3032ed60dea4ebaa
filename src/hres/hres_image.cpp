// SPDX-License-Identifier: Apache-2.0
#include "hres/hres_image.hpp"

#include <xxhash.h>

#include <algorithm>

#include <fmt/format.h>

namespace copse {

HresImage HresImager::image_of(const HresTable& s) {
  HresImage out;
  for (std::uint32_t n = 0; n < s.numbers_->count(); ++n) {
    out.nodes.emplace_back(s.numbers_->name(n), s.numbers_->pool(n));
  }
  for (const HresTable::Layer& layer : s.layers_) {
    out.layers.push_back({.resource = layer.resource,
                          .text = layer.text,
                          .nodes = layer.nodes,
                          .count = layer.count,
                          .base = layer.own_base,
                          .place = layer.place,
                          .reservations = {}});
    layer.times.for_each_reservation(
        [&](const LayerTimes::Reservation& r) { out.layers.back().reservations.push_back(r); });
  }
  for (const HresTable::Resource& resource : s.resources_) {
    out.resources.push_back({.name = resource.name,
                             .mode = resource.mode,
                             .topology = resource.topology,
                             .variables = {resource.variables.begin(), resource.variables.end()},
                             .kinds = resource.kinds,
                             .layers = resource.layers});
    std::ranges::sort(out.resources.back().variables);
  }
  out.edges = s.edges_;
  return out;
}

namespace {

std::unexpected<Error> broken(std::string_view text) {
  return fail(ErrorCode::invalid, fmt::format("the supply of the save is broken: {}", text));
}

// Matches each node of the machine once, by its name.
Result<NodeNumbers> numbers_of(const ResourceGraph& graph, HresImage& image) {
  const TypeId node = graph.find_type("node");
  std::vector<std::string> names;
  std::vector<PoolId> pools;
  std::vector<bool> seen(graph.pool_count(), false);
  for (auto& [name, pool] : image.nodes) {
    if (pool != kNoPool) {
      const bool may = pool.v < graph.pool_count() && graph.in_tree(pool) &&
                       graph.type(pool) == node && !seen[pool.v];
      if (!may) return broken("a node that is none");
      seen[pool.v] = true;
    }
    names.push_back(std::move(name));
    pools.push_back(pool);
  }
  return NodeNumbers(graph, std::move(names), std::move(pools));
}

}  // namespace

// Loads the image into an empty table; what follows from its layers is derived afterwards.
Result<void> HresImager::take(HresTable& s, HresImage& image) {
  std::size_t hosts = 0, reservations = 0;
  for (HresImage::Layer& from : image.layers) {
    hosts += from.nodes.size();
    reservations += from.reservations.size();
    const bool ascend =
        std::ranges::adjacent_find(from.nodes, std::greater_equal<>()) == from.nodes.end();
    const bool known = from.nodes.empty() || from.nodes.back() < s.numbers_->count();
    if (!ascend || !known || from.resource >= image.resources.size() || from.base < 0 ||
        from.count < kUnlimitedCount) {
      return broken("a layer");
    }
    if (hosts > HresTable::kHostsMax || reservations > HresTable::kReservationsMax) {
      return fail(ErrorCode::limit, fmt::format("more than {} nodes of layers, or {} reservations",
                                                HresTable::kHostsMax, HresTable::kReservationsMax));
    }
    HresTable::Layer& to = s.layers_.emplace_back();
    to.resource = from.resource;
    to.text = std::move(from.text);
    to.nodes = std::move(from.nodes);
    to.hash = XXH3_64bits(to.nodes.data(), to.nodes.size() * sizeof(std::uint32_t));
    to.count = from.count;
    to.own_base = from.base;
    to.exists = false;
    to.place = std::move(from.place);
  }
  for (HresImage::Resource& from : image.resources) {
    const auto number = static_cast<std::uint32_t>(s.resources_.size());
    for (const std::uint32_t layer : from.layers) {
      if (layer >= s.layers_.size() || s.layers_[layer].exists ||
          s.layers_[layer].resource != number) {
        return broken("a layer of a resource");
      }
      s.layers_[layer].exists = true;
    }
    if (from.mode < 1 || from.mode > 3 || (from.mode != 3 && !from.kinds.empty())) {
      return broken("the mode of a resource");
    }
    if (!from.layers.empty() && !s.by_name_.emplace(from.name, number).second) {
      return broken("two resources of one name");
    }
    HresTable::Resource& to = s.resources_.emplace_back();
    to.name = std::move(from.name);
    to.mode = from.mode;
    to.topology = std::move(from.topology);
    to.variables.insert(from.variables.begin(), from.variables.end());
    to.kinds = std::move(from.kinds);
    to.layers = std::move(from.layers);
  }
  return {};
}

Result<void> HresImager::reserve(HresTable& s, HresImage& image) {
  for (std::uint32_t l = 0; l < image.layers.size(); ++l) {
    std::int64_t sum = 0;
    for (LayerTimes::Reservation& r : image.layers[l].reservations) {
      const bool new_id = s.reservations_.emplace(r.id, l).second;
      s.named_ += r.jobs.size();
      if (!new_id || r.count < 1 || r.start >= r.end || !s.layers_[l].exists ||
          s.named_ > HresTable::kNamedMax || __builtin_add_overflow(sum, r.count, &sum)) {
        return broken("a reservation of a layer");
      }
      s.layers_[l].times.restore(std::move(r));
    }
  }
  if (!std::ranges::is_sorted(image.edges) ||
      image.edges.size() > 2 * HresTable::kReservationsMax) {
    return broken("the times of reservations");
  }
  s.edges_ = std::move(image.edges);
  return {};
}

Result<std::unique_ptr<HresTable>> HresImager::hres_of(const ResourceGraph& graph, LayerOrder order,
                                                       HresImage image) {
  auto out = std::make_unique<HresTable>(graph, order);
  auto numbers = numbers_of(graph, image);
  if (!numbers) return std::unexpected(numbers.error());
  out->numbers_ = Shared<NodeNumbers>::make(std::move(*numbers));
  if (auto ok = take(*out, image); !ok) return std::unexpected(ok.error());
  if (auto ok = out->derive(); !ok) return std::unexpected(ok.error());
  if (auto ok = reserve(*out, image); !ok) return std::unexpected(ok.error());
  return out;
}

}  // namespace copse
