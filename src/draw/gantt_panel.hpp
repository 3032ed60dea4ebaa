// SPDX-License-Identifier: Apache-2.0
//
// Common parts of pictures of one schedule and of several: the background, the labels, the jobs,
// and the curves over time below them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "draw/gantt_scale.hpp"
#include "draw/svg_canvas.hpp"

namespace copse::draw {

[[nodiscard]] std::string gantt_style();  // CSS
// Patterns for reservations, if the record has any.
[[nodiscard]] std::string gantt_patterns(const plan::Record& record);
// "EASY backfill"
[[nodiscard]] std::string discipline_words(std::string_view discipline);
// The meaning of a cell of a summarized chart.
[[nodiscard]] std::string cell_words(const GanttScale& scale);

// The background of the nodes, time lines over it and the curves below, and the labels of these
// times between them.
struct TimeGrid {
  bool words = true;
  double curves_from = 0, curves_to = 0;  // equal: no curves
};
void draw_time_grid(SvgCanvas& canvas, const GanttScale& scale, const TimeGrid& grid);
void draw_time_words(SvgCanvas& canvas, const GanttScale& scale, double y);
// Evenly spaced names of nodes, as many as fit.
void draw_node_labels(SvgCanvas& canvas, const GanttScale& scale);
// Reservations are drawn behind the jobs.
void draw_jobs(SvgCanvas& canvas, const GanttScale& scale);

// A curve as an area; each point is the mean of one or two pixels.
struct GanttCurve {
  double top = 0, height = 0;
  std::string_view name{}, css{};
  double most = 1;
  bool percent = false;
};
void draw_curve(SvgCanvas& canvas, const GanttScale& scale, const GanttCurve& curve,
                const std::vector<double>& values);

// Evenly spaced over the whole time: the used share of the nodes (means), and the number of waiting
// jobs (maxima).
struct GanttCurves {
  std::vector<double> used, waiting;
  [[nodiscard]] double most_waiting() const;  // at least 1
};
[[nodiscard]] GanttCurves curves_of(const GanttScale& scale);

}  // namespace copse::draw
