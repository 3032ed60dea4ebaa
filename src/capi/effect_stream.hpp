// SPDX-License-Identifier: Apache-2.0
//
// EffectStream: the effects of an engine as bytes, handed to the sink of a program in C.
#pragma once

#include <string>

#include "copse.h"
#include "copse/effect.hpp"
#include "copse/engine.hpp"
#include "save/effect_codec.hpp"

namespace copse::capi {

class EffectStream : public EffectSink {
 public:
  // Writes the head of a stream, and the state.
  EffectStream(const copse_sink& sink, const Engine& engine);
  void take(const Effect& effect) override;

 private:
  void hand_over();

  copse_sink sink_;
  EffectWriter writer_;
  std::string bytes_;
};

}  // namespace copse::capi
