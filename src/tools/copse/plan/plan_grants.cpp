// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/plan/plan_grants.hpp"

#include "text/json_writer.hpp"

namespace copse {

PlanGrants::PlanGrants(const std::string& path, const plan::Jobs& jobs, const Engine& engine,
                       const std::optional<RScheduling>& scheduling)
    : path_(path),
      jobs_(jobs),
      engine_(engine),
      text_(Format::rv1_nosched, scheduling ? &*scheduling : nullptr) {}

Result<void> PlanGrants::open() {
  if (!wanted()) return {};
  return out_.open(path_);
}

plan::ScheduleObserver PlanGrants::observer(plan::ScheduleObserver next) {
  if (!wanted()) return next;
  next.started = [this, record_it = next.started](std::uint32_t job, std::int64_t start_s,
                                                  std::int64_t end_s, plan::Ending ending,
                                                  const Grant& grant) {
    if (record_it) record_it(job, start_s, end_s, ending, grant);
    write(job, start_s, grant);
  };
  return next;
}

// The times of an R are those of the request: until the limit, whatever the job does then.
void PlanGrants::write(std::uint32_t job, std::int64_t start_s, const Grant& grant) {
  std::string line;
  const plan::Job& row = jobs_.jobs[job];
  JsonWriter json(line);
  json.object([&] {
    json.member("id", row.name);
    json.key("R");
    AllocationView view = AllocationView::of(grant);
    view.start = start_s;
    text_.append_r(engine_, view, jobs_.words[row.queue], json.begin());
  });
  line += '\n';
  (void)out_.write(line);
}

Result<void> PlanGrants::close() {
  if (!wanted()) return {};
  return out_.close();
}

}  // namespace copse
