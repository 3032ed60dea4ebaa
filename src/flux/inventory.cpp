// SPDX-License-Identifier: Apache-2.0
#include "flux/inventory.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "base/idset_algebra.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "formats/selection_set.hpp"
#include "rset/rset_algebra.hpp"
#include "text/json_writer.hpp"

namespace copse::flux {

Inventory::Inventory(Engine& engine, RSet all, Idset up)
    : engine_(engine), all_(std::move(all)), up_(std::move(up)) {
  if (all_.expiration_s > 0) expiration_s_ = all_.expiration_s;
  for (const PoolId node : nodes_of(subtract(all_.ranks(), up_))) {
    engine_.set_status(node, Status::down);
  }
}

std::vector<PoolId> Inventory::nodes_of(const Idset& ranks) const {
  auto nodes = tops_of_ranks(engine_.graph(), intersect(ranks, all_.ranks()));
  return nodes ? std::move(*nodes) : std::vector<PoolId>();
}

Result<void> Inventory::update(const ResourceUpdate& update, queue::JobQueue& queue) {
  if (update.expiration_s) {
    expiration_s_.reset();
    if (*update.expiration_s > 0) expiration_s_ = update.expiration_s;
  }
  const Idset down = subtract(update.down, update.shrink);
  if (!update.up.empty()) {
    up_ = unite(up_, update.up);
    queue.set_status(nodes_of(update.up), Status::up);
  }
  if (!down.empty()) {
    up_ = subtract(up_, down);
    queue.set_status(nodes_of(down), Status::down);
  }
  if (update.shrink.empty()) return {};
  const auto removed = nodes_of(update.shrink);
  if (removed.empty()) return {};
  if (auto ok = queue.remove(removed); !ok) return std::unexpected(ok.error());
  up_ = subtract(up_, update.shrink);
  all_ = select_ranks(all_, subtract(all_.ranks(), update.shrink));
  return {};
}

std::string Inventory::status() const {
  SelectionSet selections;
  RSet allocated;
  for (const JobId id : engine_.jobs()) {
    const Grant* grant = engine_.grant(id);
    if (grant->start > engine_.now()) continue;  // a promise
    RSet has = selections.make(engine_.graph(), grant->selection);
    std::ranges::move(has.entries, std::back_inserter(allocated.entries));
  }
  [[maybe_unused]] const auto merged = merge_repeated_ranks(allocated, Repeated::united);
  assert(merged);
  auto taken = intersect(all_, allocated);
  return object_text([&](JsonWriter& json) {
    json.key("all");
    append_r(json.begin(), all_);
    json.key("down");
    append_r(json.begin(), select_ranks(all_, subtract(all_.ranks(), up_)));
    json.key("allocated");
    append_r(json.begin(), taken ? *taken : RSet());
  });
}

std::string Inventory::summary() const {
  std::string out;
  append_r_short(out, select_ranks(all_, up_));
  return out;
}

}  // namespace copse::flux
