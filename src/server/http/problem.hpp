// SPDX-License-Identifier: Apache-2.0
//
// Problems: refusals as application/problem+json (RFC 9457).
//
//   {"type": "urn:copse:problem:insufficient", "title": "not now", "status": 409, "detail": "…",
//    "why": {…}}     why: an explanation (docs/reference/explanations.md), where one exists
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "server/http/message.hpp"
#include "session/protocol/session_answer.hpp"

namespace copse::server {

enum class Problem : std::uint8_t {
  invalid,                 // 400
  unauthenticated,         // 401
  forbidden,               // 403
  not_found,               // 404
  method_not_allowed,      // 405
  insufficient,            // 409: not now
  exists,                  // 409
  gone,                    // 410
  too_large,               // 413
  infeasible,              // 422: never
  header_too_large,        // 431
  no_space,                // 507
  busy,                    // 503
  precondition_failed,     // 412: If-Match names an older state
  idempotency_key_reused,  // 422: with another request
  misdirected,             // 421: a Host that is not this service
  unsupported_coding,      // 415
  not_implemented,         // 501
};

// `why`: JSON, or "".
[[nodiscard]] HttpResponse problem(Problem which, std::string_view detail,
                                   std::string_view why = {});
[[nodiscard]] HttpResponse problem_of(const Error& error);
// That of a refusal by the session.
[[nodiscard]] Problem problem_kind(const SessionAnswer::Refusal& refusal);

}  // namespace copse::server
