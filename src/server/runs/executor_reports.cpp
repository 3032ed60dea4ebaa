// SPDX-License-Identifier: Apache-2.0
#include "server/runs/executor_reports.hpp"

#include <fmt/format.h>

#include "session/ranks.hpp"

namespace copse::server {

// REQUIRES that it still runs. Without a status, the end of a job whose node is down is no success.
JobOutcome ExecutorReports::outcome_of(JobId id, const SessionRequest& line) {
  const bool lost = !line.status && deadlines_.has_down_node(id);
  return {.result = lost                        ? "lost"
                    : table_.find(id)->stopping ? "cancelled"
                                                : "done",
          .status = line.status.value_or(0),
          .placement = recorder_.placement_of(id)};
}

Result<void> ExecutorReports::check_run(JobId id, const SessionRequest& line) const {
  const std::int64_t meant = line.restarts.value_or(0), now = table_.find(id)->restarts;
  if (meant == now) return {};
  if (meant > now) {
    return fail(ErrorCode::invalid,
                fmt::format("\"restarts\" of job {} is {}, not {}", id, now, meant));
  }
  return fail(
      ErrorCode::invalid,
      fmt::format("this run of job {} is over: it lost its nodes, and the job was submitted "
                  "again; \"restarts\": {} means the present run",
                  id, now));
}

Result<void> ExecutorReports::end(JobId id, const SessionRequest& line) {
  if (auto ok = check_run(id, line); !ok) return ok;
  return line.ranks ? end_ranks(id, line) : end_job(id, line);
}

Result<void> ExecutorReports::end_job(JobId id, const SessionRequest& line) {
  const JobOutcome outcome = outcome_of(id, line);
  if (auto ok = queue_->ended(id, session_->engine().now()); !ok) return ok;
  recorder_.finish(id, outcome);
  return {};
}

Result<void> ExecutorReports::end_ranks(JobId id, const SessionRequest& line) {
  const Engine& engine = session_->engine();
  const auto pools = pools_to_release(engine.graph(), engine.grant(id), *line.id, *line.ranks);
  if (!pools) return std::unexpected(pools.error());
  const JobOutcome outcome = outcome_of(id, line);
  const auto over = queue_->ended_part(id, *pools);
  if (!over) return std::unexpected(over.error());
  if (*over) {
    recorder_.finish(id, outcome);
  } else {
    EventExtras extras;
    extras.ranks = *line.ranks;
    table_.change(id, "part", engine.now(), [](JobRow&) {}, extras);
  }
  return {};
}

Result<void> ExecutorReports::renew(JobId id, const SessionRequest& line) {
  if (auto ok = check_run(id, line); !ok) return ok;
  const JobRow& row = *table_.find(id);
  if (row.stage != JobStage::running) {
    return fail(ErrorCode::invalid, fmt::format("job {} is not running", id));
  }
  deadlines_.lease(id, row.lease);
  return {};
}

}  // namespace copse::server
