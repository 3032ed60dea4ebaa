// SPDX-License-Identifier: Apache-2.0
#include "draw/gantt.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "draw/gantt_cells.hpp"
#include "draw/gantt_runs.hpp"
#include "draw/svg_text.hpp"
#include "draw/time_axis.hpp"

namespace copse::plan {

namespace {

constexpr double kWidth = GanttScale::kWidth, kMargin = GanttScale::kMargin,
                 kLabels = GanttScale::kLabels, kLeft = GanttScale::kLeft;
constexpr double kCurve = 84, kQueue = 48;
constexpr std::size_t kColours = GanttScale::kColours;
constexpr double kTitleFont = 20, kFont = 11, kSmallFont = 10;
constexpr std::size_t kCurvePoints = 560;

// Neighbours in this list differ in lightness as well as in hue.
constexpr std::array<const char*, 12> kFill{"#3b7dbf", "#f0a63c", "#3fa588", "#d673ae",
                                            "#86c5ea", "#c25f33", "#ead85f", "#7a62b8",
                                            "#a5cd68", "#9a7657", "#f0b0be", "#4b7480"};

class GanttChart {
 public:
  GanttChart(const Record& record, std::string_view discipline, const TextSink& sink)
      : scale_(record),
        discipline_(discipline),
        canvas_(sink),
        height_(scale_.top + scale_.map_height + 34 + kCurve + 26 + kQueue + kMargin + 8) {}

  [[nodiscard]] Result<void> draw() {
    canvas_.begin(kWidth, height_, style());
    header();
    time_grid();
    lane_labels();
    scale_.summarized ? draw_cells(canvas_, scale_) : draw_runs(canvas_, scale_);
    curves();
    return canvas_.end();
  }

 private:
  static std::string style() {
    std::string out =
        ".b{font-weight:bold}.q{fill:#566370}.w{fill:#ffffff}.i{fill:#f4f6f8}\n"
        ".g{stroke:#d5dbe0;stroke-width:1;shape-rendering:crispEdges}\n"
        ".e{stroke:#8d99a4;stroke-width:1;fill:none;shape-rendering:crispEdges}\n"
        ".u{fill:#3b7dbf}.n{fill:#c25f33}.o{stroke:#ffffff;stroke-width:1}\n";
    for (std::size_t c = 0; c < kColours; ++c) {
      fmt::format_to(std::back_inserter(out), ".j{0}{{fill:{1}}}.k{0}{{stroke:{1};fill:none}}", c,
                     kFill[c]);
    }
    out += "\n.s0{opacity:.35}.s1{opacity:.65}.m{shape-rendering:crispEdges}\n";
    return out;
  }

  void header() {
    const auto number = [](std::uint64_t n) { return svg::grouped(static_cast<std::int64_t>(n)); };
    canvas_.text(kMargin, kMargin + 16, kTitleFont,
                 fmt::format("{} {} on {} {}, {}", number(scale_.summary.started),
                             scale_.summary.started == 1 ? "job" : "jobs",
                             number(scale_.record.lanes().count()),
                             scale_.record.lanes().count() == 1 ? "node" : "nodes",
                             discipline_ == "conservative" ? "conservative backfill"
                             : discipline_ == "easy"       ? "EASY backfill"
                             : discipline_ == "hybrid"     ? "hybrid backfill"
                                                           : "first come first served"),
                 "b");
    std::string facts = fmt::format(
        "makespan {} · nodes in use {:.1f} % · cores {:.1f} % · mean wait {} · longest {} · "
        "bounded "
        "slowdown {:.2f} · longest queue {}",
        short_time_words(scale_.summary.makespan_s()), 100 * scale_.summary.nodes_used,
        100 * scale_.summary.cores_used, short_time_words(std::llround(scale_.summary.mean_wait_s)),
        short_time_words(scale_.summary.longest_wait_s), scale_.summary.mean_slowdown,
        number(scale_.summary.longest_queue));
    if (scale_.summary.refused > 0)
      facts += fmt::format(" · {} refused", number(scale_.summary.refused));
    canvas_.text(kMargin, kMargin + 36, kFont, facts, "q");
    if (scale_.summarized) {
      const double lanes = static_cast<double>(scale_.record.lanes().count()) / scale_.rows;
      canvas_.text(
          kMargin, kMargin + 52, kFont,
          fmt::format(
              "Summarized: a cell is {} over {}, in the colour of the job that has "
              "most of it, paler where it is partly idle.",
              lanes > 1.05 ? fmt::format("about {:.1f} nodes", lanes) : "one node",
              time_words(std::max<std::int64_t>(1, scale_.summary.makespan_s() / scale_.columns))),
          "q");
    }
  }

