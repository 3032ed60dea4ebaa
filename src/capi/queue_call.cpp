// SPDX-License-Identifier: Apache-2.0
#include "capi/queue_call.hpp"

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

}  // namespace copse::capi
