// SPDX-License-Identifier: Apache-2.0
#include "time/planner.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

namespace copse {

using steps::instant;
using steps::time_of;

namespace {

// Amounts and changes in a narrow tree are bounded by this, so their differences fit 32 bits.
constexpr std::int64_t kNarrowMax = std::int64_t{1} << 30;

std::uint64_t magnitude_of(Planner::Amounts amounts) {
  std::uint64_t most = 0;
  for (const std::int64_t amount : amounts) {
    const auto bits = static_cast<std::uint64_t>(amount);
    most = std::max(most, amount < 0 ? -bits : bits);
  }
  return most;
}

bool is_narrow(const steps::StepTree<std::int32_t>& tree) {
  for (std::uint32_t k = 0; k < tree.dimensions(); ++k) {
    if (tree.largest(k, 0, ~steps::Instant{0}) > kNarrowMax) return false;
    if (tree.smallest(k) < -kNarrowMax) return false;
  }
  return true;
}

}  // namespace

Planner::Planner(std::uint32_t dimensions) : tree_(Narrow(dimensions)) {}

std::uint32_t Planner::dimensions() const {
  return std::visit([](const auto& tree) { return tree.dimensions(); }, tree_);
}

std::size_t Planner::step_count() const {
  return std::visit([](const auto& tree) { return tree.steps(); }, tree_);
}

void Planner::widen() {
  struct Copy {
    Wide wide;
    std::vector<std::int64_t> before, change;
  };
  const std::uint32_t d = dimensions();
  Copy copy{Wide(d), std::vector<std::int64_t>(d, 0), std::vector<std::int64_t>(d)};
  std::get<Narrow>(tree_).visit(
      [](void* context, steps::Instant at, Amounts amounts, std::uint32_t references) {
        Copy& to = *static_cast<Copy*>(context);
        for (std::size_t k = 0; k < amounts.size(); ++k) to.change[k] = amounts[k] - to.before[k];
        to.wide.append(at, to.change.data(), references);
        to.before.assign(amounts.begin(), amounts.end());
      },
      &copy);
  tree_ = std::move(copy.wide);
}

void Planner::add(std::int64_t start, std::int64_t end, Amounts amounts) {
  assert(start < end && amounts.size() == dimensions());
  if (std::holds_alternative<Narrow>(tree_)) {
    const std::uint64_t magnitude = magnitude_of(amounts);
    if (magnitude > std::uint64_t{kNarrowMax}) {
      widen();
    } else {
      magnitude_ += magnitude;
    }
  }
  std::visit([&](auto& tree) { tree.add(instant(start), instant(end), amounts.data()); }, tree_);
  if (magnitude_ <= std::uint64_t{kNarrowMax}) return;
  if (const Narrow* narrow = std::get_if<Narrow>(&tree_); narrow && !is_narrow(*narrow)) widen();
}

void Planner::remove(std::int64_t start, std::int64_t end, Amounts amounts) {
  assert(!empty() && amounts.size() == dimensions());
  std::visit([&](auto& tree) { tree.remove(instant(start), instant(end), amounts.data()); }, tree_);
  if (std::holds_alternative<Narrow>(tree_)) {
    magnitude_ -= magnitude_of(amounts);
  } else if (empty()) {
    tree_ = Narrow(dimensions());
    magnitude_ = 0;
  }
}

void Planner::move(std::int64_t start, std::int64_t end, std::int64_t to_start, std::int64_t to_end,
                   Amounts amounts) {
  assert(!empty() && to_start < to_end && amounts.size() == dimensions());
  if (magnitude_ > std::uint64_t{kNarrowMax}) {  // the sum with others may exceed the bound
    remove(start, end, amounts);
    return add(to_start, to_end, amounts);
  }
  std::visit(
      [&](auto& tree) {
        tree.move(instant(start), instant(end), instant(to_start), instant(to_end), amounts.data());
      },
      tree_);
}

std::int64_t Planner::max_used(std::uint32_t dimension, std::int64_t start,
                               std::int64_t end) const {
  return std::visit(
      [&](const auto& tree) { return tree.largest(dimension, instant(start), instant(end) - 1); },
      tree_);
}

std::int64_t Planner::min_used(std::uint32_t dimension, std::int64_t start,
                               std::int64_t end) const {
  assert(start < end);
  return std::visit(
      [&](const auto& tree) { return tree.least(dimension, instant(start), instant(end) - 1); },
      tree_);
}

std::optional<std::int64_t> Planner::next_step(std::int64_t time) const {
  const auto step = std::visit([&](const auto& tree) { return tree.next(instant(time)); }, tree_);
  return step ? std::optional(time_of(*step)) : std::nullopt;
}

std::int64_t Planner::run_before(std::int64_t time, Amounts allowed) const {
  assert(allowed.size() == dimensions());
  return time_of(
      std::visit([&](const auto& tree) { return tree.run_before(instant(time), allowed); }, tree_));
}

std::optional<std::int64_t> Planner::earliest_fit(std::int64_t after, std::int64_t duration,
                                                  std::int64_t horizon, Amounts allowed,
                                                  AtHorizon at_horizon) const {
  assert(allowed.size() == dimensions());
  if (duration <= 0) {  // every step fits
    const auto next = next_step(after);
    return next && *next < horizon ? next : std::nullopt;
  }
  const auto step = std::visit(
      [&](const auto& tree) {
        return tree.earliest_fit(instant(after), static_cast<std::uint64_t>(duration),
                                 instant(horizon), allowed, at_horizon);
      },
      tree_);
  return step ? std::optional(time_of(*step)) : std::nullopt;
}

}  // namespace copse
