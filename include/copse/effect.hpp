// SPDX-License-Identifier: Apache-2.0
//
// Effects: what each change of an engine did, in words that mean the same tomorrow.
//
// An effect says what came of a call, never what was asked: a job has these pools over these times,
// not how they were found. Pools are named by their uniq_id, layers by number, channels and types
// by word. Applying the effects of an engine to an engine that was its equal makes it its equal
// again: the same fingerprint, the same next answers. A later version may match otherwise; what was
// granted stays granted.
//
//   struct Journal : copse::EffectSink { void take(const copse::Effect& e) override { … } };
//   engine->observe(&journal);     // from now on
//   replica->apply(effect);        // elsewhere, later
//
// What an effect leaves out follows from it by rules that do not change: which grants are over when
// the clock moves (those that have ended), where `first` looks next (the pools granted, and what is
// free of them), numbers of grants.
//
// Cost: for a match of one core about 30 ns and 30 bytes (save/effect_codec.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "copse/hres.hpp"
#include "copse/status.hpp"

namespace copse {

using UniqId = std::int64_t;  // ResourceGraph::uniq_id(); REQUIRES that no two pools share one

// What a grant draws (copse/hres.hpp).
struct EffectCharges {
  struct Pool {  // along a channel, by the pool that draws it
    UniqId pool = 0;
    std::string channel;
    std::int64_t amount = 0;
    bool operator==(const Pool&) const = default;
  };
  struct Capacity {  // of a capacity
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

// What a job has: Grant (copse/engine.hpp) in stable words.
struct EffectGrant {
  struct Taken {
    UniqId first = 0;
    std::uint32_t count = 1;
    bool exclusive = false, whole = false, hidden = false;
    bool operator==(const Taken&) const = default;
  };
  std::uint64_t job = 0;
  std::int64_t start = 0, end = 0, nslots = 0;
  std::vector<Taken> taken;
  std::vector<std::pair<UniqId, UniqId>> moved;
  EffectCharges charges;
  bool operator==(const EffectGrant&) const = default;
};

namespace effect {

struct Granted {  // to a job that had nothing
  EffectGrant grant;
  bool operator==(const Granted&) const = default;
};
struct Changed {  // a job has something else from now on, or at another time
  EffectGrant grant;
  bool matched = false;  // by a match, which `first` remembers; else something was given back
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
struct Explored {  // a match without a grant, under a policy that remembers where it looked
  std::vector<EffectGrant::Taken> taken;
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
  struct Pool {  // NewPool (copse/graph_change.hpp) in words
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
  std::vector<std::string> types;  // words for types that are new, in the order they came
  std::vector<Subtree> subtrees;
  bool rebuilt = false;  // the graph was built again: pools have other numbers
  bool operator==(const Attached&) const = default;
};
struct Removed {
  std::vector<UniqId> tops;
  std::vector<EffectGrant> left;  // what jobs still have that lost something, by job
  bool rebuilt = false;
  bool operator==(const Removed&) const = default;
};
struct Compacted {
  bool operator==(const Compacted&) const = default;
};
// What jobs draw after layers changed: those that draw something else, by job.
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

// The numbers of the alternatives are those of the binary form: new ones come at the end.
using Effect =
    std::variant<effect::Granted, effect::Changed, effect::Cancelled, effect::Advanced,
                 effect::Explored, effect::StatusSet, effect::PropertySet, effect::TagSet,
                 effect::Attached, effect::Removed, effect::Compacted, effect::ResourcesAdded,
                 effect::LayerRemoved, effect::LayerNodesSet, effect::LayerCountSet,
                 effect::LayerReserved, effect::LayerFreed, effect::PropertyRemoved>;

// Who is told of effects, after each has happened. The effect is good until take() returns.
class EffectSink {
 public:
  virtual ~EffectSink() = default;
  virtual void take(const Effect& effect) = 0;
};

}  // namespace copse
