// SPDX-License-Identifier: Apache-2.0
//
// Engines that are cloned in the middle of a stream of events: one of the two continues the stream;
// the other gets other changes, which must not affect the first.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "copse/engine.hpp"
#include "property/random.hpp"

namespace copse::property {

class LeftBehind {
 public:
  explicit LeftBehind(std::uint64_t seed) : random_(seed) {}

  // Puts the clone or the original in `engine`, and changes the other, which lives until the next
  // call. Returns "" if the two were equal and the one in `engine` is unchanged; else the
  // difference.
  std::string split(std::unique_ptr<Engine>& engine) {
    const std::uint64_t before = engine->fingerprint();
    other_ = engine->clone();
    if (other_->fingerprint() != before) return "the clone has another fingerprint";
    if (other_->jobs() != engine->jobs()) return "the clone has other jobs";
    if (random_.chance(70)) std::swap(engine, other_);
    disturb();
    return engine->fingerprint() == before ? "" : "what one does changes the other";
  }
  [[nodiscard]] bool now(std::uint64_t percent) { return random_.chance(percent); }

 private:
  void disturb() {
    Engine& e = *other_;
    for (const JobId job : e.jobs()) {
      if (random_.chance(50)) (void)e.cancel(job);
    }
    const ResourceGraph& graph = e.graph();
    for (int times = 3; times > 0; --times) {
      const PoolId p{static_cast<std::uint32_t>(random_.below(graph.pool_count()))};
      if (graph.removed(p)) continue;
      e.set_status(p, random_.chance(50) ? Status::down : Status::up);
      e.set_property(p, "left", "behind");
      const PoolId pools[] = {p};
      if (graph.in_tree(p)) (void)e.update(1'000'000, pools, e.now(), 10);
    }
    (void)e.advance(e.now() + random_.between(0, 50));
    const PoolId top{static_cast<std::uint32_t>(random_.below(graph.pool_count()))};
    if (random_.chance(30)) (void)e.remove({&top, 1});
    if (random_.chance(10)) (void)e.compact();
  }

  Random random_;
  std::unique_ptr<Engine> other_;
};

}  // namespace copse::property
