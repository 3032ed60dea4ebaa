// SPDX-License-Identifier: Apache-2.0
//
// NodeRows: the nodes of a machine as rows of a chart, and the rows of a selection.
//
// Invariants: rows are the pools of type node of the dominant tree, in its order; a machine without
// nodes has one row, its root. A NodeRange is a run of consecutive rows that are used alike.
// Cost: the rows of a selection O(entries + nodes taken).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "copse/selection.hpp"

namespace copse {

struct NodeRange {
  static constexpr std::uint16_t kWhole = 256;
  std::uint32_t first = 0, count = 0;
  std::uint16_t share = kWhole;  // of each row, by its cores; kWhole: all of it
  std::uint16_t track = 0;       // distinguishes jobs that share a row
  bool operator==(const NodeRange&) const = default;
};

// Everything below an exclusive pool counts as used: no other job can have it.
struct NodeUse {
  std::int64_t nodes = 0, cores = 0;
};

class NodeRows {
 public:
  explicit NodeRows(const ResourceGraph& graph);

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(pools_.size()); }
  [[nodiscard]] const std::string& name(std::uint32_t row) const { return names_[row]; }
  [[nodiscard]] PoolId pool(std::uint32_t row) const { return pools_[row]; }
  [[nodiscard]] std::optional<std::uint32_t> row_of(PoolId pool) const;  // O(log rows)
  [[nodiscard]] const ResourceGraph& graph() const { return graph_; }
  [[nodiscard]] bool are_nodes() const { return node_ != kNoType; }
  [[nodiscard]] std::int64_t cores() const { return cores_; }  // of the machine
  // The number of rows with fewer cores than this. O(rows).
  [[nodiscard]] std::uint32_t with_fewer_cores(std::int64_t cores) const;

  // Clears `out` first; rows ascend.
  [[nodiscard]] NodeUse taken(const Selection& selection, std::vector<NodeRange>& out) const;
  // "node[0-3,7]"
  void append_names(std::string& out, const std::vector<NodeRange>& runs) const;

 private:
  [[nodiscard]] std::int64_t cores_in(PoolId pool, std::uint32_t count) const;
  // The first row at or after a pool: O(1) if the guess is right, else O(log rows).
  [[nodiscard]] std::uint32_t first_at(PoolId pool, std::uint32_t guess) const;

  const ResourceGraph& graph_;
  TypeId node_, core_;
  std::vector<PoolId> pools_;  // ascending
  std::vector<std::string> names_;
  std::int64_t cores_ = 0;
};

}  // namespace copse
