// SPDX-License-Identifier: Apache-2.0
//
// What functions of include/copse.h that take a queue have in common.
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

// What a job asks for: its jobspec or its shape. Errors: COPSE_INVALID, with the place.
[[nodiscard]] Outcome<Request> request_of(const copse_job& job);
// Jobs of one text ask for the same; of a shape and a jobspec none is the other.
// REQUIRES that request_of(job) was well.
[[nodiscard]] std::string kind_of(const copse_job& job);
// The job as the queue takes it. It refers to `request` and `kind`.
[[nodiscard]] queue::Submission submission_of(const copse_job& job, const Request& request,
                                              const std::string& kind);

}  // namespace copse::capi
