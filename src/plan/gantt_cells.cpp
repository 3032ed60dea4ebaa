// SPDX-License-Identifier: Apache-2.0
//
// Many jobs: cells of some nodes over some time. One path for each colour and shade; neighbours of
// one row are one line, as thick as the row.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formats/svg_text.hpp"
#include "plan/gantt_chart.hpp"

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

void GanttChart::draw_cells(const std::vector<Cell>& cells) {
  constexpr float kIdle = 0.1F;
  const auto shade = [](float all) { return all < 0.45F ? 0U : all < 0.8F ? 1U : 2U; };
  std::vector<std::string> paths(kColours * kShades);
  for (std::uint32_t r = 0; r < rows_; ++r) {
    const Cell* row = cells.data() + std::size_t{r} * columns_;
    for (std::uint32_t c = 0; c < columns_;) {
      if (row[c].all < kIdle) {
        ++c;
        continue;
      }
      const std::size_t key = row[c].colour * kShades + shade(row[c].all);
      std::uint32_t end = c + 1;
      while (end < columns_ && row[end].all >= kIdle &&
             row[end].colour * kShades + shade(row[end].all) == key) {
        ++end;
      }
      fmt::format_to(std::back_inserter(paths[key]), "M{} {}h{}",
                     kMargin + kLabels + c * kCellWidth, top_ + (r + 0.5) * row_height_,
                     (end - c) * kCellWidth);
      c = end;
    }
  }
  for (std::size_t key = 0; key < paths.size(); ++key) {
    if (paths[key].empty()) continue;
    fmt::format_to(std::back_inserter(canvas_.raw()), "<path class=\"j{} s{} m\" d=\"{}\"/>\n",
                   key / kShades, key % kShades, paths[key]);
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
