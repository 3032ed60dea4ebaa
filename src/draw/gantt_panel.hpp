// SPDX-License-Identifier: Apache-2.0
//
// What pictures of one schedule and of several have in common: the ground, the labels, the jobs,
// and curves over time below them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "draw/gantt_scale.hpp"
#include "draw/svg_canvas.hpp"

namespace copse::draw {

[[nodiscard]] std::string gantt_style();  // CSS
// Patterns for reservations, if the record has some.
[[nodiscard]] std::string gantt_patterns(const plan::Record& record);
// "EASY backfill"
[[nodiscard]] std::string discipline_words(std::string_view discipline);
// What a cell of a summarized chart is.
[[nodiscard]] std::string cell_words(const GanttScale& scale);

// The ground of the nodes, lines of time over it and the curves below, and between them the words of
// these times.
struct TimeGrid {
  bool words = true;
  double curves_from = 0, curves_to = 0;  // the same: no curves
};
void draw_time_grid(SvgCanvas& canvas, const GanttScale& scale, const TimeGrid& grid);
void draw_time_words(SvgCanvas& canvas, const GanttScale& scale, double y);
// Names of some nodes: as many as have room, evenly.
void draw_node_labels(SvgCanvas& canvas, const GanttScale& scale);
// Reservations stand behind the jobs.
void draw_jobs(SvgCanvas& canvas, const GanttScale& scale);

// A curve as an area: the mean of each pixel or two.
struct GanttCurve {
  double top = 0, height = 0;
  std::string_view name{}, css{};
  double most = 1;
  bool percent = false;
};
void draw_curve(SvgCanvas& canvas, const GanttScale& scale, const GanttCurve& curve,
                const std::vector<double>& values);

// Evenly over the whole time: the share of the nodes in use (means), and how many jobs wait (the
// most).
struct GanttCurves {
  std::vector<double> used, waiting;
  [[nodiscard]] double most_waiting() const;  // 1 at least
};
[[nodiscard]] GanttCurves curves_of(const GanttScale& scale);

}  // namespace copse::draw
