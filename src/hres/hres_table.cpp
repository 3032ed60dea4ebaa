// SPDX-License-Identifier: Apache-2.0
#include "hres/hres_table.hpp"

#include <xxhash.h>

#include <algorithm>

#include <fmt/format.h>

#include "hres/hres_change.hpp"
#include "text/slurm_hostlist.hpp"

namespace copse {

std::string HresTable::name(const Layer& layer) const {
  return fmt::format("layer {} of {}", layer.text, resources_[layer.resource].name);
}

std::int64_t HresTable::Resource::Kinds::least() const {
  std::int64_t least = otherwise;
  for (const auto& [property, value] : values) least = std::min(least, value);
  return least;
}

Result<std::uint32_t> HresTable::find(std::string_view resource, std::string_view nodes) const {
  const auto at = by_name_.find(std::string(resource));
  if (at == by_name_.end()) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no resource '{}'", resource.substr(0, 200)));
  }
  const auto hosts = expand_slurm_hosts(nodes, kHostsMax);
  if (!hosts) return std::unexpected(hosts.error());
  std::vector<std::uint32_t> numbers;
  bool known = true;
  for (const std::string& host : *hosts) known = numbers_->append_named(host, numbers) && known;
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (std::uint32_t layer : resources_[at->second].layers) {
    if (known && layers_[layer].nodes == numbers) return layer;
  }
  return fail(ErrorCode::not_found,
              fmt::format("{} has no layer of the nodes '{}'", resource, nodes.substr(0, 200)));
}

Result<HresNeeds> HresTable::resolve(const HresRequest& request) const {
  std::vector<HresNeed> needs;
  for (const HresItem& item : request.items) {
    const auto at = by_name_.find(item.name);
    if (at == by_name_.end()) {
      return fail(ErrorCode::invalid, fmt::format("there is no resource '{}'", item.name));
    }
    std::int64_t count = item.count;
    const auto& of_kinds = resources_[at->second].kinds;
    const auto kinds = std::find_if(of_kinds.begin(), of_kinds.end(), [&](const auto& k) {
      return !item.variable.empty() && k.name == item.variable;
    });
    const std::uint32_t kind = kinds == of_kinds.end()
                                   ? HresNeed::kSame
                                   : static_cast<std::uint32_t>(kinds - of_kinds.begin());
    if (kind != HresNeed::kSame) {
      count = kinds->least();
    } else if (!item.variable.empty()) {
      const auto& variables = resources_[at->second].variables;
      const auto value = variables.find(item.variable);
      if (value == variables.end()) {
        return fail(ErrorCode::invalid, fmt::format("'{}' is neither a count nor a variable of {}",
                                                    item.variable, item.name));
      }
      count = value->second;
    }
    if (count == 0 && kind == HresNeed::kSame) continue;  // nothing is requested
    auto same = std::find_if(needs.begin(), needs.end(), [&](const HresNeed& need) {
      return !request.either && need.resource == at->second;
    });
    if (same == needs.end()) {
      needs.push_back({at->second, count, kind});
    } else if (same->kinds != HresNeed::kSame || kind != HresNeed::kSame) {
      return fail(ErrorCode::invalid,
                  fmt::format("{} is asked for twice: what depends on the nodes "
                              "cannot be added up",
                              item.name));
    } else if (__builtin_add_overflow(same->count, count, &same->count)) {
      return fail(ErrorCode::invalid,
                  fmt::format("the counts of {} come to more than 2^63 - 1", item.name));
    }
  }
  HresNeeds out;
  if (request.either) {
    for (const HresNeed& need : needs) out.alternatives.push_back({need});
  } else if (!needs.empty()) {
    out.alternatives.push_back(std::move(needs));
  }
  return out;
}

std::string HresTable::text(const GrantCharges& charges) const {
  std::string out;
  for (const HresNeed& need : charges.needs) {
    const Resource& resource = resources_[need.resource];
    if (!out.empty()) out += ';';
    out += resource.name;
    for (const LayerCharge& charge : charges.layers) {
      const Layer& layer = layers_[charge.layer];
      if (resource.mode == 1 && layer.resource == need.resource) out += '(' + layer.text + ')';
    }
    if (need.kinds != HresNeed::kSame) {
      out += ':' + resource.kinds[need.kinds].name;
    } else {
      out += fmt::format(":{}", need.count);
    }
  }
  return out;
}

