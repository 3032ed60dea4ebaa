// SPDX-License-Identifier: Apache-2.0
//
// JGF, the JSON Graph Format as Fluxion writes it (RFC 40): pools as nodes, children before
// parents. jgf_text.hpp has the grammar; jgf_set.hpp reads sets of resources out of a graph.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/jgf/jgf_text.hpp"
#include "formats/output_request.hpp"

namespace copse {

// Appends {"graph": {"nodes": […], "edges": […]}}, without a newline. After the pools come those
// that are drawn from, with the amount as their size and "drawn", and those above them in their
// subsystem, with its edges. With `shorthand`, pools and
// edges below an exclusive pool are left out, and "writer" says so if there were any.
// Cost: O(length of the text).
void append_jgf(const OutputRequest& request, bool shorthand, std::string& out);

// Reads a whole machine, straight into columns. Its pools are created in the order of the nodes,
// children in the order of the edges; "exclusive", "writer" and "free_ranks" have no meaning for a
// machine. The data of the file is kept:
//   * Names, uniq_ids, status and properties are the pool's own where they are not the derived
//     ones.
//   * A path with one "/" makes its pool the root of that subsystem.
//   * A path that is not that of the pool's parent and its name is kept as the pool's own; also in
//     a subsystem that no edge brings the pool into: it is part of that subsystem then, found by
//     its path and written with it, but walks along edges do not come to it.
//   * A pool that an edge brings into a subsystem in which the file gives it no path has the path
//     of its parent and its name.
// Errors: those of read_jgf_text(); with the place, invalid (an id given twice, an edge from or to
// an id that no node has, a second root) and limit (types, units, subsystems); those of
// GraphBuilder::build(), with the file.
// Cost: O(length of the text); on top of the text about as much for its index, and then 120 bytes a
// pool; half of them are the graph.
[[nodiscard]] Result<ResourceGraph> read_jgf(std::string_view text,
                                             const JgfTextOptions& options = {},
                                             std::string_view dominant = "containment");

// The rank and the id of a pool.
struct PoolNumbers {
  std::int32_t rank = -1;
  std::int64_t id = -1;
  bool operator==(const PoolNumbers&) const = default;
};

// The same for the graph in an R, which may have been written for other ranks and ids: `numbers`, if
// there are any, are those of its nodes in the order of the text. A pool with another id gets the
// name and the path of that id. `writer`, if given, receives that of the set, or "".
// REQUIRES as many numbers as nodes, or none.
[[nodiscard]] Result<ResourceGraph> read_jgf_of_set(std::string_view text,
                                                    const JgfTextOptions& options,
                                                    const std::vector<PoolNumbers>& numbers,
                                                    std::string* writer = nullptr);

}  // namespace copse
