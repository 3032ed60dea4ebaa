// SPDX-License-Identifier: Apache-2.0
//
// Drawing a planned machine: SVG elements, piece by piece.
//
// Colours are CSS classes: f free, p partly and u wholly used, j0 … j11 by job, s several jobs,
// r reserved; over them d down, n drained, x excluded.
#pragma once

#include <string>
#include <string_view>

#include "draw/machine_plan.hpp"
#include "formats/graph_text.hpp"

namespace copse {

// Elements of SVG, appended to pieces of text.
class SvgCanvas {
 public:
  explicit SvgCanvas(const TextSink& sink) : pieces_(sink) {}

  [[nodiscard]] std::string& raw() { return pieces_.text(); }
  bool step() { return pieces_.step(); }
  [[nodiscard]] Result<void> finish() { return pieces_.finish(); }

  // `title`: what is shown when it is pointed at; "" for none.
  void rect(const Box& box, std::string_view css, std::string_view title = {});
  void text(double x, double y, double font, std::string_view text, std::string_view css = "t");
  // From open_group to close_group, one title holds for all.
  void open_group(std::string_view title);
  void close_group() { raw() += "</g>\n"; }
  // Several equal rectangles as one element, each smaller by `inset` on every side.
  struct Corner {
    double x, y;
  };
  void rects(const std::vector<Corner>& corners, double inset, double w, double h,
             std::string_view css, std::string_view title);

 private:
  void append_title(std::string_view title);
  TextPieces pieces_;
};

// Jobs that have a colour each; with more, colours say only how much is used.
inline constexpr std::size_t kJobColours = 12;

class MachineDrawing {
 public:
  MachineDrawing(const MachineUse& use, Plan plan, const TextSink& sink);
  [[nodiscard]] Result<void> draw();

 private:
  struct Totals {  // of base units
    std::uint64_t used = 0, marked[4] = {};
  };
  struct Sample {
    std::string css, words;
    bool over = false;  // drawn over the colour of a free pool
  };

  // --- machine_header.cpp: all above the machine
  void header();
  void begin(double height);
  [[nodiscard]] std::vector<std::string> facts() const;
  [[nodiscard]] std::vector<std::string> happenings() const;
  [[nodiscard]] std::string explanation() const;
  [[nodiscard]] std::string forms() const;
  [[nodiscard]] std::vector<Sample> legend() const;

  // --- machine_draw.cpp
  void draw_frame(const FrameBox& frame);
  void draw_bar(const Box& box, const TypeUse& use);
  void draw_unit(const UnitBox& unit);
  void draw_cell(const UnitBox& unit, Tally tally);
  void draw_parts(const Box& box, const Tally& tally, bool upward);
  void draw_bars(const UnitBox& unit, const Tally& tally);
  void draw_inside(const UnitBox& unit);
  void draw_block_name(const InsideBlock& block, const Box& box, double font);
  void draw_row_label(const InsideRow& row, const Box& at);
  void draw_row(const InsideRow& row, Box at, std::string_view where);
  void draw_row_bar(const InsideRow& row, const Box& at, std::string_view where);
  [[nodiscard]] TypeUse use_of(const InsideRow& row) const;
  void draw_cells(const InsideRow& row, const Box& at, std::string_view where);
  void draw_marks(const Box& box, const Tally& tally);
  [[nodiscard]] Tally tally(const UnitBox& unit) const;

  // --- Words and colours
  [[nodiscard]] std::string colour(PoolId p) const;
  [[nodiscard]] std::string job_class(std::uint32_t job, double share) const;
  [[nodiscard]] std::string job_words(const Tally& tally) const;
  [[nodiscard]] std::string path(PoolId p) const;
  [[nodiscard]] std::string unit_words(const UnitBox& unit, const Tally& tally) const;
  [[nodiscard]] std::string state_words(PoolId p) const;
  [[nodiscard]] bool by_job() const { return use_.running().size() <= kJobColours; }

  const MachineUse& use_;
  const ResourceGraph& g_;
  Plan plan_;
  SvgCanvas canvas_;
  std::vector<float> base_used_;  // by base unit
  Totals totals_;
  bool any_marked_[4] = {};       // by Mark: some pool has it
  std::vector<bool> leaf_types_;  // by type: some leaf has it, or it is one that jobs ask for
  double left_ = 0, top_ = 0, width_ = 0;  // the machine's corner, the picture's width
};

// "d", "n", "x", or "" for none; and in words.
[[nodiscard]] const char* css(Mark mark);
[[nodiscard]] const char* word(Mark mark);

}  // namespace copse
