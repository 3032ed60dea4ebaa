// SPDX-License-Identifier: Apache-2.0
//
// resources.yaml: hierarchical resources as Slurm writes them.
//
//   - resource: power            # a name: no blanks, control characters, or , ; | : = ( )
//     mode: MODE_3               # MODE_1, MODE_2, MODE_3, in any case
//     topology: blok1            # optional
//     variables:                 # optional
//       - {name: full_node, value: 1000}
//       - {name: full_node, value: 5000, property: gpu}  # on nodes that have it; mode 3
//     layers:
//       - nodes: ["node[01-08]"] # a hostlist or a list of them
//         count: 40000           # 0 to 2^63 - 1, or -1: no bound
//         base:                  # optional: always in use
//           - {name: storage, value: 5000}
//
// Keys may stand in any order; others are passed over, as Slurm does, but for those that are nearly
// one of these: a misspelt "base" would be in use nowhere. Lists may be empty. Integers
// are decimal and without quotes. An optional key whose value is null is as if it were not there; a
// required one is refused. Resources of one name have one mode. What the file says of the machine
// (whether there are such nodes, whether layers make a tree) is checked when an HresTable is made of
// it, and so is what it says in sum (base and count). Anchors, aliases and keys given twice are
// refused. Cost: some 40 bytes for each word and bracket of the text while it is read, and what is
// returned.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/known_key.hpp"
#include "copse/hres.hpp"

namespace copse {

// What a file may hold; also 64 MiB of text and 8 million words and brackets.
inline constexpr std::size_t kHresResourcesMax = 10'000;
inline constexpr std::size_t kHresLayersMax = 1'000'000;     // of all resources
inline constexpr std::size_t kHresHostlistsMax = 2'000'000;  // of all layers
inline constexpr std::size_t kHresNameBytesMax = 1024;       // of resources, variables, labels

// What is passed over is not looked at; null is as if an optional key were not there.
inline constexpr std::array<KnownKey, 5> kHresResourceKeys{
    {{"resource", KnownKey::kText | KnownKey::kNumber | KnownKey::kTruth},
     {"mode", KnownKey::kText},
     {"topology", KnownKey::kText | KnownKey::kNumber | KnownKey::kTruth | KnownKey::kNull},
     {"variables", KnownKey::kList | KnownKey::kNull},
     {"layers", KnownKey::kList}}};
inline constexpr std::array<KnownKey, 3> kHresLayerKeys{
    {{"nodes", KnownKey::kText | KnownKey::kNumber | KnownKey::kTruth | KnownKey::kList},
     {"count", KnownKey::kNumber},
     {"base", KnownKey::kList | KnownKey::kNull}}};
inline constexpr std::array<KnownKey, 3> kHresVariableKeys{
    {{"name", KnownKey::kText | KnownKey::kNumber | KnownKey::kTruth},
     {"value", KnownKey::kNumber},
     {"property", KnownKey::kText | KnownKey::kNumber | KnownKey::kTruth | KnownKey::kNull}}};
inline constexpr KnownKeys kHresBaseKeys = KnownKeys(kHresVariableKeys).first(2);

// Errors, with line and column: invalid (no YAML; a rule of the above), limit. O(length).
[[nodiscard]] Result<HresSpec> read_hres(std::string_view text, std::string_view file = {});

}  // namespace copse
