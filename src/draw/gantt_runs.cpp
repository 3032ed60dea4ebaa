// SPDX-License-Identifier: Apache-2.0
#include "draw/gantt_runs.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "draw/svg_text.hpp"
#include "draw/time_axis.hpp"
#include "text/counted.hpp"

namespace copse::draw {

namespace {

constexpr double kCutShort = 3;  // pixels

std::string words(const GanttScale& scale, const plan::Record::Run& run) {
  const plan::Job& job = scale.record.jobs().jobs[run.job];
  const char* const how = word(run.ending);
  return fmt::format("{}: {}, {}, from {} for {}, waited {}{}{}", svg::shortened(job.name, 60),
                     counted(run.use.nodes, "node"), counted(run.use.cores, "core"),
                     time_words(run.start_s - scale.summary.first_submit_s),
                     time_words(run.end_s - run.start_s), time_words(run.start_s - job.submit_s),
                     how == nullptr ? "" : ", ", how == nullptr ? "" : how);
}

std::string words(const GanttScale& scale, const plan::Record::OutsideJob& other) {
  return fmt::format("running job {}: {}, {}, until {}", other.id, counted(other.use.nodes, "node"),
                     counted(other.use.cores, "core"),
                     time_words(other.end_s - scale.summary.first_submit_s));
}

// Name, tooltip and class of the rectangles of a job.
struct Label {
  std::string name, title, css;
  bool cut_short = false;  // marked by a bar at its end
};

void draw_ranges(SvgCanvas& canvas, const GanttScale& scale, std::int64_t start_s,
                 std::int64_t end_s, std::span<const plan::NodeRange> ranges, const Label& label) {
  const double left = GanttScale::kLeft, right = left + scale.map_width;
  const double x = std::max(scale.x_of(start_s), left);
  const double width = std::max(std::min(scale.x_of(end_s), right) - x, 0.6);
  for (const plan::NodeRange& range : ranges) {
    double y = scale.top + range.first * scale.row_height, height = range.count * scale.row_height;
    const bool shared = range.share != plan::NodeRange::kWhole && scale.record.tracks_max() > 1;
    const std::uint32_t lines = shared ? scale.record.tracks_max() : 1;
    // A job with parts of several nodes has a line in each.
    const std::uint32_t pieces = shared ? range.count : 1;
    if (shared) {
      height = scale.row_height / lines;
      y += range.track * height;
    }
    for (std::uint32_t n = 0; n < pieces; ++n) {
      const double at = y + n * scale.row_height;
      std::string css = label.css;
      if (width > 3 && height > 4) css += " o";
      canvas.rect({x, at, width, height}, css, label.title);
      const double bar = std::min(kCutShort, width / 2);
      if (label.cut_short) canvas.rect({x + width - bar, at, bar, height}, "x", label.title);
      const double font = std::clamp(height * 0.55, 0.0, 11.0);
      if (font < 6.5) continue;
      const std::string text = svg::fitted(label.name, font, width - 6);
      if (text.empty() || text.ends_with("…")) continue;
      const double text_width = svg::text_width(text, font) * 0.92;
      canvas.text(x + (width - text_width) / 2, at + height / 2 + font * 0.36, font, text);
    }
  }
}

}  // namespace

void draw_runs(SvgCanvas& canvas, const GanttScale& scale) {
  const plan::Record& record = scale.record;
  for (const plan::Record::OutsideJob& other : record.outside_jobs()) {
    draw_ranges(canvas, scale, other.start_s, other.end_s, {record.ranges(other), other.ranges},
                {fmt::format("{}", other.id), words(scale, other), "r"});
    canvas.step();
  }
  for (const plan::Record::Run& run : record.runs()) {
    draw_ranges(canvas, scale, run.start_s, run.end_s, {record.ranges(run), run.ranges},
                {record.jobs().jobs[run.job].name, words(scale, run),
                 fmt::format("j{}", scale.colour_of(run.job)), word(run.ending) != nullptr});
    canvas.step();
  }
}

}  // namespace copse::draw
