// SPDX-License-Identifier: Apache-2.0
//
// EffectStream: writes the effects of an engine as bytes to the sink of a C program.
#pragma once

#include <string>

#include "copse.h"
#include "copse/effect.hpp"
#include "copse/engine.hpp"
#include "save/effect_codec.hpp"

namespace copse::capi {

class EffectStream : public EffectSink {
 public:
  // Writes the head of the stream, and the state.
  EffectStream(const copse_sink& sink, const Engine& engine);
  void take(const Effect& effect) override;

 private:
  void hand_over();

  copse_sink sink_;
  EffectWriter writer_;
  std::string bytes_;
};

}  // namespace copse::capi
