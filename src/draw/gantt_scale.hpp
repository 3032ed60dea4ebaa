// SPDX-License-Identifier: Apache-2.0
//
// GanttScale: the coordinates of times and nodes in the picture of gantt.hpp.
//
// Times are drawn from the first submission to the end of the longest schedule in the picture. Rows
// are whole pixels high, so neighbours touch without a hairline.
#pragma once

#include <cstdint>

#include "plan/record.hpp"

namespace copse::draw {

struct GanttScale {
  static constexpr double kWidth = 1200, kMargin = 20, kLabels = 92, kCellWidth = 2;
  static constexpr double kLeft = kMargin + kLabels;
  static constexpr std::size_t kColours = 12;

  // One of several schedules in a picture; else the only one.
  struct Frame {
    double top = 0, height_max = 0;  // of the nodes
    std::int64_t span_s = 0;
    bool summarized = false;
  };
  explicit GanttScale(const plan::Record& of);
  GanttScale(const plan::Record& of, const Frame& frame);
  // Whether there are more rectangles, or nodes, than can be distinguished.
  [[nodiscard]] static bool has_many(const plan::Record& record, std::uint64_t rectangles_max,
                                     double height_max);
  [[nodiscard]] double x_of(std::int64_t time_s) const;
  // Jobs submitted one after another have different colours.
  [[nodiscard]] static std::size_t colour_of(std::uint32_t job) { return job * 5 % kColours; }

  const plan::Record& record;
  plan::Summary summary;
  std::int64_t span_s;
  bool summarized;
  double top, map_width, map_height;
  std::uint32_t rows;         // of cells; else a row is a node
  double row_height;          // whole pixels
  std::uint32_t columns = 1;  // of cells, kCellWidth pixels each
};

}  // namespace copse::draw
