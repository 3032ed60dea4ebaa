// SPDX-License-Identifier: Apache-2.0
//
// Effects: tells a sink what an engine did (copse/effect.hpp). Without a sink it costs a visit of a
// pointer. A value that is kept makes room once: an effect of a match takes no memory.
//
// REQUIRES of each call that the engine has a sink (on()), and of its pools that they are there.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "copse/effect.hpp"
#include "copse/engine.hpp"
#include "hres/channels.hpp"

namespace copse {

// A grant in stable words. `channels`: nullptr if the engine has none.
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
  // What is going to be attached, before it is: with the uniq_ids that it will get.
  [[nodiscard]] effect::Attached attaching(const ResourceGraph& graph,
                                           std::span<const NewSubtree> subtrees) const;
  void note_types(const ResourceGraph& graph) { types_seen_ = graph.names().types.size(); }

  // Nothing is told while one of these lives: an effect is being applied as a whole.
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
  std::uint32_t types_seen_ = 0;  // words for types that sinks know of
  Effect granted_ = effect::Granted{};
};

}  // namespace copse
