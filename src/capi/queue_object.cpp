// SPDX-License-Identifier: Apache-2.0
#include "capi/queue_object.hpp"

#include <array>

#include "request/shape.hpp"

namespace copse::capi {

Outcome<Request> request_of(const copse_job& job) {
  if ((job.jobspec == nullptr) == (job.shape == nullptr)) {
    return refuse(COPSE_INVALID, "a job has either a jobspec or a shape");
  }
  auto request = job.shape != nullptr
                     ? parse_shape(job.shape, "shape")
                     : parse_jobspec(*text_in(job.jobspec, job.jobspec_length, ""), "jobspec");
  if (!request) return std::unexpected(Failure(request.error()));
  if (job.shape != nullptr) request->slots_share = true;
  if (job.duration < 0 && request->duration_invalid) {
    return refuse(COPSE_INVALID, "the duration of the jobspec is too large");
  }
  return std::move(*request);
}

std::string kind_of(const copse_job& job) {
  std::string kind(1, job.shape != nullptr ? 's' : 'j');
  kind += job.shape != nullptr ? std::string_view(job.shape)
                               : *text_in(job.jobspec, job.jobspec_length, "");
  return kind;
}

queue::Submission submission_of(const copse_job& job, const Request& request,
                                const std::string& kind) {
  return {.id = job.id,
          .submit_s = job.submitted,
          .duration_s = job.duration < 0 ? request.duration_s : job.duration,
          .priority = job.priority,
          .on_hold = job.held,
          .queue = word_or(job.queue, ""),
          .user = word_or(job.user, ""),
          .reservation = word_or(job.reservation, ""),
          .kind = kind,
          .request = &request};
}

QueueObject::QueueObject(std::shared_ptr<EngineCore> core, std::vector<queue::QueueSpec> specs,
                         queue::PriorityRule rule)
    : core_(std::move(core)),
      queue_(std::make_unique<queue::JobQueue>(*core_->engine, std::move(specs), log_,
                                               std::move(rule))) {
  core_->queued = true;
}

QueueObject::QueueObject(const QueueObject& other, std::shared_ptr<EngineCore> core)
    : core_(std::move(core)), queue_(other.queue_->clone(*core_->engine, log_)) {
  core_->queued = true;
}

QueueObject::~QueueObject() { core_->queued = false; }

std::optional<copse_decision> QueueObject::next() {
  if (log_.decisions().empty()) return std::nullopt;
  const queue::Decision& decision = log_.decisions().front();
  constexpr std::array<copse_decided, 5> kWhat{COPSE_STARTED, COPSE_PROMISED, COPSE_WITHDRAWN,
                                               COPSE_DENIED, COPSE_STUCK};
  copse_decision out = COPSE_DECISION_INIT;
  out.what = kWhat.at(static_cast<std::size_t>(decision.what));
  out.job = decision.job;
  out.start = decision.start_s;
  out.end = decision.end_s;
  if (decision.code) {
    out.code = code_of(*decision.code);
    copy_text(decision.reason, out.text);
  }
  return out;
}

}  // namespace copse::capi