Result<GrantCharges> HresTable::charges_of(std::span<const HresShare> shares) const {
  HresRequest request;
  for (const HresShare& share : shares) request.items.push_back(share.item);
  auto needs = resolve(request);
  if (!needs) return std::unexpected(needs.error());
  GrantCharges out;
  if (!needs->empty()) out.needs = std::move(needs->alternatives.front());
  for (const HresShare& share : shares) {
    if (share.layer.empty() || share.item.count <= 0) continue;
    const auto layer = find(share.item.name, share.layer);
    if (!layer) return std::unexpected(layer.error());
    const Resource& resource = resources_[layers_[*layer].resource];
    if (resource.mode != 1) continue;  // if several layers are charged, the text names none
    std::int64_t count = share.item.count;
    if (!share.item.variable.empty()) count = resource.variables.at(share.item.variable);
    if (count > 0) out.layers.push_back({*layer, count});
  }
  return out;
}

void HresTable::apply(Job job, std::span<const LayerCharge> charges, std::int64_t start,
                      std::int64_t end, int sign) {
  for (const LayerCharge& charge : charges) {
    layers_[charge.layer].times.charge(job, {start, end, charge.amount}, sign);
  }
}

Result<void> HresTable::reserve(const LayerReservation& wanted, const GrantOf& grant_of) {
  if (reservations_.contains(wanted.id)) {
    return fail(ErrorCode::exists,
                fmt::format("the reservation {} already exists", wanted.id.substr(0, 200)));
  }
  if (wanted.count < 1 || wanted.start >= wanted.end) {
    return fail(ErrorCode::invalid,
                "a reservation has a count of 1 at least, and ends after it starts");
  }
  if (reservations_.size() >= kReservationsMax || wanted.jobs.size() > kNamedMax - named_) {
    return fail(ErrorCode::limit, fmt::format("more than {} reservations, or {} jobs named in them",
                                              kReservationsMax, kNamedMax));
  }
  const auto number = find(wanted.resource, wanted.nodes);
  if (!number) return std::unexpected(number.error());
  Layer& layer = layers_[*number];
  if (wanted.count > layer.total()) {
    return fail(ErrorCode::infeasible, fmt::format("{} has {} in all, {} are to be reserved",
                                                   name(layer), layer.total(), wanted.count));
  }
  const auto charge_of = [&](Job job) -> std::optional<LayerTimes::Charge> {
    const auto grant = grant_of(job);
    if (!grant) return {};
    for (const LayerCharge& charge : grant->charges) {
      if (charge.layer == *number)
        return LayerTimes::Charge{grant->start, grant->end, charge.amount};
    }
    return {};
  };
  LayerTimes::Reservation reservation{wanted.id, wanted.count, wanted.start, wanted.end,
                                      wanted.jobs};
  if (!layer.times.reserve(std::move(reservation), layer.total(), charge_of)) {
    return fail(ErrorCode::insufficient,
                fmt::format("{} does not have {} left all the time from {} to {}", name(layer),
                            wanted.count, wanted.start, wanted.end));
  }
  reservations_.emplace(wanted.id, *number);
  named_ += wanted.jobs.size();
  for (const std::int64_t edge : {wanted.start, wanted.end}) {
    edges_.insert(std::upper_bound(edges_.begin(), edges_.end(), edge), edge);
  }
  return {};
}

Result<void> HresTable::free(std::string_view id) {
  const auto at = reservations_.find(id);
  if (at == reservations_.end()) {
    return fail(ErrorCode::not_found, fmt::format("there is no reservation {}", id.substr(0, 200)));
  }
  const auto freed = layers_[at->second].times.free(id);
  reservations_.erase(at);
  if (freed) forget(*freed);
  return {};
}

void HresTable::forget(const LayerTimes::Reservation& reservation) {
  named_ -= reservation.jobs.size();
  for (const std::int64_t edge : {reservation.start, reservation.end}) {
    const auto at = std::lower_bound(edges_.begin(), edges_.end(), edge);
    if (at != edges_.end() && *at == edge) edges_.erase(at);
  }
}

void HresTable::drop_ended(std::int64_t now) {
  if (!edges_.empty() && edges_.front() <= now) {
    std::vector<LayerTimes::Reservation> ended;
    for (Layer& layer : layers_) {
      if (layer.times.reserved()) layer.times.drop_ended(now, ended);
    }
    for (const LayerTimes::Reservation& reservation : ended) {
      reservations_.erase(reservation.id);
      forget(reservation);
    }
    edges_.erase(edges_.begin(), std::upper_bound(edges_.begin(), edges_.end(), now));
  }
}

