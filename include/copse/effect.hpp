// SPDX-License-Identifier: Apache-2.0
//
// Effects: what each change of an engine did, in terms that stay valid in later versions.
//
// An effect has the result of a call, not its arguments: which pools a job has, and when; not how
// they were found. Pools are named by their uniq_id, layers by number, channels and types by name.
// Applying the effects of an engine to an equal engine makes both equal again: same fingerprint,
// same next answers. A later version may match differently, but keeps what was granted.
//
//   struct Journal : copse::EffectSink { void take(const copse::Effect& e) override { … } };
//   engine->observe(&journal);     // from here
//   replica->apply(effect);        // elsewhere, later
//
// An effect omits what follows from it by fixed rules: which grants end when the clock moves, where
// `first` searches next (by the pools granted and what is free of them), and the numbers of grants.
//
// Cost: for a match of one core about 30 ns and 30 bytes (save/effect_codec.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "copse/grant.hpp"
#include "copse/hres.hpp"
#include "copse/status.hpp"

namespace copse {

using UniqId = std::int64_t;  // ResourceGraph::uniq_id(); REQUIRES that no two pools share one

// The charges of a grant (GrantCharges) in stable terms.
struct EffectCharges {
  struct Pool {  // charged along a channel; `pool` caused the charge
    UniqId pool = 0;
    std::string channel;
    std::int64_t amount = 0;
    bool operator==(const Pool&) const = default;
  };
  struct Capacity {  // charged to a capacity
    UniqId pool = 0;
    std::string subsystem;
    std::int64_t amount = 0;
    bool operator==(const Capacity&) const = default;
  };
  std::vector<HresNeed> needs;
  std::vector<LayerCharge> layers;
  std::vector<Pool> pools;
  std::vector<Capacity> capacities;
  bool operator==(const EffectCharges&) const = default;
};

// A Grant (copse/grant.hpp) in stable terms.
struct EffectGrant {
  struct SelectedPools {
    UniqId first = 0;
    std::uint32_t count = 1;
    bool exclusive = false, whole = false, hidden = false;
    bool operator==(const SelectedPools&) const = default;
  };
  std::uint64_t job = 0;
  std::int64_t start = 0, end = 0, nslots = 0;
  std::vector<SelectedPools> taken;
  std::vector<std::pair<UniqId, UniqId>> moved;
  EffectCharges charges;
  std::vector<std::pair<UniqId, std::int64_t>> amounts{};  // units of divisible pools
  bool operator==(const EffectGrant&) const = default;
};

namespace effect {

struct Granted {  // the job had no grant
  EffectGrant grant;
  bool operator==(const Granted&) const = default;
};
struct Changed {  // the grant of a job has other pools, or other times
  EffectGrant grant;
  bool matched = false;  // by a match, which moves the order of `first`; else pools were released
  bool operator==(const Changed&) const = default;
};
struct Cancelled {
  std::uint64_t job = 0;
  bool operator==(const Cancelled&) const = default;
};
struct Advanced {
  std::int64_t now = 0;
  bool operator==(const Advanced&) const = default;
};
struct Explored {  // a match that granted nothing, under a policy with an exploration order
  std::vector<EffectGrant::SelectedPools> taken;
  bool operator==(const Explored&) const = default;
};
struct StatusSet {
  UniqId pool = 0;
  Status status = Status::up;
  bool operator==(const StatusSet&) const = default;
};
struct PropertySet {
  UniqId pool = 0;
  std::string key, value;
  bool operator==(const PropertySet&) const = default;
};
struct TagSet {
  UniqId pool = 0;
  std::string key, value;
  bool operator==(const TagSet&) const = default;
};
struct Attached {
  struct Pool {  // NewPool (copse/graph_change.hpp) with names instead of ids
    std::uint32_t parent = UINT32_MAX;
    std::string type, basename, unit, name;
    std::int64_t size = 1, id = -1;
    std::int32_t rank = -1;
    UniqId uniq_id = 0;
    bool down = false;
    std::map<std::string, std::string> properties;
    bool operator==(const Pool&) const = default;
  };
  struct Subtree {
    UniqId parent = 0;
    std::vector<Pool> pools;
    bool operator==(const Subtree&) const = default;
  };
  std::vector<std::string> types;  // names of new types, in the order of interning
  std::vector<Subtree> subtrees;
  bool rebuilt = false;  // the graph was built again: pools have other numbers
  bool operator==(const Attached&) const = default;
};
struct Removed {
  std::vector<UniqId> tops;
  std::vector<EffectGrant> left;  // by job: what is left to each job that lost pools
  bool rebuilt = false;
  bool operator==(const Removed&) const = default;
};
struct Compacted {
  bool operator==(const Compacted&) const = default;
};
// By job: the charges of the jobs for which a change of layers changed them.
using NewCharges = std::vector<std::pair<std::uint64_t, EffectCharges>>;
struct ResourcesAdded {
  HresSpec spec;
  NewCharges new_charges;
};
struct LayerRemoved {
  std::string resource, nodes;
  NewCharges new_charges;
};
struct LayerNodesSet {
  std::string resource, nodes, to;
  NewCharges new_charges;
};
struct LayerCountSet {
  std::string resource, nodes;
  std::int64_t count = 0;
};
struct LayerReserved {
  LayerReservation reservation;
};
struct LayerFreed {
  std::string id;
};
struct PropertyRemoved {
  UniqId pool = 0;
  std::string key;
  bool operator==(const PropertyRemoved&) const = default;
};

}  // namespace effect

// The index of an alternative is its number in the binary form: add new ones at the end.
using Effect =
    std::variant<effect::Granted, effect::Changed, effect::Cancelled, effect::Advanced,
                 effect::Explored, effect::StatusSet, effect::PropertySet, effect::TagSet,
                 effect::Attached, effect::Removed, effect::Compacted, effect::ResourcesAdded,
                 effect::LayerRemoved, effect::LayerNodesSet, effect::LayerCountSet,
                 effect::LayerReserved, effect::LayerFreed, effect::PropertyRemoved>;

// Receives each effect after the change. The effect is valid until take() returns.
class EffectSink {
 public:
  virtual ~EffectSink() = default;
  virtual void take(const Effect& effect) = 0;
};

}  // namespace copse
