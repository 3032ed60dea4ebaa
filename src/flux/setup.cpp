// SPDX-License-Identifier: Apache-2.0
#include "flux/setup.hpp"

#include <utility>

#include "formats/hres/hres.hpp"

namespace copse::flux {

namespace {

constexpr std::int64_t kCentury_s = 3'153'600'000;

Result<InstanceMachine> new_machine(const Setup& setup, const RSet& all) {
  EngineOptions options;
  options.policy = setup.policy;
  options.traverser = setup.traverser.value_or(all.layouts.layouts.empty() ? Traverser::simple
                                                                           : Traverser::treepool);
  options.now = setup.now_s;
  options.horizon = setup.now_s + kCentury_s;
  if (setup.machine_text.empty() && setup.topologies.empty()) {
    return machine_of_r(setup.inventory, all, !setup.plain, std::move(options),
                        setup.policy_by_levels);
  }
  const bool from_file = !setup.machine_text.empty();
  auto engine = from_file ? engine_of_file(setup.machine_text, setup.machine, std::move(options),
                                           setup.policy_by_levels)
                          : engine_of_topologies(setup.topologies, std::move(options),
                                                 setup.policy_by_levels);
  if (!engine) return std::unexpected(engine.error());
  if (auto ok = keep_ranks(**engine, all); !ok) return std::unexpected(ok.error());
  return InstanceMachine{
      .engine = std::move(*engine),
      .source = from_file ? std::string(setup.machine.file) : "hwloc of each rank",
      .remarks = {}};
}

}  // namespace

Result<InstanceMachine> machine_of(const Setup& setup, const RSet& all) {
  InstanceMachine machine{.engine = setup.engine, .source = {}, .remarks = {}};
  if (setup.engine == nullptr) {
    auto made = new_machine(setup, all);
    if (!made) return made;
    machine = std::move(*made);
  }
  if (!setup.hres.empty()) {
    const auto spec = read_hres(setup.hres, setup.hres_file);
    if (!spec) return std::unexpected(spec.error());
    if (auto ok = machine.engine->add_resources(*spec, setup.hres_file); !ok) {
      return std::unexpected(ok.error());
    }
  }
  return machine;
}

}  // namespace copse::flux
