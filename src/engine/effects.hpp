// SPDX-License-Identifier: Apache-2.0
//
// EffectNotifier: reports effects to a sink (copse/effect.hpp). Without a sink, the cost is one
// check of a pointer. The effect of a match reuses its memory.
//
// Each call REQUIRES that the engine has a sink (on()), and that its pools exist.
#pragma once

#include <cstdint>
#include <span>

#include "copse/effect.hpp"
#include "copse/engine.hpp"
#include "hres/channels.hpp"

namespace copse {

// A grant in stable terms. `channels`: nullptr if the engine has none.
void describe(const ResourceGraph& graph, const Channels* channels, const Grant& grant,
              EffectGrant& out);
void describe(const ResourceGraph& graph, const Channels* channels, const GrantCharges& charges,
              EffectCharges& out);

class EffectNotifier {
 public:
  [[nodiscard]] bool on() const { return sink_ != nullptr && suppressed_ == 0; }
  void observe(EffectSink* sink, const ResourceGraph& graph) {
    sink_ = sink;
    note_types(graph);
  }
  void take(const Effect& effect) { sink_->take(effect); }
  void granted(const ResourceGraph& graph, const Channels* channels, const Grant& grant);
  void changed(const ResourceGraph& graph, const Channels* channels, const Grant& grant,
               bool matched);
  void explored(const ResourceGraph& graph, const Selection& selection);
  // The effect of attaching, before it happens: with the uniq_ids that pools will get.
  [[nodiscard]] effect::Attached attaching(const ResourceGraph& graph,
                                           std::span<const NewSubtree> subtrees) const;
  void note_types(const ResourceGraph& graph) { types_seen_ = graph.names().types.size(); }

  // Suppresses reports while an object of this class exists: a larger effect is being applied.
  class Suppressed {
   public:
    explicit Suppressed(EffectNotifier& effects) : effects_(effects) { ++effects.suppressed_; }
    ~Suppressed() { --effects_.suppressed_; }
    Suppressed(const Suppressed&) = delete;
    Suppressed& operator=(const Suppressed&) = delete;

   private:
    EffectNotifier& effects_;
  };

 private:
  EffectSink* sink_ = nullptr;
  int suppressed_ = 0;
  std::uint32_t types_seen_ = 0;  // number of types that were reported
  Effect granted_ = effect::Granted{};
};

}  // namespace copse
