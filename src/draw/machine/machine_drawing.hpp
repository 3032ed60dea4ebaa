// SPDX-License-Identifier: Apache-2.0
//
// MachineDrawing: draws frames, units and their contents, piece by piece.
#pragma once

#include <string_view>
#include <vector>

#include "draw/machine/machine_inside.hpp"
#include "draw/machine/machine_plan.hpp"
#include "draw/machine/machine_words.hpp"
#include "draw/svg_canvas.hpp"

namespace copse::draw {

class MachineDrawing {
 public:
  // All three must outlive it. REQUIRES that every box of the plan is laid out.
  MachineDrawing(const MachineUse& use, const MachinePlan& plan, const TextSink& sink);
  [[nodiscard]] Result<void> draw();

 private:
  void draw_frame(const FrameBox& frame);
  void draw_bar(const Box& box, const TypeUse& use);
  void draw_unit(const UnitBox& unit);
  void draw_cell(const UnitBox& unit, UnitCounts counts);
  void draw_parts(const Box& box, const UnitCounts& counts, bool upward);
  void draw_bars(const UnitBox& unit, const UnitCounts& counts);
  void draw_inside(const UnitBox& unit);
  void draw_block_name(const InsideBlock& block, const Box& box, double font);
  void draw_row_label(const InsideRow& row, const Box& at);
  void draw_row(const InsideRow& row, Box at, std::string_view where);
  void draw_row_bar(const InsideRow& row, const Box& at, std::string_view where);
  [[nodiscard]] TypeUse use_of(const InsideRow& row) const;
  void draw_cells(const InsideRow& row, const Box& at, std::string_view where);
  void draw_marks(const Box& box, const UnitCounts& counts);
  [[nodiscard]] UnitCounts counts(const UnitBox& unit) const;

  const MachineUse& use_;
  const ResourceGraph& g_;
  const MachinePlan& plan_;
  MachineWords words_;
  SvgCanvas canvas_;
  std::vector<float> base_used_;    // used share, by base unit
  SvgCanvas::Corner corner_{0, 0};  // of the machine
};

}  // namespace copse::draw
