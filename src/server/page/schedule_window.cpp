// SPDX-License-Identifier: Apache-2.0
#include "server/page/schedule_window.hpp"

#include <algorithm>
#include <cassert>

#include "server/page/encoding.hpp"

namespace copse::server {

namespace {

constexpr float kSteps = 8, kSeen = 0.04F;
constexpr std::uint32_t kLengthMax = UINT16_MAX;

void append_short(std::string& out, std::uint32_t number) {
  out += static_cast<char>(number & 255U);
  out += static_cast<char>(number >> 8U & 255U);
}

}  // namespace

ScheduleWindow::ScheduleWindow(const Shape& shape) : shape_(shape) {
  assert(shape.from_s < shape.to_s && shape.count > 0 && shape.rows > 0 && shape.columns > 0);
  assert(std::uint64_t{shape.rows} * shape.columns <= kCellsMax);
}

void ScheduleWindow::add(Kind kind, JobId job, std::int64_t start_s, std::int64_t end_s,
                         std::span<const NodeRange> nodes) {
  if (end_s <= shape_.from_s || start_s >= shape_.to_s) return;
  for (NodeRange run : nodes) {
    const std::uint32_t first = std::max(run.first, shape_.first);
    const std::uint32_t end = std::min(run.first + run.count, shape_.first + shape_.count);
    if (first >= end) continue;
    run.first = first;
    run.count = end - first;
    auto place = places_.find(job);
    if (place == places_.end()) {
      // Beyond the limit, further jobs share the last number.
      if (jobs_.size() < kJobsMax) jobs_.push_back(job);
      place = places_.emplace(job, static_cast<std::uint32_t>(jobs_.size() - 1)).first;
    }
    const Bar bar{place->second, kind, start_s, end_s, run};
    if (!cells_.empty()) {
      cover(bar);
      continue;
    }
    bars_.push_back(bar);
    if (bars_.size() > kBarsMax) use_cells();
  }
}

void ScheduleWindow::use_cells() {
  cells_.resize(std::size_t{shape_.rows} * shape_.columns);
  for (const Bar& bar : bars_) cover(bar);
  bars_.clear();
}

void ScheduleWindow::cover(const Bar& bar) {
  const auto span_s = static_cast<double>(shape_.to_s) - static_cast<double>(shape_.from_s);
  const auto column_of = [&](std::int64_t time_s) {
    const auto since_s = static_cast<double>(time_s) - static_cast<double>(shape_.from_s);
    return std::clamp(since_s / span_s, 0.0, 1.0) * shape_.columns;
  };
  const auto row_of = [&](std::uint32_t node) {
    return static_cast<double>(node - shape_.first) / shape_.count * shape_.rows;
  };
  const double left = column_of(bar.start_s), right = column_of(bar.end_s);
  const double top = row_of(bar.nodes.first), bottom = row_of(bar.nodes.first + bar.nodes.count);
  const double share = static_cast<double>(bar.nodes.share) / NodeRange::kWhole;
  for (auto row = static_cast<std::uint32_t>(top); row < shape_.rows && row < bottom; ++row) {
    const double high = std::min<double>(bottom, row + 1) - std::max<double>(top, row);
    for (auto column = static_cast<std::uint32_t>(left); column < shape_.columns && column < right;
         ++column) {
      const double wide = std::min<double>(right, column + 1) - std::max<double>(left, column);
      const auto covered = static_cast<float>(high * wide * share);
      Cell& cell = cells_[std::size_t{row} * shape_.columns + column];
      cell.all += covered;
      if (covered <= cell.most) continue;
      cell.most = covered;
      cell.job = static_cast<std::uint16_t>(bar.job + 1);
      cell.kind = bar.kind;
    }
  }
}

void ScheduleWindow::append(JsonWriter& json) const {
  if (cells_.empty()) {
    json.array("bars", bars_, [&](const Bar& bar) {
      json.array(std::initializer_list<std::int64_t>{bar.job, static_cast<std::int64_t>(bar.kind),
                                                     bar.start_s, bar.end_s, bar.nodes.first,
                                                     bar.nodes.count, bar.nodes.share},
                 [&](std::int64_t number) { json.value(number); });
    });
    return;
  }
  std::string bytes;
  const auto steps = [](const Cell& cell) {
    if (cell.all < kSeen) return 0U;
    return static_cast<unsigned>(std::clamp(cell.all * kSteps, 1.0F, kSteps));
  };
  const auto alike = [&](const Cell& a, const Cell& b) {
    if (steps(a) == 0 && steps(b) == 0) return true;
    return a.job == b.job && a.kind == b.kind && steps(a) == steps(b);
  };
  for (std::uint32_t row = 0; row < shape_.rows; ++row) {
    const Cell* const cells = cells_.data() + std::size_t{row} * shape_.columns;
    for (std::uint32_t column = 0; column < shape_.columns;) {
      const Cell& cell = cells[column];
      std::uint32_t length = 1;
      while (column + length < shape_.columns && length < kLengthMax &&
             alike(cell, cells[column + length])) {
        ++length;
      }
      append_short(bytes, steps(cell) == 0 ? 0 : cell.job);
      bytes += static_cast<char>(cell.kind);
      bytes += static_cast<char>(steps(cell));
      append_short(bytes, length);
      column += length;
    }
  }
  std::string text;
  append_base64(text, bytes);
  json.member("cells", text);
}

}  // namespace copse::server
