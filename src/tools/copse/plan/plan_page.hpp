// SPDX-License-Identifier: Apache-2.0
//
// copse plan --page: the plan as a page of its own (src/page).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "page/plan_history.hpp"
#include "plan/output/summary_text.hpp"
#include "queue/config/queue_config.hpp"
#include "tools/copse/plan/plan_file.hpp"
#include "tools/copse/plan/plan_options.hpp"

namespace copse {

// Records a plan while it is made, if a page is wanted.
class PlanPage {
 public:
  // All arguments must outlive it. REQUIRES an engine on which no job of the stream has run. Errors: io (the
  // file cannot be opened); limit (page/page_jobs.hpp).
  [[nodiscard]] static Result<std::unique_ptr<PlanPage>> begin(const PlanOptions& o,
                                                               const plan::Jobs& jobs,
                                                               const Engine& engine,
                                                               const NodeRows& rows);

  // Forwards to `next` and to the page.
  [[nodiscard]] plan::ScheduleObserver observer(plan::ScheduleObserver next);
  // When the plan is done. The reasons of those that wait are found by making it once more, up to
  // the time that the page shows first. Errors: limit (page/page_jobs.hpp), io, those of the plan.
  [[nodiscard]] Result<void> write(const queue::QueueConfig& queues, const std::string& disciplines,
                                   const plan::Provenance& made_with);

 private:
  PlanPage(const PlanOptions& o, const plan::Jobs& jobs, const Engine& engine, const NodeRows& rows)
      : o_(o), jobs_(jobs), engine_(engine), rows_(rows), file_(o.page) {}
  struct QueueDocuments {  // documents as of one time
    std::string queue = "null", layers = "null";
  };
  [[nodiscard]] Result<QueueDocuments> evaluate_queue(const queue::QueueConfig& queues,
                                                      std::int64_t at_s) const;

  const PlanOptions& o_;
  const plan::Jobs& jobs_;
  const Engine& engine_;
  const NodeRows& rows_;
  PlanFile file_;
  std::unique_ptr<page::PlanHistory> history_{};  // nullptr: no page is wanted
  std::string status_;
};

}  // namespace copse
