// SPDX-License-Identifier: Apache-2.0
//
// The options of Fluxion's modules sched-fluxion-resource and -feasibility, with the names of its
// manual (flux-config-sched-fluxion-resource): arguments KEY=VALUE, or keys of a table.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "copse/engine.hpp"
#include "formats/output_request.hpp"

namespace copse::flux {

struct ResourceOptions {
  std::string load_file;               // empty: the machine comes from Flux
  std::string load_format{"rv1exec"};  // of load_file; grug, hwloc, jgf, …
  std::string load_allowlist;          // of hwloc
  std::string policy_name{"first"};
  Policy policy = *find_policy("first");
  Traverser traverser = Traverser::simple;
  Format match_format = Format::rv1_nosched;
  std::string prune_filters{"ALL:core,ALL:node"};
  std::string subsystems{"containment"};  // the dominant one first, separated by commas
  std::int64_t reserve_pools = 0;         // reserve-vtx-vec: shown by params(), has no effect
  std::int64_t update_interval_s = 0;     // shown by params(); answers are always current

  // An unknown match-format, load-format or number is ignored, as in Fluxion. Returns a warning about
  // that, or "". Errors: invalid, not_found (an unknown key, policy or traverser).
  [[nodiscard]] Result<std::string> set(std::string_view key, std::string_view value);

  // Load an R without the JGF in it (rv1exec_force).
  [[nodiscard]] bool plain_r() const { return load_format == "rv1exec_force"; }
  [[nodiscard]] std::string dominant() const;
  [[nodiscard]] EngineOptions engine(std::int64_t now_s) const;
  // An engine on the machine of load_file. REQUIRES a load_file. Errors: io, and those of
  // engine_of_file().
  [[nodiscard]] Result<std::unique_ptr<Engine>> load_engine(std::int64_t now_s) const;
  // {"params": {…}}, as `flux ion-resource params` shows it.
  [[nodiscard]] std::string params() const;

 private:
  bool own_prune_filters_ = false;  // prune-filters replaced the default; further ones are added
};

}  // namespace copse::flux
