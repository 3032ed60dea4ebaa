// SPDX-License-Identifier: Apache-2.0
//
// A set of resources out of a graph, as JGF: what a match wrote, or what is to be attached. Plain
// values; they outlive the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/idset.hpp"
#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "formats/jgf/jgf_text.hpp"

namespace copse {

// With the defaults of jgf_text.hpp filled in; `name` is always set.
struct JgfNode {
  std::string outer_id, type, basename, name, unit;
  std::int64_t id = -1, uniq_id = 0, size = 1;
  std::int32_t rank = -1;
  bool exclusive = false;
  bool down = false;
  bool drawn = false;  // a capacity of an auxiliary subsystem: `size` is what was drawn from it
  std::vector<std::pair<std::string, std::string>> properties;  // sorted by key
  std::vector<std::pair<std::string, std::string>> paths;       // subsystem, path; in order of text
};

struct JgfEdge {
  std::uint32_t source, target;  // indexes into nodes; kNone: no node of the set has that id
  std::string source_id, target_id;
  std::string subsystem;
  static constexpr std::uint32_t kNone = UINT32_MAX;
};

struct JgfSet {
  std::vector<JgfNode> nodes;  // in order of the text
  std::vector<JgfEdge> edges;
  std::optional<std::string> writer;  // "fluxion:jgf_shorthand", …
  std::optional<Idset> free_ranks;
};

// About a thousand bytes a node are taken, so that the limits are lower than for a graph.
inline constexpr JgfLimits kJgfSetLimits{
    .text_bytes_max = std::size_t{1} << 30, .nodes_max = 4u << 20, .edges_max = 8u << 20};

// Reads a set of resources; "graph" may be under "scheduling", as in an R. Edges may name ids
// that the set has no node for: what that means is for the caller to say.
// Errors: those of read_jgf_text(); with the place, invalid: an id given twice, free_ranks that are
// no idset. Cost: O(length of the text).
[[nodiscard]] Result<JgfSet> read_jgf_set(std::string_view text, std::string_view file = {},
                                          const JgfLimits& limits = kJgfSetLimits);

// The pool that a node of a set means: found by each of its paths and its rank, and equal to it in
// type, basename, size, id, name and paths. Of a divisible pool, a node may be a part. Properties, unit, status and uniq_id do not count.
// Where several pools share path and rank, the first that is equal.
// Errors: not_found (no pool with that path, or none of them with that rank), invalid (which member
// differs, and how). Cost: that of ResourceGraph::at_path for each path.
[[nodiscard]] Result<PoolId> find_pool(const ResourceGraph& graph, const JgfNode& node);

}  // namespace copse
