// SPDX-License-Identifier: Apache-2.0
#include "server/runs/job_recorder.hpp"

namespace copse::server {

void JobRecorder::started(JobId id, const Grant& grant) {
  EventExtras extras;
  session_->append_r(grant, table_.find(id)->queue, extras.r);
  extras.restarts = table_.find(id)->restarts;
  if (!grant.charges.empty()) extras.layers = session_->engine().charges_text(grant.charges);
  const auto starts = [&grant](JobRow& row) {
    row.stage = JobStage::running;
    row.planned = -1;
    row.started = grant.start;
    row.message.clear();  // why it was submitted again
  };
  table_.change(id, "start", now_s(), starts, extras);
  usage_.forget_priority(id);
  waits_.add(grant.start - table_.find(id)->submitted);
  deadlines_.lease(id, table_.find(id)->lease);
}

void JobRecorder::planned(JobId id, std::int64_t start_s) {
  table_.change(id, "plan", now_s(), [start_s](JobRow& row) {
    row.stage = JobStage::planned;
    row.planned = start_s;
    if (row.first_planned < 0) row.first_planned = start_s;
  });
}

void JobRecorder::unplanned(JobId id) {
  const JobRow* row = table_.find(id);
  if (row == nullptr || row->stage != JobStage::planned) return;
  table_.change(id, "unplan", now_s(), [](JobRow& job) {
    job.stage = JobStage::pending;
    job.planned = -1;
  });
}

// A job that is denied at once is not in the table: its submission is refused.
void JobRecorder::denied(JobId id, const Error& error) {
  if (table_.find(id) == nullptr) return;
  const std::string message = error.message();
  finish(id, {.result = "denied", .message = message});
}

std::string JobRecorder::placement_of(JobId id) {
  const Engine& engine = session_->engine();
  const Grant* grant = engine.grant(id);
  return grant == nullptr ? std::string() : placements_.text(engine, *grant);
}

void JobRecorder::finish(JobId id, const JobOutcome& outcome) {
  deadlines_.end(id);
  usage_.forget_priority(id);
  table_.change(id, "end", now_s(), [&, now = now_s()](JobRow& row) {
    row.stage = JobStage::ended;
    row.planned = -1;
    row.held = row.operator_hold = row.stopping = false;
    row.ended = now;
    row.result = outcome.result;
    row.status = outcome.status;
    row.message = outcome.message;
    row.placement = outcome.placement;
  });
}

void JobRecorder::requeue(JobId id, std::string_view message) {
  deadlines_.end(id);
  usage_.forget_priority(id);
  table_.change(id, "requeue", now_s(), [message](JobRow& row) {
    row.stage = JobStage::pending;
    row.started = -1;
    ++row.restarts;
    row.message = message;
  });
}

}  // namespace copse::server
