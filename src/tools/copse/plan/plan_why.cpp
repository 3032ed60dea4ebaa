// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/plan/plan_why.hpp"

#include <fmt/format.h>

#include "base/duration.hpp"
#include "plan/schedule.hpp"
#include "queue/answers/answer_text.hpp"
#include "text/printable.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/plan/plan_input.hpp"

namespace copse {

namespace {

// In the order of the queues; those that are held, and those that wait for reservations, behind.
std::vector<JobId> all_that_wait(const queue::QueueView& view,
                                 const std::vector<queue::Answers::Brief>& in_line) {
  std::vector<JobId> out, others;
  for (const queue::Answers::Brief& brief : in_line) out.push_back(brief.when.job);
  for (const auto& [id, slot] : view.jobs.slots()) {
    const queue::QueuedJob& job = view.jobs[slot];
    if (job.state == queue::JobState::held || job.reservation != 0) others.push_back(id);
  }
  std::ranges::sort(others);
  std::erase_if(others, [&](JobId id) {
    return view.jobs[view.jobs.find(id)].state == queue::JobState::running;
  });
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

}  // namespace

int run_why(const PlanOptions& o) {
  const auto queues = queues_of_plan(o);
  if (!queues) return unusable(queues.error());
  const auto engine = set_up(o.setup);
  if (!engine) return unusable(engine.error());
  const plan::Lanes lanes((*engine)->graph());
  const auto jobs = read_plan_input(o, **engine, lanes);
  if (!jobs) return unusable(jobs.error());
  std::string text;
  plan::Watch watch;
  watch.ask_s = o.why_s;
  watch.asked = [&](queue::JobQueue& queue, const JobNames& names) {
    queue::Answers answers(queue, names);
    queue::Slice all;
    (void)answers.work(all);
    for (const JobId id : all_that_wait(queue.view(), answers.all())) {
      const auto answer = answers.of(id);
      if (!answer) continue;
      if (o.table) {
        queue::append_answer_text(text, *answer, names);
      } else {
        queue::append_answer_json(text, *answer, names);
        text += '\n';
      }
    }
  };
  if (auto ok = plan::schedule(**engine, *jobs, *queues, watch); !ok) return unusable(ok.error());
  if (o.table) text = printable(text, LineEnds::keep);
  if (auto ok = write_out(o.out, text); !ok) return unusable(ok.error());
  if (!text.empty()) return kDone;
  write_error(fmt::format("copse: no job waits at {}\n", duration_text(o.why_s)));
  return kNo;
}

}  // namespace copse
