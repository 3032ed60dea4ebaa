// SPDX-License-Identifier: Apache-2.0
#include "server/clock_back.hpp"

#include <utility>

#include "base/job_id.hpp"
#include "copse/save.hpp"
#include "engine/engine_image.hpp"
#include "server/drains/drain_table.hpp"
#include "server/jobs/job_row_table.hpp"
#include "server/jobs/journal_parts.hpp"
#include "server/jobs/usage_table.hpp"

namespace copse::server {

namespace {

struct ClockChange {
  std::int64_t from_s = 0, to_s = 0, horizon_s = 0;

  [[nodiscard]] std::int64_t operator()(std::int64_t time_s) const {
    if (time_s <= to_s || time_s >= horizon_s) return time_s;
    return time_s <= from_s ? to_s : time_s - (from_s - to_s);
  }
};

Result<std::string> engine_with(std::string_view bytes, std::int64_t to_s,
                                std::span<const Policy> policies, ClockChange& change) {
  const auto loaded = load(bytes, policies);
  if (!loaded) return std::unexpected(loaded.error());
  EngineImage image = EngineImager::image_of(*loaded->engine);
  change = {image.options.now, to_s, image.options.horizon};
  image.options.now = to_s;
  for (auto& [number, grant] : image.grants) {
    if (is_reservation(grant.job)) continue;
    grant.start = change(grant.start);
    grant.end = change(grant.end);
  }
  const auto engine = EngineImager::engine_of(std::move(image));
  if (!engine) return std::unexpected(engine.error());
  return save(**engine, loaded->host);
}

Result<std::string> jobs_with(std::string_view lines, const ClockChange& change) {
  JobRowTable table({.ended = SIZE_MAX, .ended_bytes = SIZE_MAX});
  if (auto ok = table.load(lines); !ok) return std::unexpected(ok.error());
  table.correct_rows([&change](JobRow& row) {
    for (std::int64_t* time_s :
         {&row.submitted, &row.planned, &row.first_planned, &row.started, &row.ended}) {
      *time_s = change(*time_s);
    }
  });
  return table.saver()();
}

Result<std::string> drains_with(std::string_view lines, const ClockChange& change) {
  DrainTable table;
  if (auto ok = table.apply(lines); !ok) return std::unexpected(ok.error());
  const DrainTable::Rows rows = table.rows();
  for (const auto& [path, row] : rows) {
    DrainRow corrected = row;
    corrected.at = change(row.at);
    table.put(std::move(corrected));
  }
  const DrainTable::Rows downs = table.rows(DrainTable::Kind::set_down);
  for (const auto& [path, row] : downs) {
    DrainRow corrected = row;
    corrected.at = change(row.at);
    table.put(std::move(corrected), DrainTable::Kind::set_down);
  }
  return table.state();
}

Result<std::string> usage_with(std::string_view lines, const ClockChange& change) {
  UsageTable table;
  if (auto ok = table.apply(lines); !ok) return std::unexpected(ok.error());
  table.correct_times(change);
  return table.state();
}

}  // namespace

Result<std::string> with_clock_back(std::string_view state, std::int64_t to_s,
                                    std::span<const Policy> policies) {
  const auto parts = split_parts(state);
  if (!parts) return std::unexpected(parts.error());
  ClockChange change;
  const auto engine = engine_with(parts->engine, to_s, policies, change);
  if (!engine) return engine;
  const auto jobs = jobs_with(parts->jobs, change);
  if (!jobs) return jobs;
  const auto drains = drains_with(parts->drains, change);
  if (!drains) return drains;
  const auto usage = usage_with(parts->usage, change);
  if (!usage) return usage;
  return join_parts({.jobs = *jobs,
                     .engine = *engine,
                     .clients = parts->clients,
                     .reservations = parts->reservations,
                     .drains = *drains,
                     .usage = *usage});
}

}  // namespace copse::server
