// SPDX-License-Identifier: Apache-2.0
#include "draw/gantt_panel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "draw/gantt_cells.hpp"
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
                     time_words(run.end_s - run.start_s),
                     time_words(run.start_s - scale.record.submit_s(run.job)),
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
                 std::int64_t end_s, std::span<const NodeRange> ranges, const Label& label) {
  const double left = GanttScale::kLeft, right = left + scale.map_width;
  const double x = std::max(scale.x_of(start_s), left);
  const double width = std::max(std::min(scale.x_of(end_s), right) - x, 0.6);
  for (const NodeRange& range : ranges) {
    double y = scale.top + range.first * scale.row_height, height = range.count * scale.row_height;
    const bool shared = range.share != NodeRange::kWhole && scale.record.tracks_max() > 1;
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

constexpr double kWidth = GanttScale::kWidth, kMargin = GanttScale::kMargin,
                 kLabels = GanttScale::kLabels, kLeft = GanttScale::kLeft;
constexpr std::size_t kColours = GanttScale::kColours;
constexpr double kFont = 11, kSmallFont = 10;
constexpr std::size_t kCurvePoints = 560;

// Neighbours in this list differ in lightness as well as in hue.
constexpr std::array<const char*, 12> kFill{"#3b7dbf", "#f0a63c", "#3fa588", "#d673ae",
                                            "#86c5ea", "#c25f33", "#ead85f", "#7a62b8",
                                            "#a5cd68", "#9a7657", "#f0b0be", "#4b7480"};

void draw_time(SvgCanvas& canvas, double x, double y, std::int64_t time_s) {
  const std::string words = time_words(time_s);
  const double width = svg::text_width(words, kFont) * 0.9;
  if (x + width / 2 <= kWidth) canvas.text(x - width / 2, y, kFont, words, "q");
}

// Reservations, clipped to the picture.
void draw_reservations(SvgCanvas& canvas, const GanttScale& scale) {
  const double pitch = scale.map_height / scale.record.node_rows().count();
  for (const plan::Record::Reserved& time : scale.record.reserved()) {
    const std::int64_t from_s = std::max(time.start_s, scale.summary.first_submit_s);
    const std::int64_t until_s = std::min(time.end_s, scale.summary.last_end_s);
    if (from_s >= until_s) continue;
    const double x = scale.x_of(from_s), width = std::max(scale.x_of(until_s) - x, 0.6);
    const std::string title =
        fmt::format("reservation {}: from {} for {}", svg::shortened(time.name, 60),
                    time_words(time.start_s - scale.summary.first_submit_s),
                    time_words(time.end_s - time.start_s));
    for (const NodeRange& run : time.nodes) {
      const double y = scale.top + run.first * pitch, height = run.count * pitch;
      canvas.rect({x, y, width, height}, "h", title);
      const std::string name = height < 14 ? "" : svg::fitted(time.name, kFont, width - 16);
      if (name.empty() || name.ends_with("…")) continue;
      const double name_width = svg::text_width(name, kFont) * 0.92;
      const double name_x = x + (width - name_width) / 2, middle = y + height / 2;
      canvas.rect({name_x - 4, middle - 7, name_width + 8, 14}, "w");
      canvas.text(name_x, middle + kFont * 0.36, kFont, name, "q");
    }
  }
}

// Nodes that are down or drained, clipped to the picture.
void draw_outages(SvgCanvas& canvas, const GanttScale& scale) {
  const double pitch = scale.map_height / scale.record.node_rows().count();
  const std::int64_t first_s = scale.summary.first_submit_s;
  for (const plan::Outage& outage : scale.record.outages()) {
    const std::int64_t from_s = std::max(outage.start_s, first_s);
    const std::int64_t until_s = std::min(outage.end_s, scale.summary.last_end_s);
    if (from_s >= until_s) continue;
    const double x = scale.x_of(from_s), width = std::max(scale.x_of(until_s) - x, 0.6);
    std::string names;
    scale.record.node_rows().append_names(names, outage.nodes);
    std::string title =
        fmt::format("{}: {} from {}", svg::shortened(names, 60),
                    outage.drained ? "drained" : "down", time_words(from_s - first_s));
    if (outage.end_s != INT64_MAX) title += " for " + time_words(outage.end_s - outage.start_s);
    for (const NodeRange& run : outage.nodes) {
      canvas.rect({x, scale.top + run.first * pitch, width, run.count * pitch},
                  outage.drained ? "dr" : "dn", title);
    }
  }
}

}  // namespace

std::string gantt_patterns(const plan::Record& record) {
  std::string out;
  if (!record.outages().empty()) {
    out += "<style>.dn{fill:#f0cfca}.dr{fill:#f5e9c4}</style>\n";
  }
  if (record.reserved().empty()) return out;
  return out +
         "<style>.h{fill:url(#hatching)}</style>\n"
         "<pattern id=\"hatching\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
         "patternTransform=\"rotate(45)\"><rect width=\"7\" height=\"7\" fill=\"#e6e9ec\"/>"
         "<path d=\"M0 0V7\" stroke=\"#8d99a4\" stroke-width=\"3\"/></pattern>\n";
}

std::string gantt_style() {
  std::string out =
      ".b{font-weight:bold}.q{fill:#566370}.w{fill:#ffffff}.i{fill:#f4f6f8}\n"
      ".g{stroke:#d5dbe0;stroke-width:1;shape-rendering:crispEdges}\n"
      ".e{stroke:#8d99a4;stroke-width:1;fill:none;shape-rendering:crispEdges}\n"
      ".r{fill:#b4bdc5}.kr{stroke:#b4bdc5;fill:none}\n"
      ".x{fill:#b3261e}.u{fill:#3b7dbf}.n{fill:#c25f33}.o{stroke:#ffffff;stroke-width:1}\n";
  for (std::size_t c = 0; c < kColours; ++c) {
    fmt::format_to(std::back_inserter(out), ".j{0}{{fill:{1}}}.k{0}{{stroke:{1};fill:none}}", c,
                   kFill[c]);
  }
  out += "\n.s0{opacity:.35}.s1{opacity:.65}.m{shape-rendering:crispEdges}\n";
  return out;
}

std::string discipline_words(std::string_view discipline) {
  if (discipline == "fcfs") return "first come first served";
  if (discipline == "easy") return "EASY backfill";
  if (discipline == "hybrid" || discipline == "conservative") {
    return fmt::format("{} backfill", discipline);
  }
  return std::string(discipline);
}

std::string cell_words(const GanttScale& scale) {
  const double node_rows = static_cast<double>(scale.record.node_rows().count()) / scale.rows;
  return fmt::format(
      "Summarized: a cell is {} over {}, in the colour of the job that has most of it, paler where "
      "it is partly idle.",
      node_rows > 1.05 ? fmt::format("about {:.1f} nodes", node_rows) : "one node",
      time_words(std::max<std::int64_t>(1, scale.span_s / scale.columns)));
}

void draw_time_grid(SvgCanvas& canvas, const GanttScale& scale, const TimeGrid& grid) {
  const double bottom = scale.top + scale.map_height;
  canvas.rect({kLeft, scale.top, scale.map_width, scale.map_height}, "i");
  const std::int64_t step_s = tick_step_s(scale.span_s, 10);
  std::string& out = canvas.raw();
  for (std::int64_t t = 0; t <= scale.span_s; t += step_s) {
    const double x = std::round(scale.x_of(scale.summary.first_submit_s + t));
    fmt::format_to(std::back_inserter(out), "<path class=\"g\" d=\"M{} {}V{}", x, scale.top,
                   grid.words ? bottom + 5 : bottom);
    if (grid.curves_to > grid.curves_from) {
      fmt::format_to(std::back_inserter(out), "M{} {}V{}", x, grid.curves_from, grid.curves_to);
    }
    out += "\"/>\n";
    if (grid.words) draw_time(canvas, x, bottom + 18, t);
  }
}

void draw_time_words(SvgCanvas& canvas, const GanttScale& scale, double y) {
  const std::int64_t step_s = tick_step_s(scale.span_s, 10);
  for (std::int64_t t = 0; t <= scale.span_s; t += step_s) {
    draw_time(canvas, std::round(scale.x_of(scale.summary.first_submit_s + t)), y, t);
  }
}

void draw_node_labels(SvgCanvas& canvas, const GanttScale& scale) {
  const NodeRows& node_rows = scale.record.node_rows();
  const double pitch = scale.map_height / node_rows.count();
  std::uint32_t step = 1;
  for (const std::uint32_t s : {1U, 2U, 5U, 10U, 20U, 50U, 100U, 200U, 500U, 1000U}) {
    step = s;
    if (s * pitch >= 13) break;
  }
  while (step * pitch < 13) step *= 2;
  for (std::uint32_t node_row = 0; node_row < node_rows.count(); node_row += step) {
    const double font = std::min(kFont, std::max(7.0, step * pitch * 0.8));
    const std::string name = svg::fitted(node_rows.name(node_row), font, kLabels - 10);
    const double width = svg::text_width(name, font) * 0.92;
    canvas.text(kLeft - 8 - width, scale.top + (node_row + 0.5) * pitch + font * 0.36, font, name,
                "q");
  }
}

void draw_jobs(SvgCanvas& canvas, const GanttScale& scale) {
  draw_outages(canvas, scale);
  draw_reservations(canvas, scale);
  scale.summarized ? draw_cells(canvas, scale) : draw_runs(canvas, scale);
}

void draw_curve(SvgCanvas& canvas, const GanttScale& scale, const GanttCurve& curve,
                const std::vector<double>& values) {
  const auto& [top, height, name, css, most, percent] = curve;
  const double left = kLeft;
  canvas.rect({left, top, scale.map_width, height}, "i");
  std::string& out = canvas.raw();
  fmt::format_to(std::back_inserter(out), "<path class=\"{} m\" d=\"M", css);
  svg::append_number(out, left);
  out += ' ';
  svg::append_number(out, top + height);
  const double width = scale.map_width / static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += 'V';
    svg::append_number(out, top + height - values[i] / std::max(most, 1e-9) * height);
    out += 'H';
    svg::append_number(out, left + width * static_cast<double>(i + 1));
  }
  out += 'V';
  svg::append_number(out, top + height);
  out += "z\"/>\n";
  fmt::format_to(std::back_inserter(out), "<path class=\"e\" d=\"M{} {}V{}H{}\"/>\n", left, top,
                 top + height, left + scale.map_width);
  const std::string high =
      percent ? "100 %" : svg::grouped(static_cast<std::int64_t>(std::llround(most)));
  const double high_width = svg::text_width(high, kSmallFont) * 0.92;
  canvas.text(left - 8 - high_width, top + 8, kSmallFont, high, "q");
  canvas.text(left - 8 - svg::text_width("0", kSmallFont), top + height, kSmallFont, "0", "q");
  canvas.text(kMargin, top + height / 2 + 4, kSmallFont, name, "q");
}

double GanttCurves::most_waiting() const {
  return std::max(1.0, *std::ranges::max_element(waiting));
}

GanttCurves curves_of(const GanttScale& scale) {
  std::vector<double> used(kCurvePoints, 0), waiting(kCurvePoints, 0);
  const auto span_s = static_cast<double>(std::max<std::int64_t>(scale.span_s, 1));
  const double width_s = span_s / kCurvePoints;
  const auto& samples = scale.record.samples();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double from =
        static_cast<double>(samples[i].time_s - scale.summary.first_submit_s) / width_s;
    const double until =
        i + 1 < samples.size()
            ? static_cast<double>(samples[i + 1].time_s - scale.summary.first_submit_s) / width_s
            : kCurvePoints;
    for (double at = std::max(from, 0.0); at < std::min<double>(until, kCurvePoints);) {
      const double next = std::min(std::floor(at) + 1, until);
      const auto point = static_cast<std::size_t>(at);
      used[point] += (next - at) * samples[i].busy_nodes / scale.record.node_rows().count();
      waiting[point] = std::max(waiting[point], static_cast<double>(samples[i].waiting));
      at = next;
    }
  }
  return {std::move(used), std::move(waiting)};
}

}  // namespace copse::draw
