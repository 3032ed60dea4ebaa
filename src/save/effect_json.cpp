// SPDX-License-Identifier: Apache-2.0
#include "save/effect_json.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/job_id.hpp"

namespace copse {

namespace {

// By index of the alternative.
constexpr std::array<std::string_view, std::variant_size_v<Effect>> kWords = {
    "granted",       "changed",         "cancelled",       "advanced",
    "explored",      "status",          "property",        "tag",
    "attached",      "removed",         "compacted",       "resources-added",
    "layer-removed", "layer-nodes-set", "layer-count-set", "layer-reserved",
    "layer-freed",   "property-removed"};

void layer(std::string_view resource, std::string_view nodes, JsonWriter& json) {
  json.member("resource", resource);
  json.member("nodes", nodes);
}

// Programs that read numbers as doubles would not distinguish the ids of reservations.
void job_member(JobId job, JsonWriter& json) {
  if (is_reservation(job)) return json.member("reservation", job - kFirstReservationId);
  json.member("job", job == kClientZeroId ? 0 : job);
}

void job_value(JobId job, JsonWriter& json) {
  if (!is_reservation(job)) json.value(job == kClientZeroId ? 0 : job);
}

void new_charges(const effect::NewCharges& new_charges, JsonWriter& json) {
  json.array("redrawn", new_charges, [&](const auto& entry) { job_value(entry.first, json); });
}

// Whether the graph was rebuilt: pools have other numbers.
bool rebuilt(const Effect& effect) {
  if (const auto* attached = std::get_if<effect::Attached>(&effect)) return attached->rebuilt;
  if (const auto* removed = std::get_if<effect::Removed>(&effect)) return removed->rebuilt;
  return std::holds_alternative<effect::Compacted>(effect);
}

}  // namespace

void EffectJson::append(const Engine& engine, const Effect& effect, std::string& out) {
  if (rebuilt(effect)) pools_ = {};
  JsonWriter json(out);
  json.object([&] {
    json.member("effect", kWords[effect.index()]);
    std::visit([&](const auto& of_a_kind) { members(engine, of_a_kind, json); }, effect);
  });
  out += '\n';
}

void EffectJson::pool(const Engine& engine, UniqId uniq_id, JsonWriter& json) {
  const ResourceGraph& graph = engine.graph();
  const PoolId found = pools_.find(graph, uniq_id);
  if (found == kNoPool) {
    json.member("uniq_id", uniq_id);
  } else {
    json.member("path", graph.path(found, graph.dominant()));
  }
}

void EffectJson::grant(const Engine& engine, const EffectGrant& grant, JsonWriter& json) {
  job_member(grant.job, json);
  json.member("start", grant.start);
  json.member("end", grant.end);
  std::vector<EffectGrant::SelectedPools> own;  // the others are on the path to these
  std::ranges::copy_if(grant.taken, std::back_inserter(own),
                       &EffectGrant::SelectedPools::exclusive);
  json.array("pools", own, [&](const EffectGrant::SelectedPools& taken) {
    json.object([&] {
      pool(engine, taken.first, json);
      if (taken.count > 1) json.member("count", taken.count);
      const auto amount =
          std::ranges::find(grant.amounts, taken.first, &std::pair<UniqId, std::int64_t>::first);
      if (amount != grant.amounts.end()) json.member("units", amount->second);
    });
  });
  const Grant* has = engine.grant(grant.job);
  if (has != nullptr && !has->charges.needs.empty()) {
    json.member("hres", engine.charges_text(has->charges));
  }
}

void EffectJson::members(const Engine& engine, const effect::Granted& effect, JsonWriter& json) {
  grant(engine, effect.grant, json);
}
void EffectJson::members(const Engine& engine, const effect::Changed& effect, JsonWriter& json) {
  grant(engine, effect.grant, json);
}
void EffectJson::members(const Engine& /*engine*/, const effect::Cancelled& effect,
                         JsonWriter& json) {
  job_member(effect.job, json);
}
void EffectJson::members(const Engine& /*engine*/, const effect::Advanced& effect,
                         JsonWriter& json) {
  json.member("now", effect.now);
}
void EffectJson::members(const Engine& engine, const effect::Explored& effect, JsonWriter& json) {
  json.array("pools", effect.taken, [&](const EffectGrant::SelectedPools& taken) {
    json.object([&] { pool(engine, taken.first, json); });
  });
}
void EffectJson::members(const Engine& engine, const effect::StatusSet& effect, JsonWriter& json) {
  pool(engine, effect.pool, json);
  json.member("status", std::string_view(word(effect.status)));
}
void EffectJson::members(const Engine& engine, const effect::PropertySet& effect,
                         JsonWriter& json) {
  pool(engine, effect.pool, json);
  json.member("key", effect.key);
  json.member("value", effect.value);
}
void EffectJson::members(const Engine& engine, const effect::PropertyRemoved& effect,
                         JsonWriter& json) {
  pool(engine, effect.pool, json);
  json.member("key", effect.key);
}
void EffectJson::members(const Engine& engine, const effect::TagSet& effect, JsonWriter& json) {
  pool(engine, effect.pool, json);
  json.member("key", effect.key);
  json.member("value", effect.value);
}
void EffectJson::members(const Engine& engine, const effect::Attached& effect, JsonWriter& json) {
  json.array("subtrees", effect.subtrees, [&](const effect::Attached::Subtree& subtree) {
    json.object([&] {
      pool(engine, subtree.pools.empty() ? subtree.parent : subtree.pools.front().uniq_id, json);
      json.member("pools", subtree.pools.size());
    });
  });
}
void EffectJson::members(const Engine& /*engine*/, const effect::Removed& effect,
                         JsonWriter& json) {
  json.array("uniq_ids", effect.tops, [&](UniqId top) { json.value(top); });
  json.array("jobs", effect.left, [&](const EffectGrant& left) { job_value(left.job, json); });
}
void EffectJson::members(const Engine& /*engine*/, const effect::Compacted& /*effect*/,
                         JsonWriter& /*json*/) {}
void EffectJson::members(const Engine& /*engine*/, const effect::ResourcesAdded& effect,
                         JsonWriter& json) {
  json.array("resources", effect.spec.resources,
             [&](const ResourceSpec& resource) { json.value(resource.name); });
  new_charges(effect.new_charges, json);
}
void EffectJson::members(const Engine& /*engine*/, const effect::LayerRemoved& effect,
                         JsonWriter& json) {
  layer(effect.resource, effect.nodes, json);
  new_charges(effect.new_charges, json);
}
void EffectJson::members(const Engine& /*engine*/, const effect::LayerNodesSet& effect,
                         JsonWriter& json) {
  layer(effect.resource, effect.nodes, json);
  json.member("to", effect.to);
  new_charges(effect.new_charges, json);
}
void EffectJson::members(const Engine& /*engine*/, const effect::LayerCountSet& effect,
                         JsonWriter& json) {
  layer(effect.resource, effect.nodes, json);
  json.member("count", effect.count);
}
void EffectJson::members(const Engine& /*engine*/, const effect::LayerReserved& effect,
                         JsonWriter& json) {
  const LayerReservation& reservation = effect.reservation;
  json.member("id", reservation.id);
  layer(reservation.resource, reservation.nodes, json);
  json.member("count", reservation.count);
  json.member("start", reservation.start);
  json.member("end", reservation.end);
  json.array("jobs", reservation.jobs, [&](JobId job) { job_value(job, json); });
}
void EffectJson::members(const Engine& /*engine*/, const effect::LayerFreed& effect,
                         JsonWriter& json) {
  json.member("id", effect.id);
}

}  // namespace copse
