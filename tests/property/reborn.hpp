// SPDX-License-Identifier: Apache-2.0
//
// Engines by other ways. Saved and loaded: the same fingerprint, and a save of what was loaded is
// the same, byte for byte. By its effects: a twin that is told what an engine did, through their
// binary form, has its fingerprint after each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "copse/engine.hpp"
#include "save/effect_codec.hpp"

namespace copse::property {

// "" if all is well, else what is not; then `engine` is as it was. Prepared requests must be
// prepared again, and the engine observed again.
[[nodiscard]] std::string save_and_load(std::unique_ptr<Engine>& engine);

class Twin : public EffectSink {
 public:
  // Becomes the twin of an engine, and observes it. REQUIRES that the engine lives as long.
  [[nodiscard]] std::string follow(Engine& engine);
  void take(const Effect& effect) override;
  // Does what the engine did since the last call; "" if both are the same then.
  [[nodiscard]] std::string catch_up();
  // The twin in place of its engine, and a new twin of that.
  [[nodiscard]] std::string swap(std::unique_ptr<Engine>& engine);
  // The twin, which follows nobody any more.
  [[nodiscard]] std::unique_ptr<Engine> leave() { return std::move(twin_); }

 private:
  Engine* engine_ = nullptr;
  std::unique_ptr<Engine> twin_;
  EffectWriter writer_;
  std::string stream_;
};

}  // namespace copse::property
