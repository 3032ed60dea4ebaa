// SPDX-License-Identifier: Apache-2.0
//
// EffectJson: effects as JSON, one object per line:
//
//   {"effect": "granted", "job": 1, "start": 0, "end": 60, "pools": [{"path": "/desk0/…/core2",
//    "count": 2}]}    (pools that it has exclusively; count: including the following ones)
//
// It shows the result of an effect on an engine that has just applied it. It is not a second form
// of the stream: data that only replaying needs are left out.
#pragma once

#include <string>

#include "copse/effect.hpp"
#include "copse/engine.hpp"
#include "engine/pool_index.hpp"
#include "text/json_writer.hpp"

namespace copse {

class EffectJson {
 public:
  // Appends one line. REQUIRES that `engine` is the one of the last call, and has just applied the
  // effect. O(what the effect has); the first time for each graph O(pools).
  void append(const Engine& engine, const Effect& effect, std::string& out);

 private:
  void members(const Engine& engine, const effect::Granted& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::Changed& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::Cancelled& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::Advanced& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::Explored& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::StatusSet& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::PropertySet& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::TagSet& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::Attached& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::Removed& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::Compacted& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::ResourcesAdded& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::LayerRemoved& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::LayerNodesSet& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::LayerCountSet& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::LayerReserved& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::LayerFreed& effect, JsonWriter& json);
  void members(const Engine& engine, const effect::PropertyRemoved& effect, JsonWriter& json);

  void grant(const Engine& engine, const EffectGrant& grant, JsonWriter& json);
  void pool(const Engine& engine, UniqId uniq_id, JsonWriter& json);

  PoolIndex pools_;
};

}  // namespace copse
