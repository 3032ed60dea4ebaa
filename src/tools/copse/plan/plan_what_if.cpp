// SPDX-License-Identifier: Apache-2.0
#include "plan/start_changes.hpp"
#include "text/printable.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/plan/plan_input.hpp"
#include "tools/copse/plan/plan_options.hpp"

namespace copse {

namespace {

struct Played {
  plan::Jobs jobs;
  plan::Starts starts;
  plan::Refusals refusals;
};

// Each run has its own machine, so that they are independent.
Result<Played> play(const PlanOptions& o, const queue::QueueConfig& queues, bool more) {
  const auto engine = make_engine(o.setup);
  if (!engine) return std::unexpected(engine.error());
  const NodeRows rows((*engine)->graph());
  auto jobs = read_plan_input(o, **engine, rows, queues.defaults, more ? o.what_if : "");
  if (!jobs) return std::unexpected(jobs.error());
  Played out{.jobs = std::move(*jobs), .starts = {}, .refusals = {}};
  out.starts.resize(out.jobs.jobs.size());
  out.refusals.resize(out.jobs.jobs.size());
  const plan::ScheduleObserver observer = plan::note_starts(out.starts, out.refusals);
  if (auto ok = plan::schedule(**engine, out.jobs, queues, observer); !ok) {
    return std::unexpected(ok.error());
  }
  return out;
}

}  // namespace

int run_what_if(const PlanOptions& o) {
  for (const std::string* path : {&o.jobs, &o.what_if, &o.reservations, &o.queues, &o.events}) {
    if (*path != "-") continue;
    return unusable({ErrorCode::invalid,
                     "--what-if reads the stream twice: name a file instead of standard input",
                     {}});
  }
  const auto queues = queues_of_plan(o);
  if (!queues) return unusable(queues.error());
  const auto after = play(o, *queues, true);
  if (!after) return unusable(after.error());
  const auto before = play(o, *queues, false);
  if (!before) return unusable(before.error());
  const auto moved = plan::start_changes(before->jobs, before->starts, after->jobs, after->starts,
                                         after->refusals);
  std::string text;
  if (o.table) {
    plan::append_start_changes(text, after->jobs, moved);
    text = printable(text, LineEnds::keep);
  } else {
    plan::append_start_changes_json(text, after->jobs, moved);
  }
  return write_text(text, o.out);
}

}  // namespace copse
