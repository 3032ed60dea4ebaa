// SPDX-License-Identifier: Apache-2.0
//
// Engines made in other ways. Saved and loaded: the same fingerprint, and a save of the loaded
// engine is byte for byte the same. By effects: a twin that replays the effects of an engine, in
// their binary form, has its fingerprint after each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "copse/engine.hpp"
#include "save/effect_codec.hpp"

namespace copse::property {

// "" on success, else the difference; then `engine` is unchanged. Afterwards prepared requests must
// be prepared again, and the engine observed again.
[[nodiscard]] std::string save_and_load(std::unique_ptr<Engine>& engine);

class Twin : public EffectSink {
 public:
  // Makes a twin of an engine and observes the engine. REQUIRES that the engine outlives this.
  [[nodiscard]] std::string follow(Engine& engine);
  void take(const Effect& effect) override;
  // Replays the engine's effects since the last call; "" if both are then equal.
  [[nodiscard]] std::string catch_up();
  // The twin replaces its engine, and gets a new twin.
  [[nodiscard]] std::string swap(std::unique_ptr<Engine>& engine);
  // The twin, which then follows no engine.
  [[nodiscard]] std::unique_ptr<Engine> leave() { return std::move(twin_); }

 private:
  Engine* engine_ = nullptr;
  std::unique_ptr<Engine> twin_;
  EffectWriter writer_;
  std::string stream_;
};

}  // namespace copse::property
