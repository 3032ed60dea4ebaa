// SPDX-License-Identifier: Apache-2.0
#include "queue/counts/unit_counts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace copse::queue {

std::optional<std::int64_t> UnitCounts::earliest(std::int64_t from_s, std::int64_t duration_s,
                                                 std::int64_t horizon_s, std::int64_t units) const {
  if (units > usable_ || from_s >= horizon_s) return std::nullopt;
  const std::int64_t end_s = from_s + std::min(duration_s, horizon_s - from_s);
  if (fits(from_s, end_s, units)) return from_s;
  const std::int64_t allowed = usable_ - units;
  return planned_.earliest_fit(from_s, duration_s, horizon_s, {&allowed, 1});
}

// From start_s on its own units suffice, so only the time before matters. Most jobs move by a
// little, into the interval right before start_s that has enough units. A start before that
// interval must end before it.
std::optional<std::int64_t> UnitCounts::earlier(std::int64_t now_s, std::int64_t start_s,
                                                std::int64_t duration_s, std::int64_t units) {
  if (units > usable_ || now_s >= start_s) return std::nullopt;
  const std::int64_t allowed = usable_ - units;
  const std::int64_t run_s = planned_.run_before(start_s, {&allowed, 1});
  if (run_s <= now_s) return now_s;
  if (duration_s < run_s - now_s) {
    bounds_.cover(now_s, run_s);
    const std::int64_t row = RunBounds::row_amount(units);
    auto part = bounds_.next(now_s, run_s, duration_s, units);
    for (; part; part = bounds_.next(part->until_s, run_s, duration_s, units)) {
      auto found = whole_fit(*part, now_s, duration_s, row);
      if (!found) bounds_.none(*part, duration_s, units);
      if (found && row < units)
        found = whole_fit({*found, part->until_s}, now_s, duration_s, units);
      if (found) return found;
    }
  }
  return run_s < start_s ? std::optional(run_s) : std::nullopt;
}

// The first fit that lies wholly in the part. A gap that only reaches the beginning of the part is
// too short.
//
std::optional<std::int64_t> UnitCounts::whole_fit(const RunBounds::Part& part, std::int64_t now_s,
                                                  std::int64_t duration_s,
                                                  std::int64_t units) const {
  if (part.from_s == now_s && fits(now_s, now_s + duration_s, units)) return now_s;
  const std::int64_t allowed = usable_ - units;
  return planned_.earliest_fit(part.from_s, duration_s, part.until_s, {&allowed, 1},
                               Planner::AtHorizon::whole);
}

void UnitCounts::remove(std::int64_t start_s, std::int64_t end_s, std::int64_t units, Note note) {
  if (units <= 0) return;
  planned_.remove(start_s, end_s, {&units, 1});
  if (note == Note::freed) freed(start_s, end_s, units);
}

void UnitCounts::move(std::int64_t start_s, std::int64_t end_s, std::int64_t to_start_s,
                      std::int64_t to_end_s, std::int64_t units) {
  if (units <= 0) return;
  planned_.move(start_s, end_s, to_start_s, to_end_s, {&units, 1});
  moved(start_s, end_s, to_start_s, to_end_s, units);
}

void UnitCounts::moved(std::int64_t start_s, std::int64_t end_s, std::int64_t to_start_s,
                       std::int64_t to_end_s, std::int64_t units) {
  freed(start_s, std::min(end_s, to_start_s), units);
  freed(std::max(start_s, to_end_s), end_s, units);
}

// From where fewer are in use until its end. If none is, from where fewer are after it.
std::int64_t UnitCounts::more_from(std::int64_t start_s, std::int64_t end_s) const {
  const std::int64_t allowed = planned_.max_used(0, start_s, end_s) - 1;
  if (allowed < 0) return INT64_MAX;
  const std::int64_t out = planned_.run_before(end_s, {&allowed, 1});
  if (out < end_s || planned_.used_at(0, end_s) <= allowed) return out;
  return planned_.earliest_fit(end_s, 1, INT64_MAX, {&allowed, 1}).value_or(INT64_MAX);
}

bool UnitCounts::operator==(const UnitCounts& other) const {
  const auto steps = [](const Planner& planned) {
    std::vector<std::pair<std::int64_t, std::int64_t>> out;
    planned.for_each_step([&](std::int64_t time_s, Planner::Amounts amounts) {
      out.emplace_back(time_s, amounts.front());
    });
    return out;
  };
  return usable_ == other.usable_ && steps(planned_) == steps(other.planned_);
}

void UnitCounts::freed(std::int64_t from_s, std::int64_t until_s, std::int64_t units) {
  if (from_s >= until_s || bounds_.empty()) return;
  const std::int64_t most = usable_ - planned_.min_used(0, from_s, until_s);
  const std::int64_t least = usable_ - planned_.max_used(0, from_s, until_s);
  bounds_.freed(from_s, until_s, least - units, most);
}

}  // namespace copse::queue
