// SPDX-License-Identifier: Apache-2.0
//
// Few jobs: a rectangle for each run of neighbouring nodes.
#include <algorithm>

#include <fmt/format.h>

#include "draw/gantt_chart.hpp"
#include "draw/svg_text.hpp"
#include "draw/time_axis.hpp"

namespace copse::plan {

std::string GanttChart::words(const Record::Run& run) const {
  const Job& job = record_.jobs().jobs[run.job];
  return fmt::format("{}: {} nodes, {} cores, from {} for {}, waited {}",
                     svg::shortened(job.name, 60), run.use.nodes, run.use.cores,
                     time_words(run.start_s - summary_.first_submit_s),
                     time_words(run.end_s - run.start_s), time_words(run.start_s - job.submit_s));
}

void GanttChart::draw_run(const Record::Run& run) {
  const std::string& name = record_.jobs().jobs[run.job].name;
  const double x = x_of(run.start_s), width = std::max(x_of(run.end_s) - x, 0.6);
  const std::string title = words(run);
  for (std::uint32_t i = 0; i < run.places; ++i) {
    const LaneRun& place = record_.places(run)[i];
    double y = top_ + place.first * row_height_, height = place.count * row_height_;
    const bool shared = place.share != LaneRun::kWhole && record_.tracks_max() > 1;
    const std::uint32_t lines = shared ? record_.tracks_max() : 1;
    // A job that has parts of several nodes has a line in each.
    const std::uint32_t pieces = shared ? place.count : 1;
    if (shared) {
      height = row_height_ / lines;
      y += place.track * height;
    }
    for (std::uint32_t n = 0; n < pieces; ++n) {
      const double at = y + n * row_height_;
      std::string css = fmt::format("j{}", colour_of(run.job));
      if (width > 3 && height > 4) css += " o";
      canvas_.rect({x, at, width, height}, css, title);
      const double font = std::clamp(height * 0.55, 0.0, 11.0);
      if (font < 6.5) continue;
      const std::string text = svg::fitted(name, font, width - 6);
      if (text.empty() || text.ends_with("…")) continue;
      const double text_width = svg::text_width(text, font) * 0.92;
      canvas_.text(x + (width - text_width) / 2, at + height / 2 + font * 0.36, font, text);
    }
  }
}

void GanttChart::detail() {
  for (const Record::Run& run : record_.runs()) {
    draw_run(run);
    canvas_.step();
  }
}

}  // namespace copse::plan
