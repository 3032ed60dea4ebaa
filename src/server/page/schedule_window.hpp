// SPDX-License-Identifier: Apache-2.0
//
// ScheduleWindow: a schedule as a screen can show it: some nodes over some time, as bars while there
// are few, else as cells of rows × columns.
//
// A cell has the job that covers most of it, and how much of it is covered. Neighbours in a row that
// look alike are one entry; shares are told apart in steps of 1/8.
//
// On the wire:
//   bars   [[place in jobs, kind, start, end, first node, nodes, share of 256], …]
//   cells  base64 of entries of 6 bytes, row after row: place in jobs + 1 (2 bytes, low first; 0:
//          nobody), kind, share (0 … 8), length (2 bytes); those of a row come to `columns`
//
// Cost: O(cells + what bars cover of them). Memory: 12 bytes a cell while it is made.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "copse/ids.hpp"
#include "plan/node_rows.hpp"
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
           std::span<const plan::NodeRange> nodes);
  // Jobs of bars or cells, by their places in them.
  [[nodiscard]] const std::vector<JobId>& jobs() const { return jobs_; }
  // Members of an object: "bars", or "cells".
  void append(JsonWriter& json) const;

 private:
  struct Bar {
    std::uint32_t job;
    Kind kind;
    std::int64_t start_s, end_s;
    plan::NodeRange nodes;
  };
  struct Cell {
    float all = 0, most = 0;  // shares of the cell: covered, and by the one that has most of it
    std::uint16_t job = 0;    // place + 1
    Kind kind = Kind::past;
  };
  void cover(const Bar& bar);
  void use_cells();

  Shape shape_;
  std::vector<JobId> jobs_{};
  std::unordered_map<JobId, std::uint32_t> places_{};
  std::vector<Bar> bars_{};    // while there are few
  std::vector<Cell> cells_{};  // then
};

}  // namespace copse::server
