// SPDX-License-Identifier: Apache-2.0
//
// Engines made in other ways. Saved and loaded: the same fingerprint, and a second save is the same,
// byte for byte. By its effects: a twin that applies the effects of an engine, through their
// binary form, has its fingerprint after each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "copse/engine.hpp"
#include "save/effect_codec.hpp"

namespace copse::property {

// "" or the fault; then `engine` is as it was. Prepared requests must be
// prepared again, and the engine observed again.
[[nodiscard]] std::string save_and_load(std::unique_ptr<Engine>& engine);

class Twin : public EffectSink {
 public:
  // Becomes the twin of an engine, and observes it. REQUIRES that the engine exists as long.
  [[nodiscard]] std::string follow(Engine& engine);
  void take(const Effect& effect) override;
  // Does what the engine did since the last call; "" if both are then equal.
  [[nodiscard]] std::string catch_up();
  // The twin in place of its engine, and a new twin of that.
  [[nodiscard]] std::string swap(std::unique_ptr<Engine>& engine);
  // The twin, which no longer follows an engine.
  [[nodiscard]] std::unique_ptr<Engine> leave() { return std::move(twin_); }

 private:
  Engine* engine_ = nullptr;
  std::unique_ptr<Engine> twin_;
  EffectWriter writer_;
  std::string stream_;
};

}  // namespace copse::property
