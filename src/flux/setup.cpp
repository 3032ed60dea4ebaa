// SPDX-License-Identifier: Apache-2.0
#include "flux/setup.hpp"

#include <utility>

#include "flux/machine.hpp"
#include "formats/hres/hres.hpp"

namespace copse::flux {

namespace {

constexpr std::int64_t kCentury_s = 3'153'600'000;

Result<std::unique_ptr<Engine>> new_engine(const Setup& setup, const RSet& all) {
  EngineOptions options;
  options.policy = setup.policy;
  options.traverser = setup.traverser.value_or(all.layouts.layouts.empty() ? Traverser::simple
                                                                           : Traverser::treepool);
  options.now = setup.now_s;
  options.horizon = setup.now_s + kCentury_s;
  if (setup.machine_text.empty() && setup.topologies.empty()) {
    return engine_of_r(setup.inventory, all, true, std::move(options));
  }
  auto engine = setup.machine_text.empty()
                    ? engine_of_topologies(setup.topologies, std::move(options))
                    : engine_of_file(setup.machine_text, setup.machine, std::move(options));
  if (!engine) return engine;
  if (auto ok = keep_ranks(**engine, all); !ok) return std::unexpected(ok.error());
  return engine;
}

}  // namespace

Result<std::shared_ptr<Engine>> engine_of(const Setup& setup, const RSet& all) {
  std::shared_ptr<Engine> engine = setup.engine;
  if (engine == nullptr) {
    auto made = new_engine(setup, all);
    if (!made) return std::unexpected(made.error());
    engine = std::move(*made);
  }
  if (!setup.hres.empty()) {
    const auto spec = read_hres(setup.hres, setup.hres_file);
    if (!spec) return std::unexpected(spec.error());
    if (auto ok = engine->add_resources(*spec, setup.hres_file); !ok) {
      return std::unexpected(ok.error());
    }
  }
  return engine;
}

}  // namespace copse::flux
