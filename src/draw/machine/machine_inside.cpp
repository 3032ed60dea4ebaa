// SPDX-License-Identifier: Apache-2.0
#include "draw/machine/machine_inside.hpp"

#include <algorithm>
#include <cmath>

#include "draw/machine/machine_layout.hpp"

namespace copse::draw {

namespace {

constexpr std::uint32_t kBlockDepthMax = 2;
constexpr std::size_t kRowsMax = 16;

// A number of columns that fills the rows evenly if possible, about twice as wide as high.
std::uint32_t columns_for(std::size_t cells) {
  const auto n = static_cast<std::uint32_t>(cells);
  const auto low = static_cast<std::uint32_t>(std::ceil(std::sqrt(1.5 * n)));
  const auto high = static_cast<std::uint32_t>(std::floor(std::sqrt(4.5 * n)));
  for (std::uint32_t c = low; c <= high; ++c) {
    if (n % c == 0) return c;
  }
  return std::max(1U, std::min(n, low));
}

double label_height(double font) { return font > 0 ? font + 3 : 0; }

class InsideBuilder {
 public:
  InsideBuilder(const MachineUse& use, double cell) : g_(use.graph()), cell_(cell) {}

  Inside make(PoolId unit) {
    collect(unit);
    if (out_.blocks.size() == 1 && out_.blocks[0].rows.empty()) {  // a leaf: its own cell
      out_.blocks[0].rows.push_back({.type = g_.type(unit), .pools = {unit}});
      note_amount(out_.blocks[0].rows[0], unit);
    }
    below_.resize(out_.blocks.size());
    for (std::size_t b = 1; b < out_.blocks.size(); ++b) {
      below_[out_.blocks[b].parent].push_back(&out_.blocks[b].box);
    }
    for (std::size_t b = out_.blocks.size(); b-- > 0;) size_block(b);
    for (InsideBlock& block : out_.blocks) {  // from relative to the parent to relative to the unit
      if (block.depth > 0) {
        block.box.x += out_.blocks[block.parent].box.x;
        block.box.y += out_.blocks[block.parent].box.y;
      }
      for (InsideRow& row : block.rows) {
        row.box.x += block.box.x;
        row.box.y += block.box.y;
      }
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool cell_like(PoolId p) const {
    const std::string& type = g_.type_name(p);
    return g_.leaf(p) || type == "core" || type == "gpu";
  }
  void note_amount(InsideRow& row, PoolId p) const {
    row.bar |= g_.leaf(p) && (g_.size(p) != 1 || !g_.unit_text(p).empty());
  }

  void collect(PoolId unit) {
    out_.blocks.push_back({.pool = unit});
    std::vector<std::uint32_t> open{0};  // blocks around a pool
    const std::uint32_t end = g_.end(unit).v;
    for (std::uint32_t v = unit.v + 1; v < end;) {
      const PoolId p{v};
      while (g_.end(out_.blocks[open.back()].pool).v <= v) open.pop_back();
      if (cell_like(p)) {
        add(out_.blocks[open.back()], p);
        v = g_.end(p).v;
        continue;
      }
      if (open.size() <= kBlockDepthMax) {
        const auto depth = static_cast<std::uint32_t>(open.size());
        out_.blocks.push_back({.pool = p, .parent = open.back(), .depth = depth});
        open.push_back(static_cast<std::uint32_t>(out_.blocks.size() - 1));
      }
      ++v;
    }
  }

  void add(InsideBlock& block, PoolId p) {
    auto at =
        std::ranges::find_if(block.rows, [&](const InsideRow& r) { return r.type == g_.type(p); });
    if (at == block.rows.end()) {
      if (block.rows.size() == kRowsMax) return;
      block.rows.push_back({.type = g_.type(p)});
      at = block.rows.end() - 1;
    }
    at->pools.push_back(p);
    note_amount(*at, p);
  }

  // Children have sizes already; rows are below them.
  void size_block(std::size_t b) {
    InsideBlock& block = out_.blocks[b];
    const bool unit = block.depth == 0;
    const double pad = unit ? 4 : 3, font = unit ? unit_font(cell_) : row_font(cell_);
    const double top = font > 0 ? label_height(font) + 1 : pad;
    const Box children = shelve(below_[b], 3, 2.5);
    for (Box* box : below_[b]) {
      box->x += pad;
      box->y += top;
    }
    double width = std::max(children.w, (unit ? 6 : 4) * cell_);
    for (InsideRow& row : block.rows) width = std::max(width, size_cells(row));
    double y = top + children.h;
    for (InsideRow& row : block.rows) {
      if (y > top) y += 3;
      y += label_height(row_font(cell_));
      row.box.x = pad;
      row.box.y = y;
      if (row.bar) row.box = {pad, y, width, std::max(4.0, std::round(cell_ * 0.7))};
      y += row.box.h;
    }
    block.box.w = width + 2 * pad;
    block.box.h = y + pad;
  }

  double size_cells(InsideRow& row) const {
    if (row.bar) return 0;
    row.gap = cell_ >= 9 ? 2 : 1;
    const bool wide = row.wide = g_.type_name(row.type) != "core";  // distinguished by their shape
    row.cell_h = cell_;
    row.cell_w = wide ? 2 * cell_ + row.gap : cell_;
    row.columns = columns_for(row.pools.size() * (wide ? 2 : 1));
    if (wide) row.columns = std::max(1U, row.columns / 2);
    const std::size_t rows = (row.pools.size() + row.columns - 1) / row.columns;
    row.box.w = row.columns * (row.cell_w + row.gap) - row.gap;
    row.box.h = static_cast<double>(rows) * (row.cell_h + row.gap) - row.gap;
    return row.box.w;
  }

  const ResourceGraph& g_;
  double cell_;
  Inside out_;
  std::vector<std::vector<Box*>> below_;  // by block
};

}  // namespace

double unit_font(double cell) { return std::clamp(cell, 7.0, 14.0); }
double row_font(double cell) { return cell >= 18 ? 10 : cell >= 12 ? 8 : 0; }

std::uint64_t Inside::shapes() const {
  std::uint64_t count = 0;
  for (const InsideBlock& block : blocks) {
    count += 2;  // its box, and what is drawn over it
    for (const InsideRow& row : block.rows) count += row.bar ? 6 : 2 * row.pools.size();
  }
  return count;
}

Inside inside(const MachineUse& use, PoolId unit, double cell) {
  return InsideBuilder(use, cell).make(unit);
}

}  // namespace copse::draw
