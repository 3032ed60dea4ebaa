// SPDX-License-Identifier: Apache-2.0
//
// Functions shared by the calls that take a queue.
#pragma once

#include <string>

#include "capi/queue_object.hpp"
#include "copse/request.hpp"

namespace copse::capi {

// Calls body(QueueObject&), which returns Outcome<void>, with the queue and its engine in use.
template <class Body>
copse_code with_queue(const void* handle, copse_error* error, Body body) noexcept {
  return call(error, [&]() -> Outcome<void> {
    const auto held = Held<QueueObject>::of(handle);
    if (!held) return std::unexpected(held.error());
    const auto use = EngineUse::of((*held)->core(), Access::read);
    if (!use) return std::unexpected(use.error());
    return body(**held);
  });
}

// Calls event(JobQueue&), which returns Result<void>.
template <class Event>
copse_code tell_queue(const void* handle, copse_error* error, Event event) noexcept {
  return with_queue(handle, error,
                    [&](QueueObject& object) { return done(event(object.queue())); });
}

// The request of a job: its jobspec or its shape. Errors: COPSE_INVALID, with the place.
[[nodiscard]] Outcome<Request> request_of(const copse_job& job);
// The kind of a job: equal for equal texts; shapes and jobspecs never have the same kind. REQUIRES
// that request_of(job) succeeded.
[[nodiscard]] std::string kind_of(const copse_job& job);
// The submission of a job. It refers to `request` and `kind`.
[[nodiscard]] queue::Submission submission_of(const copse_job& job, const Request& request,
                                              const std::string& kind);

}  // namespace copse::capi
