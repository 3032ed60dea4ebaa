// SPDX-License-Identifier: Apache-2.0
#include "draw/gantt_scale.hpp"

#include <algorithm>
#include <cmath>

#include "draw/gantt.hpp"

namespace copse::plan {

namespace {

constexpr double kMapHeightMax = 520, kRowMax = 36;

}  // namespace

GanttScale::GanttScale(const Record& of) : record(of), summary(of.summary()) {
  std::uint64_t rectangles = 0;
  for (const Record::Run& run : record.runs()) rectangles += run.places;
  rows = record.lanes().count();
  summarized = rectangles > kRectanglesMax || rows * 2 > kMapHeightMax;
  map_width = kWidth - 2 * kMargin - kLabels;
  if (summarized) {
    rows = std::min(rows, static_cast<std::uint32_t>(kMapHeightMax / 2));
    columns = static_cast<std::uint32_t>(map_width / kCellWidth);
    map_width = columns * kCellWidth;
  }
  row_height = std::clamp(std::floor(kMapHeightMax / rows), 2.0, kRowMax);
  map_height = rows * row_height;
  top = kMargin + (summarized ? 68 : 54);
}

double GanttScale::x_of(std::int64_t time_s) const {
  const auto span_s = static_cast<double>(std::max<std::int64_t>(summary.makespan_s(), 1));
  const auto since_s = static_cast<double>(time_s - summary.first_submit_s);
  return kLeft + since_s / span_s * map_width;
}

}  // namespace copse::plan
