// SPDX-License-Identifier: Apache-2.0
//
// Generic resources as Slurm writes them: "gpu:a100:4(S:0-1),shard:8,local:500G" of nodes,
// "gpu:a100:2(IDX:0-1)" of what a job has on a node, "gres/gpu:2" or "gres:gpu:2" of requests.
//
//   list  = [ item *( "," item ) ]  /  "(null)"  /  "N/A"
//   item  = [ "gres" ( "/" / ":" ) ] name *( sep word ) [ "(" note ")" ]
//   sep   = ":" / "="
//   word  = type / "no_consume" / count                 the count comes last; without one it is 1
//   count = 1*digit [ "K" / "M" / "G" / "T" / "P" ]      in upper or lower case
//   note  = "S:" sockets  /  "IDX:" ids  /  "CNT:" count
//
// Sources: slurm.conf(5), Gres; squeue(1); scontrol(1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/idset.hpp"
#include "copse/error.hpp"

namespace copse {

struct SlurmGres {
  std::string name;
  std::string type;  // "" if it has none
  std::int64_t count = 1;
  Idset ids;      // of IDX; empty: not given
  Idset cores{};  // near to it, of gres.conf; empty: not given
};

inline constexpr std::size_t kGresKindsMax = 64;  // of one node

// A number of 0 to 2^53, with K, M, G, T or P after it, each 1,024 times the one before.
[[nodiscard]] std::optional<std::int64_t> gres_count(std::string_view text);

// "" and "(null)" are none. What has no_consume is left out: jobs do not hold it.
// Errors: invalid (a count, a name), limit. O(length).
[[nodiscard]] Result<std::vector<SlurmGres>> parse_gres(std::string_view text);

}  // namespace copse
