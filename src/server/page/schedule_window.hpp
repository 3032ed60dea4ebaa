// SPDX-License-Identifier: Apache-2.0
//
// ScheduleWindow: a schedule of some nodes over some time, at screen resolution: as bars if there
// are few, else as cells of rows × columns.
//
// A cell has the job that covers most of it, and the covered share in steps of 1/8. Equal
// neighbours in a row are one entry.
//
// On the wire:
//   bars   [[index in jobs, kind, start, end, first node, nodes, share of 256], …]
//   cells  base64 of entries of 6 bytes, row after row: index in jobs + 1 (2 bytes, little-endian; 0:
//          no job), kind, share (0 … 8), length (2 bytes); the lengths of a row sum to `columns`
//
// Cost: O(cells + covered cells of each bar). Memory: 12 bytes a cell while it is computed.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "copse/ids.hpp"
#include "graph/node_rows.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

class ScheduleWindow {
 public:
  enum class Kind : std::uint8_t { past, running, promised, forecast, reserved };
  static constexpr std::size_t kBarsMax = 3'000;
  static constexpr std::uint32_t kRowsMax = 1'000, kColumnsMax = 2'000, kCellsMax = 400'000;
  static constexpr std::size_t kJobsMax = 60'000;

  struct Shape {
    std::int64_t from_s = 0, to_s = 0;
    std::uint32_t first = 0, count = 0;   // nodes
    std::uint32_t rows = 0, columns = 0;  // of cells
  };

  // REQUIRES from_s < to_s, count > 0, and rows and columns within the bounds.
  explicit ScheduleWindow(const Shape& shape);

  void add(Kind kind, JobId job, std::int64_t start_s, std::int64_t end_s,
           std::span<const NodeRange> nodes);
  // The jobs of bars or cells, by index.
  [[nodiscard]] const std::vector<JobId>& jobs() const { return jobs_; }
  // Writes the member "bars" or "cells".
  void append(JsonWriter& json) const;

 private:
  struct Bar {
    std::uint32_t job;
    Kind kind;
    std::int64_t start_s, end_s;
    NodeRange nodes;
  };
  struct Cell {
    float all = 0, most = 0;  // covered shares of the cell: by all, by the largest job
    std::uint16_t job = 0;    // index + 1
    Kind kind = Kind::past;
  };
  void cover(const Bar& bar);
  void use_cells();

  Shape shape_;
  std::vector<JobId> jobs_{};
  std::unordered_map<JobId, std::uint32_t> places_{};
  std::vector<Bar> bars_{};    // while there are few
  std::vector<Cell> cells_{};  // otherwise
};

}  // namespace copse::server
