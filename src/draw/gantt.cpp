// SPDX-License-Identifier: Apache-2.0
#include "draw/gantt.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "draw/gantt_chart.hpp"
#include "draw/svg_text.hpp"
#include "draw/time_axis.hpp"
#include "text/xml_text.hpp"

namespace copse::plan {

namespace {

constexpr double kTitleFont = 20, kFont = 11, kSmallFont = 10;
constexpr std::size_t kCurvePoints = 560;

// Neighbours in this list differ in lightness as well as in hue.
constexpr std::array<const char*, 12> kFill{"#3b7dbf", "#f0a63c", "#3fa588", "#d673ae",
                                            "#86c5ea", "#c25f33", "#ead85f", "#7a62b8",
                                            "#a5cd68", "#9a7657", "#f0b0be", "#4b7480"};

}  // namespace

Result<void> write_gantt_svg(const Record& record, std::string_view discipline,
                             const TextSink& sink) {
  return GanttChart(record, discipline, sink).draw();
}

GanttChart::GanttChart(const Record& record, std::string_view discipline, const TextSink& sink)
    : record_(record), discipline_(discipline), canvas_(sink), summary_(record.summary()) {
  std::uint64_t rectangles = 0;
  for (const Record::Run& run : record.runs()) rectangles += run.places;
  summarized_ = rectangles > kRectanglesMax;
  const std::uint32_t lanes = record.lanes().count();
  map_width_ = kWidth - 2 * kMargin - kLabels;
  if (lanes * 2 > kMapHeightMax) summarized_ = true;
  if (summarized_) {
    rows_ = std::min<std::uint32_t>(lanes, static_cast<std::uint32_t>(kMapHeightMax / 2));
    columns_ = static_cast<std::uint32_t>(map_width_ / kCellWidth);
    map_width_ = columns_ * kCellWidth;
  } else {
    rows_ = lanes;
  }
  row_height_ = std::clamp(std::floor(kMapHeightMax / rows_), 2.0, kRowMax);
  map_height_ = rows_ * row_height_;
}

Result<void> GanttChart::draw() {
  begin();
  header();
  time_grid();
  lane_labels();
  summarized_ ? cells() : detail();
  curves();
  canvas_.raw() += "</svg>\n";
  return canvas_.finish();
}

double GanttChart::x_of(std::int64_t time_s) const {
  const auto span_s = static_cast<double>(std::max<std::int64_t>(summary_.makespan_s(), 1));
  const auto since_s = static_cast<double>(time_s - summary_.first_submit_s);
  return kMargin + kLabels + since_s / span_s * map_width_;
}

// Jobs that are submitted one after the other differ.
std::size_t GanttChart::colour_of(std::uint32_t job) { return job * 5 % kColours; }

void GanttChart::begin() {
  top_ = kMargin + (summarized_ ? 68 : 54);
  height_ = top_ + map_height_ + 34 + kCurve + 26 + kQueue + kMargin + 8;
  std::string& out = canvas_.raw();
  fmt::format_to(std::back_inserter(out),
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                 "viewBox=\"0 0 {0} {1}\">\n<style>\n",
                 static_cast<int>(kWidth), static_cast<int>(height_));
  out +=
      "text{font-family:\"DejaVu Sans\",Verdana,Arial,sans-serif;fill:#1d2730}\n"
      ".b{font-weight:bold}.q{fill:#566370}.w{fill:#ffffff}.i{fill:#f4f6f8}\n"
      ".g{stroke:#d5dbe0;stroke-width:1;shape-rendering:crispEdges}\n"
      ".e{stroke:#8d99a4;stroke-width:1;fill:none;shape-rendering:crispEdges}\n"
      ".u{fill:#3b7dbf}.n{fill:#c25f33}.o{stroke:#ffffff;stroke-width:1}\n";
  for (std::size_t c = 0; c < kColours; ++c) {
    fmt::format_to(std::back_inserter(out), ".j{0}{{fill:{1}}}.k{0}{{stroke:{1};fill:none}}", c,
                   kFill[c]);
  }
  out += "\n.s0{opacity:.35}.s1{opacity:.65}.m{shape-rendering:crispEdges}\n</style>\n";
  canvas_.rect({0, 0, kWidth, height_}, "w");
}

void GanttChart::header() {
  const auto number = [](std::uint64_t n) { return svg::grouped(static_cast<std::int64_t>(n)); };
  canvas_.text(kMargin, kMargin + 16, kTitleFont,
               fmt::format("{} {} on {} {}, {}", number(summary_.started),
                           summary_.started == 1 ? "job" : "jobs", number(record_.lanes().count()),
                           record_.lanes().count() == 1 ? "node" : "nodes",
                           discipline_ == "conservative" ? "conservative backfill"
                           : discipline_ == "easy"       ? "EASY backfill"
                                                         : "first come first served"),
               "b");
  std::string facts = fmt::format(
      "makespan {} · nodes in use {:.1f} % · cores {:.1f} % · mean wait {} · longest {} · bounded "
      "slowdown {:.2f} · longest queue {}",
      short_time_words(summary_.makespan_s()), 100 * summary_.nodes_used, 100 * summary_.cores_used,
      short_time_words(std::llround(summary_.mean_wait_s)),
      short_time_words(summary_.longest_wait_s), summary_.mean_slowdown,
      number(summary_.longest_queue));
  if (summary_.refused > 0) facts += fmt::format(" · {} refused", number(summary_.refused));
  canvas_.text(kMargin, kMargin + 36, kFont, facts, "q");
  if (summarized_) {
    const double lanes = static_cast<double>(record_.lanes().count()) / rows_;
    canvas_.text(
        kMargin, kMargin + 52, kFont,
        fmt::format("Summarized: a cell is {} over {}, in the colour of the job that has "
                    "most of it, paler where it is partly idle.",
                    lanes > 1.05 ? fmt::format("about {:.1f} nodes", lanes) : "one node",
                    time_words(std::max<std::int64_t>(1, summary_.makespan_s() / columns_))),
        "q");
  }
}

void GanttChart::time_grid() {
  const double left = kMargin + kLabels, bottom = top_ + map_height_;
  canvas_.rect({left, top_, map_width_, map_height_}, "i");
  const std::int64_t step_s = tick_step_s(summary_.makespan_s(), 10);
  std::string& out = canvas_.raw();
  for (std::int64_t t = 0; t <= summary_.makespan_s(); t += step_s) {
    const double x = std::round(x_of(summary_.first_submit_s + t));
    fmt::format_to(std::back_inserter(out), "<path class=\"g\" d=\"M{0} {1}V{2}M{0} {3}V{4}\"/>\n",
                   x, top_, bottom + 5, bottom + 34, height_ - kMargin - 8);
    const std::string words = time_words(t);
    const double width = svg::text_width(words, kFont) * 0.9;
    if (x + width / 2 <= kWidth) canvas_.text(x - width / 2, bottom + 18, kFont, words, "q");
  }
}

// Names of some lanes: as many as have room, evenly.
void GanttChart::lane_labels() {
  const Lanes& lanes = record_.lanes();
  const double pitch = map_height_ / lanes.count();
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
    canvas_.text(kMargin + kLabels - 8 - width, top_ + (lane + 0.5) * pitch + font * 0.36, font,
                 name, "q");
  }
}

