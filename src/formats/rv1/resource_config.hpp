// SPDX-License-Identifier: Apache-2.0
//
// The table [resource] of Flux's configuration (TOML), as far as it describes the resources:
//
//   [resource]
//   path = "R.json"              # an R, instead of the array
//   scheduling = "topo.json"     # the key `scheduling` of the R
//   [[resource.config]]
//   hosts = "node[0-9]"          # a hostlist; must be given
//   cores = "0-3"                # idsets of each of these hosts
//   gpus = "0"
//   properties = ["fast"]
//
// Hosts get ranks in the order in which they are named first; several entries of a host add up.
// Other tables are skipped, and other keys of [resource] except those that are similar to one of
// these; other keys of an entry are an error. The caller reads the files that it names.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/known_key.hpp"
#include "copse/error.hpp"
#include "rset/rset.hpp"

namespace copse {

inline constexpr std::array<KnownKey, 3> kResourceConfigKeys{
    {{"path", KnownKey::kText}, {"scheduling", KnownKey::kText}, {"config", KnownKey::kList}}};
inline constexpr std::array<KnownKey, 4> kResourceConfigEntryKeys{
    {{"hosts", KnownKey::kText},
     {"cores", KnownKey::kText},
     {"gpus", KnownKey::kText},
     {"properties", KnownKey::kList}}};

struct ResourceConfig {
  std::optional<RSet> r;         // of the array; none if there is no array
  std::string path, scheduling;  // as written; empty: not given
};

// Errors, with line and column: invalid (no TOML; a rule of the table), limit; unsupported if Copse
// was built without a reader of TOML. O(length of the text + hosts named × log).
[[nodiscard]] Result<ResourceConfig> read_resource_config(std::string_view text,
                                                          std::string_view file = {});

}  // namespace copse
