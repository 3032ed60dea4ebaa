// SPDX-License-Identifier: Apache-2.0
#include "draw/gantt_scale.hpp"

#include <algorithm>
#include <cmath>

#include "draw/gantt.hpp"

namespace copse::draw {

namespace {

constexpr double kMapHeightMax = 520, kRowMax = 36;

}  // namespace

bool GanttScale::has_many(const plan::Record& record, std::uint64_t rectangles_max,
                          double height_max) {
  std::uint64_t rectangles = 0;
  for (const plan::Record::Run& run : record.runs()) rectangles += run.ranges;
  return rectangles > rectangles_max || record.node_rows().count() * 2 > height_max;
}

GanttScale::GanttScale(const plan::Record& of)
    : GanttScale(of, {.top = kMargin + (has_many(of, kRectanglesMax, kMapHeightMax) ? 68 : 54),
                      .height_max = kMapHeightMax,
                      .span_s = of.summary().makespan_s(),
                      .summarized = has_many(of, kRectanglesMax, kMapHeightMax)}) {}

GanttScale::GanttScale(const plan::Record& of, const Frame& frame)
    : record(of),
      summary(of.summary()),
      span_s(frame.span_s),
      summarized(frame.summarized),
      top(frame.top) {
  rows = record.node_rows().count();
  map_width = kWidth - 2 * kMargin - kLabels;
  if (summarized) {
    rows = std::min(rows, static_cast<std::uint32_t>(frame.height_max / 2));
    columns = static_cast<std::uint32_t>(map_width / kCellWidth);
    map_width = columns * kCellWidth;
  }
  row_height = std::clamp(std::floor(frame.height_max / rows), 2.0, kRowMax);
  map_height = rows * row_height;
}

double GanttScale::x_of(std::int64_t time_s) const {
  const auto span = static_cast<double>(std::max<std::int64_t>(span_s, 1));
  const auto since = static_cast<double>(time_s - summary.first_submit_s);
  return kLeft + since / span * map_width;
}

}  // namespace copse::draw
