// SPDX-License-Identifier: Apache-2.0
#include "draw/machine/machine_layout.hpp"

#include <algorithm>
#include <cmath>

#include "draw/machine/machine_inside.hpp"
#include "draw/svg_text.hpp"

namespace copse::draw {

namespace {

// Places the boxes row by row; returns the total size.
Box place_rows(std::span<Box* const> boxes, double gap, double width, bool place) {
  Box all;
  double x = 0, y = 0, row = 0;
  for (Box* box : boxes) {
    if (x > 0 && x + box->w > width + 0.01) {
      y += row + gap;
      x = row = 0;
    }
    if (place) {
      box->x = x;
      box->y = y;
    }
    x += box->w + gap;
    row = std::max(row, box->h);
    all.w = std::max(all.w, x - gap);
  }
  all.h = y + row;
  return all;
}

constexpr double kPad = 5;

double unit_gap(const MachinePlan& plan) { return plan.detail == Detail::all ? 5 : 2; }

// The space above a frame's contents; the root's name is in the title of the picture.
double top_of(std::uint32_t frame) { return frame == 0 ? 0 : frame_label_height() + 2; }
double side_of(std::uint32_t frame) { return frame == 0 ? 0 : kPad; }

void size_unit(MachinePlan& plan, const MachineUse& use, UnitBox& unit) {
  if (plan.detail == Detail::all) {
    const Inside in = inside(use, unit.pool, plan.cell);
    unit.box.w = in.blocks[0].box.w;
    unit.box.h = in.blocks[0].box.h;
  } else if (plan.detail == Detail::bars) {
    unit.box = {0, 0, 24, 4 + 6 * static_cast<double>(MachinePlan::kBarsMax)};
  } else {
    unit.box = {0, 0, plan.cell, plan.cell};
  }
}

// The side of small cells: as large as a picture of about 1,500 x 900 allows.
double cell_side(std::size_t cells) {
  const double side = std::sqrt(900'000.0 / static_cast<double>(std::max<std::size_t>(cells, 1)));
  return std::clamp(std::floor(side) - 2, 7.0, 40.0);
}

}  // namespace

Box shelve(std::span<Box* const> boxes, double gap, double aspect) {
  if (boxes.empty()) return {};
  double widest = 0, best = 0, best_width = 0, width = -gap, area = 0;
  for (const Box* box : boxes) {
    widest = std::max(widest, box->w);
    area += (box->w + gap) * (box->h + gap);
  }
  bool found = false;
  std::size_t next = 1;
  for (std::size_t c = 1; c <= boxes.size(); ++c) {
    width += boxes[c - 1]->w + gap;
    if (c < next && c != boxes.size()) continue;
    next = c + 1 + c / 16;
    const Box all = place_rows(boxes, gap, std::max(width, widest), false);
    const double waste = 1 - area / ((all.w + gap) * (all.h + gap));
    const double score = std::abs(std::log(all.w / std::max(all.h, 1.0) / aspect)) + 5 * waste;
    if (!found || score < best) {
      found = true;
      best = score;
      best_width = std::max(width, widest);
    }
  }
  return place_rows(boxes, gap, best_width, true);
}

void lay_out(MachinePlan& plan, const MachineUse& use) {
  if (plan.detail == Detail::cells || plan.detail == Detail::summary) {
    plan.cell = cell_side(plan.units.size());
  }
  for (UnitBox& unit : plan.units) size_unit(plan, use, unit);
  for (auto f = static_cast<std::uint32_t>(plan.frames.size()); f-- > 0;) {  // children first
    FrameBox& frame = plan.frames[f];
    std::vector<Box*> boxes;
    bool frames_only = true;
    for (const MachinePlan::Item& item : plan.items[f]) {
      boxes.push_back(item.frame ? &plan.frames[item.index].box : &plan.units[item.index].box);
      frames_only &= item.frame;
    }
    const double aspect = f == 0 ? 1.6 : frames_only ? 1.3 : 0.8;
    const Box all = shelve(boxes, frames_only ? 10 : unit_gap(plan), aspect);
    const double bars = static_cast<double>(std::min(frame.bars.size(), MachinePlan::kBarsMax)) *
                        frame_bar_height();
    const double name = svg::text_width(svg::shortened(use.graph().name(frame.pool), 10), 10);
    frame.box.w = std::max(all.w, name + 4) + 2 * side_of(f);
    frame.box.h = all.h + top_of(f) + (bars > 0 ? bars + 4 : 0) + side_of(f);
  }
  for (std::uint32_t f = 0; f < plan.frames.size(); ++f) {  // from relative to absolute
    const Box at = plan.frames[f].box;
    for (const MachinePlan::Item& item : plan.items[f]) {
      Box& box = item.frame ? plan.frames[item.index].box : plan.units[item.index].box;
      box.x += at.x + side_of(f);
      box.y += at.y + top_of(f);
    }
  }
  const Box& whole = plan.frames.empty() ? plan.units[0].box : plan.frames[0].box;
  plan.width = whole.w;
  plan.height = whole.h;
}

}  // namespace copse::draw
