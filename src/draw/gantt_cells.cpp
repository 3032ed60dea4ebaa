// SPDX-License-Identifier: Apache-2.0
#include "draw/gantt_cells.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace copse::draw {

namespace {

constexpr std::uint8_t kOther = GanttScale::kColours;  // outside jobs
constexpr std::size_t kKeys = (GanttScale::kColours + 1) * kShades;

struct Cell {
  float all = 0, most = 0;  // shares of the cell: covered, and by the job with the largest part
  std::uint8_t colour = 0;
};

class Cells {
 public:
  explicit Cells(const GanttScale& scale)
      : scale_(scale), cells_(std::size_t{scale.rows} * scale.columns) {
    std::vector<float> rows(scale.rows, 0);
    const plan::Record& record = scale.record;
    for (const plan::Record::OutsideJob& other : record.outside_jobs()) {
      cover(other.start_s, other.end_s, {record.ranges(other), other.ranges}, kOther, rows);
    }
    for (const plan::Record::Run& run : record.runs()) {
      cover(run.start_s, run.end_s, {record.ranges(run), run.ranges},
            static_cast<std::uint8_t>(scale.colour_of(run.job)), rows);
    }
  }

  // Draws stripes along the rows or the columns, whichever are fewer.
  void draw(SvgCanvas& canvas) const {
    std::size_t across = 0, down = 0;
    for_each_stripe(true, [&](auto...) { ++across; });
    for_each_stripe(false, [&](auto...) { ++down; });
    const bool along_rows = across <= down;
    std::vector<std::string> paths(kKeys);
    for_each_stripe(along_rows, [&](std::size_t key, std::uint32_t line, std::uint32_t begin,
                                    std::uint32_t end) {
      const auto out = std::back_inserter(paths[key]);
      if (along_rows) {
        fmt::format_to(out, "M{} {}h{}", GanttScale::kLeft + begin * GanttScale::kCellWidth,
                       scale_.top + (line + 0.5) * scale_.row_height,
                       (end - begin) * GanttScale::kCellWidth);
      } else {
        fmt::format_to(out, "M{} {}v{}", GanttScale::kLeft + (line + 0.5) * GanttScale::kCellWidth,
                       scale_.top + begin * scale_.row_height, (end - begin) * scale_.row_height);
      }
    });
    for (std::size_t key = 0; key < paths.size(); ++key) {
      if (paths[key].empty()) continue;
      fmt::format_to(std::back_inserter(canvas.raw()),
                     "<path class=\"k{} s{} m\" stroke-width=\"{}\" d=\"{}\"/>\n",
                     key / kShades == kOther ? "r" : fmt::format("{}", key / kShades),
                     key % kShades, along_rows ? scale_.row_height : GanttScale::kCellWidth,
                     paths[key]);
      canvas.step();
    }
  }

 private:
  // Adds the part of each cell that a job covers. `rows` is scratch: the nodes of the job in each
  // row, as shares.
  void cover(std::int64_t start_s, std::int64_t end_s, std::span<const NodeRange> ranges,
             std::uint8_t colour, std::vector<float>& rows) {
    const double from =
        std::max((scale_.x_of(start_s) - GanttScale::kLeft) / GanttScale::kCellWidth, 0.0);
    const double until = std::min((scale_.x_of(end_s) - GanttScale::kLeft) / GanttScale::kCellWidth,
                                  double{1} * scale_.columns);
    const auto node_rows = static_cast<double>(scale_.record.node_rows().count());
    std::uint32_t low = scale_.rows, high = 0;
    for (const NodeRange& range : ranges) {
      const double share = static_cast<double>(range.share) / NodeRange::kWhole;
      const double begin = range.first / node_rows * scale_.rows,
                   end = (range.first + range.count) / node_rows * scale_.rows;
      for (auto r = static_cast<std::uint32_t>(begin); r < scale_.rows && r < end; ++r) {
        const double inside = std::min<double>(end, r + 1) - std::max<double>(begin, r);
        rows[r] += static_cast<float>(inside * share);
        low = std::min(low, r);
        high = std::max(high, r);
      }
    }
    for (std::uint32_t r = low; r <= high && r < scale_.rows; ++r) {
      if (rows[r] == 0) continue;
      for (auto c = static_cast<std::uint32_t>(from); c < scale_.columns && c < until; ++c) {
        const double inside = std::min<double>(until, c + 1) - std::max<double>(from, c);
        const auto covered = rows[r] * static_cast<float>(inside);
        Cell& cell = cells_[std::size_t{r} * scale_.columns + c];
        cell.all += covered;
        if (covered > cell.most) {
          cell.most = covered;
          cell.colour = colour;
        }
      }
      rows[r] = 0;
    }
  }

  // Calls visit(key, line, begin, end) for each run of cells of one colour and shade along the rows,
  // or along the columns.
  template <class Visit>
  void for_each_stripe(bool along_rows, Visit visit) const {
    constexpr float kIdle = 0.1F;
    const auto shade = [](float all) { return all < 0.45F ? 0U : all < 0.8F ? 1U : 2U; };
    const std::uint32_t lines = along_rows ? scale_.rows : scale_.columns;
    const std::uint32_t length = along_rows ? scale_.columns : scale_.rows;
    for (std::uint32_t line = 0; line < lines; ++line) {
      const auto key_at = [&](std::uint32_t i) -> std::size_t {
        const Cell& cell = along_rows ? cells_[std::size_t{line} * scale_.columns + i]
                                      : cells_[std::size_t{i} * scale_.columns + line];
        return cell.all < kIdle ? kKeys : cell.colour * kShades + shade(cell.all);
      };
      for (std::uint32_t begin = 0; begin < length;) {
        const std::size_t key = key_at(begin);
        std::uint32_t end = begin + 1;
        while (end < length && key_at(end) == key) ++end;
        if (key < kKeys) visit(key, line, begin, end);
        begin = end;
      }
    }
  }

  const GanttScale& scale_;
  std::vector<Cell> cells_;
};

}  // namespace

void draw_cells(SvgCanvas& canvas, const GanttScale& scale) { Cells(scale).draw(canvas); }

}  // namespace copse::draw
