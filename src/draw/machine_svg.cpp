// SPDX-License-Identifier: Apache-2.0
#include "draw/machine_svg.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "draw/machine/machine_header.hpp"
#include "draw/machine/machine_inside.hpp"
#include "draw/machine/machine_layout.hpp"
#include "draw/machine/machine_plan.hpp"
#include "draw/machine/machine_words.hpp"
#include "draw/svg_canvas.hpp"
#include "draw/svg_text.hpp"

namespace copse::draw {

namespace {

// Draws frames, units and their contents, piece by piece.
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

// Parts of different jobs in one cell: fewer if there are many cells (kMachineShapesMax).
std::size_t parts_max(std::size_t units) { return units <= 12'000 ? 3 : 1; }

constexpr double kLabelFont = 10, kBarFont = 8;
constexpr double kReservedInset = 0.5;  // half of the line around reserved parts

double share_of(const TypeUse& use) {
  return use.total > 0 ? static_cast<double>(use.used) / static_cast<double>(use.total) : 0;
}

MachineDrawing::MachineDrawing(const MachineUse& use, const MachinePlan& plan, const TextSink& sink)
    : use_(use), g_(use.graph()), plan_(plan), words_(use, plan), canvas_(sink) {
  base_used_.reserve(plan_.bases.size());
  for (const PoolId base : plan_.bases) {
    base_used_.push_back(static_cast<float>(counts_of(use_, base).used));
  }
}

Result<void> MachineDrawing::draw() {
  corner_ = draw_header(canvas_, use_, plan_, words_, base_used_);
  for (const FrameBox& frame : plan_.frames) {
    draw_frame(frame);
    if (!canvas_.step()) return canvas_.end();
  }
  for (const UnitBox& unit : plan_.units) {
    draw_unit(unit);
    if (!canvas_.step()) return canvas_.end();
  }
  return canvas_.end();
}

void MachineDrawing::draw_frame(const FrameBox& frame) {
  const bool root = &frame == &plan_.frames[0];
  const Box at{frame.box.x + corner_.x, frame.box.y + corner_.y, frame.box.w, frame.box.h};
  double used = 0;
  for (std::uint32_t b = frame.base_first; b < frame.base_end; ++b) used += base_used_[b];
  const std::uint32_t bases = frame.base_end - frame.base_first;
  const double side = root ? 0 : 5, inner = at.w - 2 * side;
  if (!root) {
    const std::string percent =
        bases == 0 ? "" : fmt::format("{:.0f}%", 100 * used / static_cast<double>(bases));
    canvas_.rect(at, "k",
                 fmt::format("{}\n{} units, {} used", words_.path(frame.pool), bases, percent));
    const double percent_w = svg::text_width(percent, kBarFont);
    std::string name = svg::fitted(g_.name(frame.pool), kLabelFont, inner - percent_w - 6);
    const bool both = !name.empty() && !name.ends_with("…");
    if (!both) name = svg::fitted(g_.name(frame.pool), kLabelFont, inner);
    canvas_.text(at.x + side, at.y + 11, kLabelFont, name);
    if (both) canvas_.text(at.x + at.w - side - percent_w, at.y + 11, kBarFont, percent, "q");
  }
  const std::size_t bars = std::min(frame.bars.size(), MachinePlan::kBarsMax);
  double y = at.y + at.h - side - static_cast<double>(bars) * frame_bar_height();
  for (std::size_t b = 0; b < bars; ++b, y += frame_bar_height()) {
    draw_bar({at.x + side, y, inner, frame_bar_height() - 2}, frame.bars[b]);
  }
}

// A name, and to its right the bar; without enough space, only the bar.
void MachineDrawing::draw_bar(const Box& box, const TypeUse& use) {
  const std::string& type = g_.type_name(use.type);
  const std::string name = svg::fitted(type, kBarFont, box.w / 2 - 4);
  const double shift = name.empty() ? 0 : svg::text_width(name, kBarFont) + 4;
  canvas_.open_group(svg::shortened(type, 60) + ": " + use_.words(use));
  canvas_.text(box.x, box.y + 7.5, kBarFont, name, "q");
  Box bar{box.x + shift, box.y + 1, box.w - shift, box.h - 2};
  canvas_.rect(bar, "f");
  bar.w *= share_of(use);
  if (use.used > 0) canvas_.rect(bar, use.used == use.total ? "u" : "p");
  canvas_.close_group();
}

UnitCounts MachineDrawing::counts(const UnitBox& unit) const {
  if (unit.base_first == unit.base_end) return counts_of(use_, unit.pool);
  UnitCounts out;
  for (std::uint32_t b = unit.base_first; b < unit.base_end; ++b) {
    out.add(counts_of(use_, plan_.bases[b]));
  }
  out.scale(1.0 / (unit.base_end - unit.base_first));
  return out;
}

void MachineDrawing::draw_unit(const UnitBox& unit) {
  if (plan_.detail == Detail::all) {
    draw_inside(unit);
  } else if (plan_.detail == Detail::bars) {
    draw_bars(unit, counts(unit));
  } else {
    draw_cell(unit, counts(unit));
  }
}

void MachineDrawing::draw_cell(const UnitBox& unit, UnitCounts t) {
  const Box at{unit.box.x + corner_.x, unit.box.y + corner_.y, unit.box.w, unit.box.h};
  canvas_.open_group(words_.unit(unit, t));
  t.limit_parts(parts_max(plan_.units.size()));
  if (t.used < 0.999) canvas_.rect(at, "f");
  draw_parts(at, t, true);
  draw_marks(at, t);
  if (plan_.frame_cells) {  // the name, or its number, if either fits
    std::string name = g_.name(unit.pool);
    if (svg::text_width(name, kBarFont) > at.w - 4) name = fmt::format("{}", g_.id(unit.pool));
    if (svg::text_width(name, kBarFont) <= at.w - 4) {
      canvas_.text(at.x + 2, at.y + 9, kBarFont, name, "t h");
    }
  }
  canvas_.close_group();
}

// The used part from one end on, then the reserved part; its line is within its box.
void MachineDrawing::draw_parts(const Box& box, const UnitCounts& t, bool upward) {
  double from = 0;
  const auto part = [&](double share, const std::string& css_class, double inset) {
    Box b = box;
    if (upward) {
      b.h = box.h * share;
      b.y = box.y + box.h * (1 - from - share);
    } else {
      b.w = box.w * share;
      b.x = box.x + box.w * from;
    }
    from += share;
    b = {b.x + inset, b.y + inset, b.w - 2 * inset, b.h - 2 * inset};
    if (b.w > 0.05 && b.h > 0.05) canvas_.rect(b, css_class);
  };
  for (const Part& p : t.parts) part(p.share, words_.job_class(p.job, t.used), 0);
  part(std::min(t.reserved, 1 - from), "r", kReservedInset);
}

void MachineDrawing::draw_marks(const Box& box, const UnitCounts& t) {
  double y = box.y;
  for (const auto& [mark, share] :
       {std::pair{Mark::down, t.down}, {Mark::drained, t.drained}, {Mark::excluded, t.excluded}}) {
    if (share <= 0.001) continue;
    canvas_.rect({box.x, y, box.w, box.h * share}, css(mark));
    y += box.h * share;
  }
}

void MachineDrawing::draw_bars(const UnitBox& unit, const UnitCounts& t) {
  const Box at{unit.box.x + corner_.x, unit.box.y + corner_.y, unit.box.w, unit.box.h};
  canvas_.open_group(words_.unit(unit, t));
  canvas_.rect(at, "c");
  Box bar{at.x + 2, at.y + 2, at.w - 4, 5};
  std::size_t bars = 0;
  for (const TypeUse& use : use_.uses(unit.pool.v, g_.end(unit.pool).v)) {
    if (!use_.of_leaves(use.type) || bars++ == MachinePlan::kBarsMax) continue;
    UnitCounts of_type = t;
    if (t.used > 0) of_type.scale(share_of(use) / t.used);
    of_type.reserved = t.reserved > 0 ? 1 - share_of(use) : 0;
    of_type.used = share_of(use);
    of_type.limit_parts(3);
    canvas_.rect(bar, "f");
    draw_parts(bar, of_type, false);
    bar.y += 6;
    if (bars == MachinePlan::kBarsMax) break;
  }
  if (use_.mark(unit.pool) != Mark::none) canvas_.rect(at, css(use_.mark(unit.pool)));
  canvas_.close_group();
}

void MachineDrawing::draw_inside(const UnitBox& unit) {
  const Box at{unit.box.x + corner_.x, unit.box.y + corner_.y, 0, 0};
  const Inside in = inside(use_, unit.pool, plan_.cell);
  for (const InsideBlock& block : in.blocks) {
    const bool top = block.depth == 0;
    const Box box{at.x + block.box.x, at.y + block.box.y, block.box.w, block.box.h};
    const std::uint32_t owner = use_.owner(block.pool);
    const bool own = top && words_.by_job() && owner != MachineUse::kNoJob;
    const std::string frame = own ? fmt::format("o{}", owner) : top ? "c" : "i";
    canvas_.rect(box, frame, words_.path(block.pool) + "\n" + words_.state(block.pool));
    const double font = top ? unit_font(plan_.cell) : row_font(plan_.cell);
    if (font > 0) draw_block_name(block, box, font);
  }
  for (const InsideBlock& block : in.blocks) {
    const std::string where = words_.path(block.pool);
    for (const InsideRow& row : block.rows) draw_row(row, at, where);
  }
  for (const InsideBlock& block : in.blocks) {  // where a mark begins: over everything below
    const Mark mark = use_.mark(block.pool);
    if (mark == Mark::none) continue;
    if (block.depth > 0 && use_.mark(in.blocks[block.parent].pool) == mark) continue;
    const double font = block.depth == 0 ? unit_font(plan_.cell) : row_font(plan_.cell);
    const double name = font > 0 ? font + 3 : 0;  // the name stays readable
    canvas_.rect({at.x + block.box.x, at.y + block.box.y + name, block.box.w, block.box.h - name},
                 css(mark), words_.path(block.pool) + "\n" + words_.state(block.pool));
  }
  for (const InsideBlock& block : in.blocks) {
    for (const InsideRow& row : block.rows) draw_row_label(row, at);
  }
}

// The name, followed by the word for what excludes the unit from use.
void MachineDrawing::draw_block_name(const InsideBlock& block, const Box& box, double font) {
  const double y = box.y + font + 1, room = box.w - 8;
  const std::string name = svg::fitted(g_.name(block.pool), font, room);
  canvas_.text(box.x + 4, y, font, name, block.depth == 0 ? "t" : "q");
  const char* mark = word(use_.mark(block.pool));
  const double mark_w = svg::text_width(mark, font - 1);
  if (block.depth > 0 || svg::text_width(name, font) + 6 + mark_w > room) return;
  canvas_.text(box.x + 4 + room - mark_w, y, font - 1, mark, "q");
}

TypeUse MachineDrawing::use_of(const InsideRow& row) const {
  std::vector<TypeUse> uses;
  for (const PoolId p : row.pools) use_.add_use(p, uses);
  return uses[0];  // a row has pools, all of one type
}

void MachineDrawing::draw_row_label(const InsideRow& row, const Box& at) {
  const double font = row_font(plan_.cell), room = std::max(row.box.w, 4 * plan_.cell);
  if (font == 0) return;
  std::string label = svg::shortened(g_.type_name(row.type), 40) + " " + use_.words(use_of(row));
  if (svg::text_width(label, font) > room) label = g_.type_name(row.type);
  const bool marked = use_.mark(row.pools[0]) != Mark::none;
  canvas_.text(at.x + row.box.x, at.y + row.box.y - 3, font, svg::fitted(label, font, room),
               marked ? "q h" : "q");
}

void MachineDrawing::draw_row(const InsideRow& row, Box at, std::string_view where) {
  at = {at.x + row.box.x, at.y + row.box.y, row.box.w, row.box.h};
  if (row.bar) {
    draw_row_bar(row, at, where);
  } else {
    draw_cells(row, at, where);
  }
}

void MachineDrawing::draw_row_bar(const InsideRow& row, const Box& at, std::string_view where) {
  const TypeUse use = use_of(row);
  UnitCounts t;
  bool reserved = false;
  for (const PoolId p : row.pools) {
    reserved |= use_.next(p) != MachineUse::kNoJob;
    if (use_.owner(p) == MachineUse::kNoJob || use.total == 0) continue;
    const double share = static_cast<double>(g_.size(p)) / static_cast<double>(use.total);
    t.add({.used = share, .parts = {{use_.owner(p), share}}});
  }
  if (reserved) t.reserved = 1 - t.used;
  canvas_.open_group(fmt::format("{}\n{} {}{}", where, svg::shortened(g_.type_name(row.type), 40),
                                 use_.words(use), words_.jobs(t)));
  t.limit_parts(3);
  canvas_.rect(at, "f");
  draw_parts(at, t, false);
  canvas_.close_group();
}

// Cells that look alike are one element, whose tooltip lists them.
void MachineDrawing::draw_cells(const InsideRow& row, const Box& at, std::string_view where) {
  struct Alike {
    std::vector<SvgCanvas::Corner> corners;
    PoolId first, last;
  };
  // Their tooltips are alike, too: the job that uses them, and the next one.
  using Look = std::tuple<std::string, std::uint32_t, std::uint32_t>;
  std::map<Look, Alike> by_colour, by_mark;
  std::size_t i = 0;
  for (const PoolId p : row.pools) {
    const std::size_t line_number = i / row.columns;
    const auto column = static_cast<double>(i % row.columns);
    const auto line = static_cast<double>(line_number);
    ++i;
    const SvgCanvas::Corner corner{at.x + column * (row.cell_w + row.gap),
                                   at.y + line * (row.cell_h + row.gap)};
    const auto note = [&](Alike& alike) {
      if (alike.corners.empty()) alike.first = p;
      alike.last = p;
      alike.corners.push_back(corner);
    };
    note(by_colour[{words_.colour(p), use_.owner(p), use_.next(p)}]);
    const PoolId parent = g_.parent(p);
    const bool own = parent == kNoPool || use_.mark(parent) != use_.mark(p);
    if (use_.mark(p) != Mark::none && own) {
      note(by_mark[{css(use_.mark(p)), use_.owner(p), use_.next(p)}]);
    }
  }
  for (const auto* alikes : {&by_colour, &by_mark}) {
    for (const auto& [look, alike] : *alikes) {
      const std::string names = alike.corners.size() == 1
                                    ? g_.name(alike.first)
                                    : g_.name(alike.first) + " … " + g_.name(alike.last);
      const double inset = std::get<0>(look) == "r" ? kReservedInset : 0;
      canvas_.rects(alike.corners, inset, row.cell_w, row.cell_h, std::get<0>(look),
                    fmt::format("{}\n{}: {} of type {}, {}", where, svg::shortened(names, 80),
                                alike.corners.size(), svg::shortened(g_.type_name(row.type), 40),
                                words_.state(alike.first)));
    }
  }
}

}  // namespace

Result<void> write_machine_svg(const MachinePicture& picture, const TextSink& sink) {
  if (picture.engine != nullptr && &picture.engine->graph() != &picture.graph) {
    return fail(ErrorCode::not_found, "the engine of the picture is one on another graph");
  }
  if (picture.graph.changed()) {
    return fail(ErrorCode::unsupported, "the machine has changed: call Engine::compact() first");
  }
  for (const auto& pools : {picture.drained, picture.excluded}) {
    for (const PoolId p : pools) {
      if (p.v < picture.graph.pool_count()) continue;
      return fail(ErrorCode::not_found, "there is no pool " + std::to_string(p.v) +
                                            "; the graph has " +
                                            std::to_string(picture.graph.pool_count()));
    }
  }
  const MachineUse use(picture);
  MachinePlan plan = make_plan(use);
  lay_out(plan, use);
  return MachineDrawing(use, plan, sink).draw();
}

Result<void> write_machine_svg(const MachinePicture& picture, std::string& out) {
  return write_machine_svg(picture, sink_into(out));
}

}  // namespace copse::draw
