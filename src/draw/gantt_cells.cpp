// SPDX-License-Identifier: Apache-2.0
//
// Many jobs: cells of some nodes over some time. One path for each colour and shade; neighbours
// are one line, as thick as a row or a column.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "draw/gantt_chart.hpp"
#include "draw/svg_text.hpp"

namespace copse::plan {

// Adds what a job covers of each cell. `rows` is scratch: lanes of the job in each row, in shares.
void GanttChart::cover(const Record::Run& run, std::vector<Cell>& cells,
                       std::vector<float>& rows) const {
  const double left = kMargin + kLabels;
  const double from = (x_of(run.start_s) - left) / kCellWidth;
  const double until = std::min((x_of(run.end_s) - left) / kCellWidth, double{1} * columns_);
  const auto lanes = static_cast<double>(record_.lanes().count());
  std::uint32_t low = rows_, high = 0;
  for (std::uint32_t i = 0; i < run.places; ++i) {
    const LaneRun& place = record_.places(run)[i];
    const double share = static_cast<double>(place.share) / LaneRun::kWhole;
    const double begin = place.first / lanes * rows_,
                 end = (place.first + place.count) / lanes * rows_;
    for (auto r = static_cast<std::uint32_t>(begin); r < rows_ && r < end; ++r) {
      const double inside = std::min<double>(end, r + 1) - std::max<double>(begin, r);
      rows[r] += static_cast<float>(inside * share);
      low = std::min(low, r);
      high = std::max(high, r);
    }
  }
  const auto colour = static_cast<std::uint8_t>(colour_of(run.job));
  for (std::uint32_t r = low; r <= high && r < rows_; ++r) {
    if (rows[r] == 0) continue;
    for (auto c = static_cast<std::uint32_t>(from); c < columns_ && c < until; ++c) {
      const double inside = std::min<double>(until, c + 1) - std::max<double>(from, c);
      const auto covered = rows[r] * static_cast<float>(inside);
      Cell& cell = cells[std::size_t{r} * columns_ + c];
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
void GanttChart::for_each_stripe(const std::vector<Cell>& cells, bool along_rows,
                                 Visit visit) const {
  constexpr float kIdle = 0.1F;
  const auto shade = [](float all) { return all < 0.45F ? 0U : all < 0.8F ? 1U : 2U; };
  const std::uint32_t lines = along_rows ? rows_ : columns_;
  const std::uint32_t length = along_rows ? columns_ : rows_;
  for (std::uint32_t line = 0; line < lines; ++line) {
    const auto key_at = [&](std::uint32_t i) -> std::size_t {
      const Cell& cell = along_rows ? cells[std::size_t{line} * columns_ + i]
                                    : cells[std::size_t{i} * columns_ + line];
      return cell.all < kIdle ? kColours * kShades : cell.colour * kShades + shade(cell.all);
    };
    for (std::uint32_t begin = 0; begin < length;) {
      const std::size_t key = key_at(begin);
      std::uint32_t end = begin + 1;
      while (end < length && key_at(end) == key) ++end;
      if (key < kColours * kShades) visit(key, line, begin, end);
      begin = end;
    }
  }
}

// Stripes along the rows or along the columns, whichever are fewer.
void GanttChart::draw_cells(const std::vector<Cell>& cells) {
  std::size_t across = 0, down = 0;
  for_each_stripe(cells, true, [&](auto...) { ++across; });
  for_each_stripe(cells, false, [&](auto...) { ++down; });
  const bool along_rows = across <= down;
  const double left = kMargin + kLabels;
  std::vector<std::string> paths(kColours * kShades);
  for_each_stripe(cells, along_rows,
                  [&](std::size_t key, std::uint32_t line, std::uint32_t begin, std::uint32_t end) {
                    const auto out = std::back_inserter(paths[key]);
                    if (along_rows) {
                      fmt::format_to(out, "M{} {}h{}", left + begin * kCellWidth,
                                     top_ + (line + 0.5) * row_height_, (end - begin) * kCellWidth);
                    } else {
                      fmt::format_to(out, "M{} {}v{}", left + (line + 0.5) * kCellWidth,
                                     top_ + begin * row_height_, (end - begin) * row_height_);
                    }
                  });
  for (std::size_t key = 0; key < paths.size(); ++key) {
    if (paths[key].empty()) continue;
    fmt::format_to(std::back_inserter(canvas_.raw()),
                   "<path class=\"k{} s{} m\" stroke-width=\"{}\" d=\"{}\"/>\n", key / kShades,
                   key % kShades, along_rows ? row_height_ : kCellWidth, paths[key]);
    canvas_.step();
  }
}

void GanttChart::cells() {
  std::vector<Cell> all(std::size_t{rows_} * columns_);
  std::vector<float> rows(rows_, 0);
  for (const Record::Run& run : record_.runs()) cover(run, all, rows);
  draw_cells(all);
}

}  // namespace copse::plan
