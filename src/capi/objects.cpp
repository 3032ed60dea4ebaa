// SPDX-License-Identifier: Apache-2.0
#include "capi/objects.hpp"

#include <array>

#include "capi/effect_stream.hpp"

namespace copse::capi {

EngineCore::EngineCore(std::unique_ptr<Engine> engine_in) : engine(std::move(engine_in)) {}
EngineCore::~EngineCore() = default;

std::unexpected<Failure> bad_handle(copse_code code, Kind kind) {
  constexpr std::array<const char*, 5> kNames{"", "machine", "engine", "request", "queue"};
  const std::string name = kNames.at(static_cast<std::size_t>(kind));
  return refuse(code, code == COPSE_BUSY ? "another call is using this " + name
                                         : "the handle does not refer to an existing " + name);
}

Outcome<EngineUse> EngineUse::of(std::shared_ptr<EngineCore> core, Access access) {
  if (access == Access::write && core->queued.load()) {
    return refuse(COPSE_BUSY, "the engine has a queue, which alone changes it");
  }
  if (core->used.exchange(true, std::memory_order_acquire)) {
    return refuse(COPSE_BUSY, "another call is using this engine");
  }
  return EngineUse(std::move(core));
}

Outcome<void> give_engine(std::unique_ptr<Engine> engine, copse_engine** out) {
  return give(std::make_unique<EngineObject>(std::make_shared<EngineCore>(std::move(engine))), out);
}

}  // namespace copse::capi