std::optional<std::int64_t> HresTable::next_edge(std::int64_t t) const {
  const auto at = std::lower_bound(edges_.begin(), edges_.end(), t);
  return at == edges_.end() ? std::nullopt : std::optional(*at);
}

std::vector<LayerView> HresTable::view(std::int64_t at) const {
  std::vector<LayerView> out;
  std::map<std::uint32_t, std::int32_t> places;  // by number
  for (const Resource& resource : resources_) {
    const std::size_t first = out.size();
    for (std::uint32_t number : resource.layers) {
      const Layer& layer = layers_[number];
      places.emplace(number, static_cast<std::int32_t>(out.size()));
      out.push_back({.resource = resource.name,
                     .nodes = layer.text,
                     .mode = resource.mode,
                     .node_count = static_cast<std::uint32_t>(layer.nodes.size()),
                     .total = layer.count == kUnlimitedCount ? kUnlimitedCount : layer.total(),
                     .base = layer.base,
                     .used = layer.times.used_at(at),
                     .reserved = layer.times.reserved_at(at),
                     .held = layer.times.held_at(at),
                     .level = layer.level,
                     .parent = -1,
                     .number = number});
    }
    for (std::size_t i = first; i < out.size(); ++i) {
      const std::uint32_t parent = layers_[resource.layers[i - first]].parent;
      if (parent != kNone) out[i].parent = places.at(parent);
    }
  }
  return out;
}

std::uint64_t HresTable::fingerprint() const {
  XXH64_hash_t hash = 0;
  auto mix = [&](std::int64_t value) { hash = XXH64(&value, sizeof value, hash); };
  for (const Layer& layer : layers_) {
    if (!layer.exists) continue;
    mix(layer.count);
    layer.times.taken().for_each_step([&](std::int64_t time, Planner::Amounts amounts) {
      mix(time);
      mix(amounts[0]);
    });
  }
  return hash;
}

// --- Structure

Result<void> HresTable::add(const HresSpec& spec, std::string_view file) {
  Change change(*this, file);
  for (const ResourceSpec& resource : spec.resources) {
    if (auto ok = change.add(resource); !ok) return ok;
  }
  return change.apply();
}

Result<void> HresTable::derive() {
  Change change(*this, {});
  for (std::uint32_t r = 0; r < resources_.size(); ++r) {
    if (!resources_[r].layers.empty()) change.keep(r);
  }
  return change.apply();
}

Result<void> HresTable::remove_layer(std::string_view resource, std::string_view nodes) {
  const auto layer = find(resource, nodes);
  if (!layer) return std::unexpected(layer.error());
  if (layers_[*layer].times.reserved()) {
    return fail(ErrorCode::invalid,
                name(layers_[*layer]) + " has reservations: free them before it is removed");
  }
  Change change(*this, {});
  change.remove(*layer);
  return change.apply();
}

Result<void> HresTable::set_nodes(std::string_view resource, std::string_view nodes,
                                  std::string_view to) {
  const auto layer = find(resource, nodes);
  if (!layer) return std::unexpected(layer.error());
  Change change(*this, {});
  if (auto ok = change.set_nodes(*layer, to); !ok) return ok;
  return change.apply();
}

Result<void> HresTable::set_count(std::string_view resource, std::string_view nodes,
                                  std::int64_t count) {
  const auto number = find(resource, nodes);
  if (!number) return std::unexpected(number.error());
  Layer& layer = layers_[*number];
  if (count < kUnlimitedCount) {
    return fail(ErrorCode::invalid, fmt::format("a count is 0 or more, or -1: not {}", count));
  }
  if (count != kUnlimitedCount && count < layer.base) {
    return fail(ErrorCode::invalid, fmt::format("the base of {} is {}, greater than a count of {}",
                                                name(layer), layer.base, count));
  }
  if (layer.count == count) return {};
  layer.count = count;
  ++version_;
  rank(resources_[layer.resource]);
  return {};
}

// Ranks layers by which one is charged first: totals may have changed.
void HresTable::rank(Resource& resource) {
  if (resource.mode != 1) return;
  std::vector<std::uint32_t> order = resource.layers;
  if (order_ == LayerOrder::count) {
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const bool endless_a = layers_[a].count == kUnlimitedCount;
      const bool endless_b = layers_[b].count == kUnlimitedCount;
      if (endless_a != endless_b) return endless_a;
      return layers_[a].total() > layers_[b].total();
    });
  }
  for (std::uint32_t i = 0; i < order.size(); ++i) layers_[order[i]].rank = i;
}

}  // namespace copse
