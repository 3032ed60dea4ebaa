// SPDX-License-Identifier: Apache-2.0
#include "draw/gantt_stack.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "draw/gantt.hpp"
#include "draw/gantt_panel.hpp"
#include "draw/svg_text.hpp"
#include "draw/time_axis.hpp"

namespace copse::draw {

namespace {

class GanttStack {
 public:
  GanttStack(std::span<const plan::Compared> schedules, const TextSink& sink)
      : schedules_(schedules), canvas_(sink) {
    const auto panels = static_cast<double>(schedules.size());
    const double height_max = std::max(kMapHeightMin, std::floor(kMapsHeight / panels));
    GanttScale::Frame frame{.top = kMargin + 28, .height_max = height_max};
    for (const plan::Compared& one : schedules) {
      frame.span_s = std::max(frame.span_s, one.summary.makespan_s());
      frame.summarized =
          frame.summarized ||
          GanttScale::has_many(*one.record, kRectanglesMax / schedules.size(), height_max);
    }
    if (frame.summarized) frame.top += 18;
    for (const plan::Compared& one : schedules) {
      frame.top += kHeading;
      scales_.emplace_back(*one.record, frame);
      frame.top += scales_.back().map_height + kGap + kQueue + kGap;
    }
    height_ = frame.top + 18 + kMargin;
    for (const GanttScale& scale : scales_) {
      curves_.push_back(curves_of(scale));
      most_waiting_ = std::max(most_waiting_, curves_.back().most_waiting());
    }
  }

  [[nodiscard]] Result<void> draw() {
    canvas_.begin(GanttScale::kWidth, height_, gantt_style(),
                  gantt_patterns(scales_.front().record));
    title();
    for (std::size_t n = 0; n < scales_.size(); ++n) panel(n);
    return canvas_.end();
  }

 private:
  static constexpr double kMargin = GanttScale::kMargin;
  static constexpr double kMapsHeight = 720, kMapHeightMin = 80;  // of all nodes; of each
  static constexpr double kHeading = 28, kGap = 8, kQueue = 30;
  static constexpr double kTitleFont = 20, kHeadingFont = 13, kFont = 11;

  static std::string count(std::uint64_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", svg::grouped(static_cast<std::int64_t>(n)), n == 1 ? one : many);
  }

  void title() {
    const plan::Record& record = scales_.front().record;
    canvas_.text(kMargin, kMargin + 16, kTitleFont,
                 fmt::format("{} on {}, {}", count(record.jobs().jobs.size(), "job", "jobs"),
                             count(record.node_rows().count(), "node", "nodes"),
                             count(schedules_.size(), "discipline", "disciplines")),
                 "b");
    if (scales_.front().summarized) {
      canvas_.text(kMargin, kMargin + 36, kFont, cell_words(scales_.front()), "q");
    }
  }

  void panel(std::size_t n) {
    const GanttScale& scale = scales_[n];
    const plan::Summary& s = schedules_[n].summary;
    const std::string name = discipline_words(schedules_[n].discipline);
    canvas_.text(kMargin, scale.top - 8, kHeadingFont, name, "b");
    std::string facts = "no job started";
    if (const auto& of = s.of_started) {
      facts = fmt::format("mean wait {} · longest {} · bounded slowdown {:.2f}",
                          short_time_words(std::llround(of->mean_wait_s)),
                          short_time_words(of->longest_wait_s), of->mean_slowdown);
    }
    facts += fmt::format(" · nodes in use {:.1f} % · makespan {} · longest queue {}",
                         100 * s.nodes_used, short_time_words(s.makespan_s()),
                         svg::grouped(static_cast<std::int64_t>(s.longest_queue)));
    canvas_.text(kMargin + svg::text_width(name, kHeadingFont) + 16, scale.top - 8, kFont, facts,
                 "q");
    const double queue = scale.top + scale.map_height + kGap;
    draw_time_grid(canvas_, scale,
                   {.words = false, .curves_from = queue, .curves_to = queue + kQueue});
    draw_node_labels(canvas_, scale);
    draw_jobs(canvas_, scale);
    draw_curve(
        canvas_, scale,
        {.top = queue, .height = kQueue, .name = "waiting", .css = "n", .most = most_waiting_},
        curves_[n].waiting);
    if (n + 1 == scales_.size()) draw_time_words(canvas_, scale, queue + kQueue + 18);
  }

  std::span<const plan::Compared> schedules_;
  std::vector<GanttScale> scales_;
  std::vector<GanttCurves> curves_;
  double most_waiting_ = 1, height_ = 0;
  SvgCanvas canvas_;
};

}  // namespace

Result<void> write_gantt_stack_svg(std::span<const plan::Compared> schedules,
                                   const TextSink& sink) {
  assert(!schedules.empty());
  return GanttStack(schedules, sink).draw();
}

}  // namespace copse::draw
