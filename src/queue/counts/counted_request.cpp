// SPDX-License-Identifier: Apache-2.0
#include "queue/counts/counted_request.hpp"

#include <algorithm>
#include <array>

namespace copse::queue {

namespace {

bool is_slot_of_nodes(const Resource& slot) {
  return slot.is_slot() && slot.with.size() == 1 && slot.with.front().type == "node" &&
         !slot.count.moldable();
}

void restrict_to(NodeSet& among, const NodeSet& nodes) {
  for (std::size_t n = 0; n < among.size(); ++n) among[n] = among[n] && nodes[n];
}

// The layers of a resource.
std::vector<LayerView> layers_of(const std::vector<LayerView>& all, const std::string& resource) {
  std::vector<LayerView> out;
  std::ranges::copy_if(all, std::back_inserter(out),
                       [&](const LayerView& layer) { return layer.resource == resource; });
  return out;
}

// Adds an item; false: numbers do not decide.
bool add_item(const HresItem& item, const Engine& engine, const CountedNodes& nodes,
              const std::vector<LayerView>& all, NodeSet& among, CountedRequest& out) {
  const std::array<HresShare, 1> share{{{item, {}}}};
  const auto charges = engine.charges_of(share);
  if (!charges) return false;
  if (charges->needs.empty()) return true;  // it asks for nothing
  const HresNeed& need = charges->needs.front();
  const std::vector<LayerView> layers = layers_of(all, item.name);
  if (need.kinds != HresNeed::kSame || layers.empty()) return false;
  const bool each_node = layers.front().mode == 3;
  if (!each_node && layers.size() > 1) return false;
  NodeSet covered(nodes.size(), false);  // by a leaf
  for (const LayerView& layer : layers) {
    if (each_node && layer.level > 0) continue;
    const auto here = nodes.named(engine.graph(), layer.nodes);
    if (!here) return false;
    for (std::size_t n = 0; n < covered.size(); ++n) covered[n] = covered[n] || (*here)[n];
  }
  restrict_to(among, covered);
  const auto same = std::ranges::find(out.amounts, item.name, &CountedRequest::Amount::resource);
  if (same == out.amounts.end()) {
    out.amounts.push_back({item.name, need.count, each_node});
  } else if (__builtin_add_overflow(same->amount, need.count, &same->amount)) {
    return false;
  }
  return true;
}

}  // namespace

// The request names no resources inside a node, so they need not be examined.
std::int64_t requested_nodes(const Request& request) {
  if (request.resources.size() != 1) return 0;
  const Resource& slot = request.resources.front();
  if (!is_slot_of_nodes(slot)) return 0;
  const Resource& node = slot.with.front();
  if (node.count.moldable() || !node.with.empty() || !node.channel_charges.empty() ||
      node.exclusive == Exclusivity::no || !node.properties.empty()) {
    return 0;
  }
  std::int64_t nodes = 0;
  return __builtin_mul_overflow(slot.count.min, node.count.min, &nodes) ? 0 : nodes;
}

namespace {

// Cores of one node, in slots of the same size; 0: another request.
std::int64_t cores_of_slots(const Resource& node) {
  if (node.type != "node" || node.count.moldable() || node.exclusive == Exclusivity::yes ||
      node.with.size() != 1 || !node.channel_charges.empty() || !node.properties.empty()) {
    return 0;
  }
  const Resource& slot = node.with.front();
  if (!slot.is_slot() || slot.count.moldable() || slot.with.size() != 1) return 0;
  const Resource& core = slot.with.front();
  const bool plain = core.type == "core" && !core.count.moldable() && core.with.empty() &&
                     core.channel_charges.empty() && core.exclusive != Exclusivity::no &&
                     core.properties.empty();
  std::int64_t cores = 0;
  if (!plain || __builtin_mul_overflow(slot.count.min, core.count.min, &cores)) return 0;
  return cores;
}

// Slots of one core anywhere; 0: another request.
std::int64_t slots_of_a_core(const Resource& slot) {
  if (!slot.is_slot() || slot.count.moldable() || slot.with.size() != 1) return 0;
  const Resource& core = slot.with.front();
  const bool plain = core.type == "core" && core.count.min == 1 && !core.count.moldable() &&
                     core.with.empty() && core.channel_charges.empty() &&
                     core.exclusive != Exclusivity::no && core.properties.empty();
  return plain ? slot.count.min : 0;
}

// Restricts `among` to nodes that the request fills; false: it leaves room for another job.
bool fills_nodes(const Request& request, const CountedNodes& nodes, NodeSet& among) {
  if (requested_nodes(request) > 0) return true;
  const std::int64_t in_slots = cores_of_slots(request.resources.front());
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (in_slots == 0 && nodes.cores(n) != 1) return false;
    if (nodes.cores(n) < in_slots) among[n] = false;
    if (among[n] && in_slots > 0 && nodes.cores(n) >= 2 * in_slots) return false;
  }
  return true;
}

}  // namespace

std::int64_t counted_nodes(const Request& request) {
  if (const std::int64_t nodes = requested_nodes(request); nodes > 0) return nodes;
  if (request.resources.size() != 1) return 0;
  const Resource& top = request.resources.front();
  return cores_of_slots(top) > 0 ? top.count.min : slots_of_a_core(top);
}

std::optional<CountedRequest> counted_request(const Request& request, const Engine& engine,
                                              const CountedNodes& nodes) {
  if (engine.options().policy.visit != nullptr) return std::nullopt;  // it may refuse any node
  if (!nodes.countable() || (request.hres.either && request.hres.items.size() > 1))
    return std::nullopt;
  CountedRequest out;
  out.nodes = counted_nodes(request);
  if (out.nodes <= 0) return std::nullopt;
  NodeSet among = nodes.meeting(engine.graph(), request.constraint);
  if (!fills_nodes(request, nodes, among)) return std::nullopt;
  if (!request.hres.empty()) {
    const std::vector<LayerView> all = engine.layers(engine.now());
    for (const HresItem& item : request.hres.items) {
      if (!add_item(item, engine, nodes, all, among, out)) return std::nullopt;
    }
  }
  out.among = std::make_shared<const NodeSet>(std::move(among));
  return out;
}

}  // namespace copse::queue
