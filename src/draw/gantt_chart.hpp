// SPDX-License-Identifier: Apache-2.0
//
// GanttChart: the pieces of the picture of gantt.hpp.
//
// Invariants: times are drawn from the first submission on; rows are whole pixels high, so that
// neighbours touch without a hairline.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "draw/machine_draw.hpp"
#include "plan/record.hpp"

namespace copse::plan {

class GanttChart {
 public:
  GanttChart(const Record& record, std::string_view discipline, const TextSink& sink);
  [[nodiscard]] Result<void> draw();

 private:
  static constexpr double kWidth = 1200, kMargin = 20, kLabels = 92, kCurve = 84, kQueue = 48;
  static constexpr double kMapHeightMax = 520, kRowMax = 36;
  static constexpr std::size_t kColours = 12, kShades = 3;

  // --- gantt.cpp: the whole
  void begin();
  void header();
  void time_grid();
  void lane_labels();
  void curves();
  void curve(double top, double height, std::string_view name, std::string_view css,
             const std::vector<double>& values, double most, bool percent);
  [[nodiscard]] double x_of(std::int64_t time_s) const;
  [[nodiscard]] static std::size_t colour_of(std::uint32_t job);

  // --- gantt_detail.cpp: a rectangle for each run of nodes
  void detail();
  void draw_run(const Record::Run& run);
  [[nodiscard]] std::string words(const Record::Run& run) const;

  // --- gantt_cells.cpp: summarized
  struct Cell {
    float all = 0, most = 0;  // shares of the cell: covered, and by the job that has most of it
    std::uint8_t colour = 0;
  };
  void cells();
  void cover(const Record::Run& run, std::vector<Cell>& cells, std::vector<float>& rows) const;
  template <class Visit>
  void for_each_stripe(const std::vector<Cell>& cells, bool along_rows, Visit visit) const;
  void draw_cells(const std::vector<Cell>& cells);

  const Record& record_;
  const std::string discipline_;
  SvgCanvas canvas_;
  Summary summary_;
  bool summarized_ = false;
  double top_ = 0, map_height_ = 0, map_width_ = 0, height_ = 0;
  std::uint32_t rows_ = 1;     // of cells; else a row is a lane
  double row_height_ = 1;      // whole pixels
  std::uint32_t columns_ = 1;  // of cells, kCellWidth pixels each
  static constexpr double kCellWidth = 2;
};

}  // namespace copse::plan
