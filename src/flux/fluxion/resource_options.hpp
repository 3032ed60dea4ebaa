// SPDX-License-Identifier: Apache-2.0
//
// The options of Fluxion's modules sched-fluxion-resource and -feasibility, by the names that its
// manual gives them (flux-config-sched-fluxion-resource): arguments KEY=VALUE, or keys of a table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "copse/options.hpp"
#include "formats/output_request.hpp"

namespace copse::flux {

struct ResourceOptions {
  std::string load_file;               // empty: the inventory is Flux's
  std::string load_format{"rv1exec"};  // of load_file; grug, hwloc, jgf, …
  std::string load_allowlist;          // of hwloc
  std::string policy_name{"first"};
  Policy policy = *find_policy("first");
  Traverser traverser = Traverser::simple;
  std::string traverser_name{"simple"};
  Format match_format = Format::rv1_nosched;
  std::string prune_filters{"ALL:core,ALL:node"};
  std::string subsystems{"containment"};  // the dominant one first, separated by commas
  std::int64_t reserve_pools = 0;         // reserve-vtx-vec: shown, of no use here
  std::int64_t update_interval_s = 0;     // shown; answers are always those of now

  // An unknown match-format, load-format or number is passed over, as Fluxion does; the warning
  // says so, else it is empty. Errors: invalid, not_found (an unknown key, policy or traverser).
  [[nodiscard]] Result<std::string> set(std::string_view key, std::string_view value);

  // What is loaded: an R alone (rv1exec_force), or the JGF in it where there is one.
  [[nodiscard]] bool plain_r() const { return load_format == "rv1exec_force"; }
  [[nodiscard]] std::string dominant() const;
  [[nodiscard]] EngineOptions engine(std::int64_t now_s) const;
  // {"params": {…}}, as `flux ion-resource params` shows it.
  [[nodiscard]] std::string params() const;

 private:
  bool own_prune_filters_ = false;  // the default was replaced: further ones add up
};

}  // namespace copse::flux
