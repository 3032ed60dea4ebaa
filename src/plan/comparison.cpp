// SPDX-License-Identifier: Apache-2.0
#include "plan/comparison.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace copse::plan {

Result<std::vector<Compared>> compare(const Engine& engine, const Jobs& jobs, const NodeRows& rows,
                                      const queue::QueueConfig& queues,
                                      std::span<const Discipline> disciplines, bool keep_nodes,
                                      const std::function<void(std::uint64_t)>& ended) {
  std::vector<Compared> out;
  std::uint64_t done = 0;
  for (const Discipline& discipline : disciplines) {
    const auto clone = engine.clone();
    Compared made{discipline.name, std::make_unique<Record>(jobs, rows, keep_nodes)};
    made.record->add_outside_jobs(*clone);
    ScheduleObserver observer = made.record->observer();
    observer.ended = [&, record_end = observer.ended](std::uint32_t job, std::int64_t time_s) {
      record_end(job, time_s);
      if (ended) ended(++done);
    };
    queue::QueueConfig with = queues;
    for (queue::QueueSpec& spec : with.queues) spec.discipline = discipline;
    if (auto ok = schedule(*clone, jobs, with, observer); !ok) {
      return std::unexpected(ok.error());
    }
    made.summary = made.record->summary();
    out.push_back(std::move(made));
  }
  return out;
}

void append_comparison(std::string& out, std::span<const Compared> all) {
  constexpr std::size_t kNameMin = 12, kNameMax = 24;
  std::size_t width = kNameMin;
  for (const Compared& one : all)
    width = std::max(width, std::min(one.discipline.size(), kNameMax));
  fmt::format_to(std::back_inserter(out), "{:<{}} {:^35} {:>8} {:>5} {:>9}\n", "", width,
                 "wait (s)", "bounded", "in", "makespan");
  fmt::format_to(std::back_inserter(out),
                 "{:<{}} {:>8} {:>8} {:>8} {:>8} {:>8} {:>5} {:>9} {:>6} {:>7}\n", "DISCIPLINE",
                 width, "mean", "median", "p90", "longest", "slowdown", "use", "(s)", "broken",
                 "refused");
  for (const Compared& one : all) {
    const Summary& s = one.summary;
    const double used = one.record->node_rows().cores() > 0 ? s.cores_used : s.nodes_used;
    const std::string broken = s.promised == 0 ? "-" : fmt::format("{}", s.broken);
    const StartFigures of = s.of_started.value_or(StartFigures());
    const auto figure = [&](auto value, const char* as = "{}") {
      return s.of_started ? fmt::format(fmt::runtime(as), value) : std::string("-");
    };
    fmt::format_to(std::back_inserter(out),
                   "{:<{}} {:>8} {:>8} {:>8} {:>8} {:>8} {:>4.0f}% {:>9} {:>6} {:>7}\n",
                   one.discipline, width, figure(std::llround(of.mean_wait_s)),
                   figure(std::llround(of.median_wait_s)), figure(of.p90_wait_s),
                   figure(of.longest_wait_s), figure(of.mean_slowdown, "{:.2f}"), 100 * used,
                   s.any_ran ? fmt::format("{}", s.makespan_s()) : "-", broken, s.refused);
  }
}

}  // namespace copse::plan
