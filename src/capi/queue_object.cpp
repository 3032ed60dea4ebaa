// SPDX-License-Identifier: Apache-2.0
#include "capi/queue_object.hpp"

namespace copse::capi {

QueueObject::QueueObject(std::shared_ptr<EngineCore> core, std::vector<queue::QueueSpec> specs,
                         queue::PriorityRule rule)
    : core_(std::move(core)),
      queue_(std::make_unique<queue::JobQueue>(*core_->engine, std::move(specs), *this,
                                               std::move(rule))) {
  core_->queued = true;
}

QueueObject::QueueObject(const QueueObject& other, std::shared_ptr<EngineCore> core)
    : core_(std::move(core)), queue_(other.queue_->clone(*core_->engine, *this)) {
  core_->queued = true;
}

QueueObject::~QueueObject() { core_->queued = false; }

copse_decision& QueueObject::decide(copse_decided what, JobId job) {
  copse_decision& decision = decisions_.emplace_back();
  decision = COPSE_DECISION_INIT;
  decision.what = what;
  decision.job = job;
  return decision;
}

void QueueObject::started(JobId job, const Grant& grant) {
  copse_decision& decision = decide(COPSE_STARTED, job);
  decision.start = grant.start;
  decision.end = grant.end;
}

void QueueObject::planned(JobId job, std::int64_t start_s) {
  decide(COPSE_PROMISED, job).start = start_s;
}

void QueueObject::unplanned(JobId job) { decide(COPSE_WITHDRAWN, job); }

void QueueObject::refused(copse_decided what, JobId job, const Error& error) {
  copse_decision& decision = decide(what, job);
  decision.code = code_of(error.code);
  copy_text(error.text, decision.text);
}

void QueueObject::denied(JobId job, const Error& error) { refused(COPSE_DENIED, job, error); }
void QueueObject::unplaceable(JobId job, const Error& error) { refused(COPSE_STUCK, job, error); }

queue::Answers& QueueObject::answers() {
  if (!answers_ || answered_ != queue_->sequence()) {
    answers_.emplace(*queue_);
    for (bool made = false; !made;) {
      queue::WorkBudget all;
      made = answers_->work(all);
    }
    answered_ = queue_->sequence();
  }
  return *answers_;
}

}  // namespace copse::capi
