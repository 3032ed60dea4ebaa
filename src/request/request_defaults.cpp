// SPDX-License-Identifier: Apache-2.0
//
// All recursions are bounded by the depth of a request's text.
#include "request/request_defaults.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "base/saturating.hpp"
#include "request/count_text.hpp"
#include "request/request_checks.hpp"
#include "request/resource_of.hpp"

namespace copse {

namespace {

using Resources = std::vector<Resource>;

constexpr std::string_view kMemory = "memory", kNode = "node", kCore = "core";
constexpr std::string_view kPlace = "default of ";

bool is_slot(const Resource& r) { return r.is_slot() || r.type == "xor_slot"; }

bool is_added(const Resource& r) { return r.type == kMemory && is_of_defaults(r.place); }

const Resource* find_added(const Resources& resources) {
  for (const Resource& r : resources) {
    if (is_added(r)) return &r;
    if (const Resource* below = find_added(r.with)) return below;
  }
  return nullptr;
}

void remove_added(Resources& resources) {
  std::erase_if(resources, is_added);
  for (Resource& r : resources) remove_added(r.with);
}

// Cores of a slot that are in none of its nodes.
std::int64_t cores_outside_nodes(const Resources& resources) {
  std::int64_t out = 0;
  for (const Resource& r : resources) {
    if (r.type == kNode) continue;
    const std::int64_t inside = r.type == kCore ? 1 : cores_outside_nodes(r.with);
    out = saturating_sum(out, saturating_product(r.count.min, inside));
  }
  return out;
}

// Slots with such cores.
std::int64_t slots_outside_nodes(const Resources& resources) {
  std::int64_t out = 0;
  for (const Resource& r : resources) {
    if (r.type == kNode) continue;
    const std::int64_t inside =
        is_slot(r) ? std::int64_t{cores_outside_nodes(r.with) > 0} : slots_outside_nodes(r.with);
    out = saturating_sum(out, saturating_product(r.count.min, inside));
  }
  return out;
}

class MemoryWriter {
 public:
  MemoryWriter(const RequestDefaults& defaults, bool slots_share, std::string place)
      : defaults_(defaults), slots_share_(slots_share), place_(std::move(place)) {}

  // Slots at any depth; `sharing`: how many slots share the memory of a node.
  void add_to_slots(Resources& resources, std::int64_t sharing) {
    for (Resource& r : resources) {
      if (is_slot(r)) {
        add_to_slot(r, sharing);
      } else if (r.type != kNode) {
        add_to_slots(r.with, sharing);
      } else if (r.exclusive != Exclusivity::yes) {
        add_to_slots(r.with, slots_outside_nodes(r.with));
      }
    }
  }
  [[nodiscard]] bool any() const { return any_; }

 private:
  void add_to_slot(Resource& slot, std::int64_t sharing) {
    add_to_nodes(slot.with);
    const std::int64_t cores = cores_outside_nodes(slot.with);
    if (cores == 0) return;
    const std::int64_t slots = std::max<std::int64_t>(sharing, 1);
    const std::int64_t of_node =
        defaults_.memory_of_node / slots + (defaults_.memory_of_node % slots > 0 ? 1 : 0);
    add(slot.with, cores, of_node);
  }

  // In a slot, a node is taken whole unless slots share what is in them.
  void add_to_nodes(Resources& resources) {
    for (Resource& r : resources) {
      if (r.type != kNode) {
        add_to_nodes(r.with);
      } else if (slots_share_ && r.exclusive != Exclusivity::yes) {
        const std::int64_t cores = cores_outside_nodes(r.with);
        if (cores > 0) add(r.with, cores, defaults_.memory_of_node);
      }
    }
  }

  void add(Resources& to, std::int64_t cores, std::int64_t of_node) {
    const std::int64_t amount =
        of_node > 0 ? of_node : saturating_product(defaults_.memory_of_core, cores);
    if (amount == 0) return;
    to.push_back(resource_of(std::string(kMemory), std::min(amount, kCountMax)));
    to.back().place.file = place_;
    any_ = true;
  }

  const RequestDefaults& defaults_;
  const bool slots_share_;
  const std::string place_;
  bool any_ = false;
};

// Makes nodes exclusive. False: a slot is outside of nodes, and has none in it.
bool take_whole_nodes(Resources& resources, bool& any) {
  bool all = true;
  for (Resource& r : resources) {
    if (r.type == kNode) {
      any = any || r.exclusive != Exclusivity::yes;
      r.exclusive = Exclusivity::yes;
      continue;
    }
    const bool inside = take_whole_nodes(r.with, any);
    all = all && inside && (!is_slot(r) || least_units(r.with, kNode) > 0);
  }
  return all;
}

bool says_memory(const Request& request) { return least_units(request.resources, kMemory) > 0; }

}  // namespace

bool is_of_defaults(const SourceLocation& place) {
  return place.line == 0 && place.file.starts_with(kPlace);
}

std::string place_of_defaults(std::string_view queue) {
  if (queue.empty()) return fmt::format("{}all queues", kPlace);
  return fmt::format("{}queue {}", kPlace, shown_word(queue));
}

std::string_view place_of_default_memory(const Request& request) {
  const Resource* added = find_added(request.resources);
  return added == nullptr ? std::string_view() : std::string_view(added->place.file);
}

void remove_default_memory(Request& request) { remove_added(request.resources); }

RequestDefaults that_apply(const RequestDefaults& defaults, const Request& request) {
  RequestDefaults out = defaults;
  Resources tried = request.resources;
  bool any = false;
  const bool nodes = defaults.whole_nodes && take_whole_nodes(tried, any);
  out.whole_nodes = defaults.whole_nodes && (any || !nodes);
  MemoryWriter memory(defaults, request.slots_share, {});
  if (!says_memory(request)) memory.add_to_slots(tried, slots_outside_nodes(tried));
  if (!memory.any()) out.memory_of_core = out.memory_of_node = 0;
  return out;
}

Result<void> add_defaults(Request& request, const RequestDefaults& defaults,
                          std::string_view queue) {
  if (defaults.empty()) return {};
  bool any = false;
  Resources with_defaults = request.resources;
  if (defaults.whole_nodes && !take_whole_nodes(with_defaults, any)) {
    return fail(ErrorCode::invalid,
                fmt::format("{}: jobs get whole nodes, so the request must name nodes, as "
                            "node=1/slot=4/core=2 does",
                            place_of_defaults(queue)));
  }
  if (!says_memory(request)) {
    MemoryWriter memory(defaults, request.slots_share, place_of_defaults(queue));
    memory.add_to_slots(with_defaults, slots_outside_nodes(with_defaults));
  }
  request.resources = std::move(with_defaults);
  return {};
}

}  // namespace copse
