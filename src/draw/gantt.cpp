// SPDX-License-Identifier: Apache-2.0
#include "draw/gantt.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "draw/gantt_panel.hpp"
#include "draw/svg_text.hpp"
#include "draw/time_axis.hpp"

namespace copse::draw {

namespace {

class GanttChart {
 public:
  GanttChart(const plan::Record& record, std::string_view discipline, const TextSink& sink)
      : scale_(record),
        discipline_(discipline),
        canvas_(sink),
        height_(scale_.top + scale_.map_height + 34 + kCurve + 26 + kQueue + kMargin + 8) {}

  [[nodiscard]] Result<void> draw() {
    canvas_.begin(GanttScale::kWidth, height_, gantt_style(), gantt_patterns(scale_.record));
    header();
    const double curves = scale_.top + scale_.map_height + 34;
    draw_time_grid(canvas_, scale_, {.curves_from = curves, .curves_to = height_ - kMargin - 8});
    draw_node_labels(canvas_, scale_);
    draw_jobs(canvas_, scale_);
    const GanttCurves over_time = curves_of(scale_);
    draw_curve(canvas_, scale_,
               {.top = curves, .height = kCurve, .name = "in use", .css = "u", .percent = true},
               over_time.used);
    draw_curve(canvas_, scale_,
               {.top = curves + kCurve + 26,
                .height = kQueue,
                .name = "waiting",
                .css = "n",
                .most = over_time.most_waiting()},
               over_time.waiting);
    return canvas_.end();
  }

 private:
  static constexpr double kMargin = GanttScale::kMargin;
  static constexpr double kCurve = 84, kQueue = 48;
  static constexpr double kTitleFont = 20, kFont = 11;

  void header() {
    const auto number = [](std::uint64_t n) { return svg::grouped(static_cast<std::int64_t>(n)); };
    canvas_.text(kMargin, kMargin + 16, kTitleFont,
                 fmt::format("{} {} on {} {}, {}", number(scale_.summary.started),
                             scale_.summary.started == 1 ? "job" : "jobs",
                             number(scale_.record.node_rows().count()),
                             scale_.record.node_rows().count() == 1 ? "node" : "nodes",
                             discipline_words(discipline_)),
                 "b");
    std::string facts =
        fmt::format("makespan {} · nodes in use {:.1f} % · cores {:.1f} %",
                    short_time_words(scale_.summary.makespan_s()), 100 * scale_.summary.nodes_used,
                    100 * scale_.summary.cores_used);
    if (const auto& of = scale_.summary.of_started) {
      facts += fmt::format(" · mean wait {} · longest {} · bounded slowdown {:.2f}",
                           short_time_words(std::llround(of->mean_wait_s)),
                           short_time_words(of->longest_wait_s), of->mean_slowdown);
    }
    facts += fmt::format(" · longest queue {}", number(scale_.summary.longest_queue));
    const plan::Summary& s = scale_.summary;
    for (const auto& [what, count] : {std::pair{"killed", s.killed},
                                      {"cancelled", s.cancelled},
                                      {"failed", s.failed},
                                      {"requeued", s.requeues}}) {
      if (count > 0) facts += fmt::format(" · {} {}", number(count), what);
    }
    if (scale_.summary.refused > 0)
      facts += fmt::format(" · {} refused", number(scale_.summary.refused));
    canvas_.text(kMargin, kMargin + 36, kFont, facts, "q");
    if (scale_.summarized) {
      canvas_.text(kMargin, kMargin + 52, kFont, cell_words(scale_), "q");
    }
  }

  GanttScale scale_;
  std::string_view discipline_;
  SvgCanvas canvas_;
  double height_;
};

}  // namespace

Result<void> write_gantt_svg(const plan::Record& record, std::string_view discipline,
                             const TextSink& sink) {
  return GanttChart(record, discipline, sink).draw();
}

}  // namespace copse::draw