  void time_grid() {
    const double left = kLeft, bottom = scale_.top + scale_.map_height;
    canvas_.rect({left, scale_.top, scale_.map_width, scale_.map_height}, "i");
    const std::int64_t step_s = tick_step_s(scale_.summary.makespan_s(), 10);
    std::string& out = canvas_.raw();
    for (std::int64_t t = 0; t <= scale_.summary.makespan_s(); t += step_s) {
      const double x = std::round(scale_.x_of(scale_.summary.first_submit_s + t));
      fmt::format_to(std::back_inserter(out),
                     "<path class=\"g\" d=\"M{0} {1}V{2}M{0} {3}V{4}\"/>\n", x, scale_.top,
                     bottom + 5, bottom + 34, height_ - kMargin - 8);
      const std::string words = time_words(t);
      const double width = svg::text_width(words, kFont) * 0.9;
      if (x + width / 2 <= kWidth) canvas_.text(x - width / 2, bottom + 18, kFont, words, "q");
    }
  }

  // Names of some lanes: as many as have room, evenly.

  void lane_labels() {
    const Lanes& lanes = scale_.record.lanes();
    const double pitch = scale_.map_height / lanes.count();
    std::uint32_t step = 1;
    for (const std::uint32_t s : {1U, 2U, 5U, 10U, 20U, 50U, 100U, 200U, 500U, 1000U}) {
      step = s;
      if (s * pitch >= 13) break;
    }
    while (step * pitch < 13) step *= 2;
    for (std::uint32_t lane = 0; lane < lanes.count(); lane += step) {
      const double font = std::min(kFont, std::max(7.0, step * pitch * 0.8));
      const std::string name = svg::fitted(lanes.name(lane), font, kLabels - 10);
      const double width = svg::text_width(name, font) * 0.92;
      canvas_.text(kLeft - 8 - width, scale_.top + (lane + 0.5) * pitch + font * 0.36, font, name,
                   "q");
    }
  }

  // A curve as an area: the mean of each pixel or two.

  void curve(double top, double height, std::string_view name, std::string_view css,
             const std::vector<double>& values, double most, bool percent) {
    const double left = kLeft;
    canvas_.rect({left, top, scale_.map_width, height}, "i");
    std::string& out = canvas_.raw();
    fmt::format_to(std::back_inserter(out), "<path class=\"{} m\" d=\"M", css);
    svg::append_number(out, left);
    out += ' ';
    svg::append_number(out, top + height);
    const double width = scale_.map_width / static_cast<double>(values.size());
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
                   top + height, left + scale_.map_width);
    const std::string high =
        percent ? "100 %" : svg::grouped(static_cast<std::int64_t>(std::llround(most)));
    const double high_width = svg::text_width(high, kSmallFont) * 0.92;
    canvas_.text(left - 8 - high_width, top + 8, kSmallFont, high, "q");
    canvas_.text(left - 8 - svg::text_width("0", kSmallFont), top + height, kSmallFont, "0", "q");
    canvas_.text(kMargin, top + height / 2 + 4, kSmallFont, name, "q");
  }

  void curves() {
    std::vector<double> used(kCurvePoints, 0), waiting(kCurvePoints, 0);
    const auto span_s = static_cast<double>(std::max<std::int64_t>(scale_.summary.makespan_s(), 1));
    const double width_s = span_s / kCurvePoints;
    const auto& moments = scale_.record.moments();
    for (std::size_t i = 0; i < moments.size(); ++i) {
      const double from =
          static_cast<double>(moments[i].time_s - scale_.summary.first_submit_s) / width_s;
      const double until =
          i + 1 < moments.size()
              ? static_cast<double>(moments[i + 1].time_s - scale_.summary.first_submit_s) / width_s
              : kCurvePoints;
      for (double at = std::max(from, 0.0); at < std::min<double>(until, kCurvePoints);) {
        const double next = std::min(std::floor(at) + 1, until);
        const auto point = static_cast<std::size_t>(at);
        used[point] += (next - at) * moments[i].busy_lanes / scale_.record.lanes().count();
        waiting[point] = std::max(waiting[point], static_cast<double>(moments[i].waiting));
        at = next;
      }
    }
    const double top = scale_.top + scale_.map_height + 34;
    curve(top, kCurve, "in use", "u", used, 1, true);
    const double most = std::max(1.0, *std::ranges::max_element(waiting));
    curve(top + kCurve + 26, kQueue, "waiting", "n", waiting, most, false);
  }

  GanttScale scale_;
  std::string_view discipline_;
  SvgCanvas canvas_;
  double height_;
};

}  // namespace

Result<void> write_gantt_svg(const Record& record, std::string_view discipline,
                             const TextSink& sink) {
  return GanttChart(record, discipline, sink).draw();
}

}  // namespace copse::plan