// A curve as an area: the mean of each pixel or two.
void GanttChart::curve(double top, double height, std::string_view name, std::string_view css,
                       const std::vector<double>& values, double most, bool percent) {
  const double left = kMargin + kLabels;
  canvas_.rect({left, top, map_width_, height}, "i");
  std::string& out = canvas_.raw();
  fmt::format_to(std::back_inserter(out), "<path class=\"{} m\" d=\"M", css);
  svg::append_number(out, left);
  out += ' ';
  svg::append_number(out, top + height);
  const double width = map_width_ / static_cast<double>(values.size());
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
                 top + height, left + map_width_);
  const std::string high =
      percent ? "100 %" : svg::grouped(static_cast<std::int64_t>(std::llround(most)));
  const double high_width = svg::text_width(high, kSmallFont) * 0.92;
  canvas_.text(left - 8 - high_width, top + 8, kSmallFont, high, "q");
  canvas_.text(left - 8 - svg::text_width("0", kSmallFont), top + height, kSmallFont, "0", "q");
  canvas_.text(kMargin, top + height / 2 + 4, kSmallFont, name, "q");
}

void GanttChart::curves() {
  std::vector<double> used(kCurvePoints, 0), waiting(kCurvePoints, 0);
  const auto span_s = static_cast<double>(std::max<std::int64_t>(summary_.makespan_s(), 1));
  const double width_s = span_s / kCurvePoints;
  const auto& moments = record_.moments();
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const double from = static_cast<double>(moments[i].time_s - summary_.first_submit_s) / width_s;
    const double until =
        i + 1 < moments.size()
            ? static_cast<double>(moments[i + 1].time_s - summary_.first_submit_s) / width_s
            : kCurvePoints;
    for (double at = std::max(from, 0.0); at < std::min<double>(until, kCurvePoints);) {
      const double next = std::min(std::floor(at) + 1, until);
      const auto point = static_cast<std::size_t>(at);
      used[point] += (next - at) * moments[i].busy_lanes / record_.lanes().count();
      waiting[point] += (next - at) * static_cast<double>(moments[i].waiting);
      at = next;
    }
  }
  const double top = top_ + map_height_ + 34;
  curve(top, kCurve, "in use", "u", used, 1, true);
  const double most = std::max(1.0, std::ceil(*std::ranges::max_element(waiting)));
  curve(top + kCurve + 26, kQueue, "waiting", "n", waiting, most, false);
}

}  // namespace copse::plan
