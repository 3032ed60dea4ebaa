// SPDX-License-Identifier: Apache-2.0
#include "draw/gantt_runs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "draw/svg_text.hpp"
#include "draw/time_axis.hpp"

namespace copse::plan {

namespace {

std::string words(const GanttScale& scale, const Record::Run& run) {
  const Job& job = scale.record.jobs().jobs[run.job];
  return fmt::format("{}: {} nodes, {} cores, from {} for {}, waited {}",
                     svg::shortened(job.name, 60), run.use.nodes, run.use.cores,
                     time_words(run.start_s - scale.summary.first_submit_s),
                     time_words(run.end_s - run.start_s), time_words(run.start_s - job.submit_s));
}

void draw_run(SvgCanvas& canvas, const GanttScale& scale, const Record::Run& run) {
  const std::string& name = scale.record.jobs().jobs[run.job].name;
  const double x = scale.x_of(run.start_s), width = std::max(scale.x_of(run.end_s) - x, 0.6);
  const std::string title = words(scale, run);
  for (std::uint32_t i = 0; i < run.places; ++i) {
    const LaneRun& place = scale.record.places(run)[i];
    double y = scale.top + place.first * scale.row_height, height = place.count * scale.row_height;
    const bool shared = place.share != LaneRun::kWhole && scale.record.tracks_max() > 1;
    const std::uint32_t lines = shared ? scale.record.tracks_max() : 1;
    // A job that has parts of several nodes has a line in each.
    const std::uint32_t pieces = shared ? place.count : 1;
    if (shared) {
      height = scale.row_height / lines;
      y += place.track * height;
    }
    for (std::uint32_t n = 0; n < pieces; ++n) {
      const double at = y + n * scale.row_height;
      std::string css = fmt::format("j{}", scale.colour_of(run.job));
      if (width > 3 && height > 4) css += " o";
      canvas.rect({x, at, width, height}, css, title);
      const double font = std::clamp(height * 0.55, 0.0, 11.0);
      if (font < 6.5) continue;
      const std::string text = svg::fitted(name, font, width - 6);
      if (text.empty() || text.ends_with("…")) continue;
      const double text_width = svg::text_width(text, font) * 0.92;
      canvas.text(x + (width - text_width) / 2, at + height / 2 + font * 0.36, font, text);
    }
  }
}

}  // namespace

void draw_runs(SvgCanvas& canvas, const GanttScale& scale) {
  for (const Record::Run& run : scale.record.runs()) {
    draw_run(canvas, scale, run);
    canvas.step();
  }
}

}  // namespace copse::plan
