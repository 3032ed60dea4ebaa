// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_topology.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "formats/slurm/slurm_hosts.hpp"
#include "formats/slurm/slurm_lines.hpp"
#include "text/slurm_hostlist.hpp"

namespace copse {

namespace {

constexpr std::array<std::string_view, 6> kSwitchKeys{"SwitchName", "BlockName", "Nodes",
                                                      "Switches",   "LinkSpeed", "BlockSizes"};

}  // namespace

Result<void> read_slurm_topology(std::string_view text, std::string_view file, SlurmMachine& to) {
  const auto lines = read_slurm_lines(text, file);
  if (!lines) return std::unexpected(lines.error());
  const SlurmHosts known(to);
  for (const SlurmLine& line : *lines) {
    const std::string& key = line.settings.front().key;
    const bool block = same_key(key, "BlockName");
    if (!block && !same_key(key, "SwitchName")) continue;
    if (to.switches.size() == kSlurmSwitchesMax) {
      return fail(ErrorCode::limit, fmt::format("more than {} switches", kSlurmSwitchesMax),
                  line.place);
    }
    for (const SlurmSetting& setting : line.settings) {
      const bool is_known = std::ranges::any_of(
          kSwitchKeys, [&](std::string_view name) { return same_key(name, setting.key); });
      if (is_known) continue;
      return fail(ErrorCode::invalid,
                  unknown_word(fmt::format("key of {}", key), setting.key, kSwitchKeys),
                  line.place);
    }
    SlurmSwitch made{line.settings.front().value, block ? "block" : "switch", {}, {}, line.place};
    for (const auto& [name, hosts] :
         {std::pair{"Nodes", &made.nodes}, {"Switches", &made.switches}}) {
      const std::string* list = line.find(name);
      if (list == nullptr) continue;
      auto expanded = expand_slurm_hosts(*list, kSlurmNodesMax);
      if (!expanded) return fail(expanded.error().code, expanded.error().text, line.place);
      *hosts = std::move(*expanded);
    }
    if (const std::string unknown = known.find(made.nodes).unknown_text(); !unknown.empty()) {
      to.remarks.push_back(Error{ErrorCode::not_found, unknown, line.place}.message());
    }
    to.switches.push_back(std::move(made));
  }
  return {};
}

}  // namespace copse
