// SPDX-License-Identifier: Apache-2.0
//
// Problems: answers that say no (RFC 9457), application/problem+json.
//
//   {"type": "urn:copse:problem:insufficient", "title": "not now", "status": 409, "detail": "…",
//    "why": {…}}     why: an explanation (docs/reference/explanations.md), where there is one
#pragma once

#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "server/http/message.hpp"

namespace copse::server {

enum class Problem : std::uint8_t {
  invalid,       // 400
  unknown,       // 401: who asks is not known
  forbidden,     // 403
  not_found,     // 404
  wrong_method,  // 405
  insufficient,  // 409: not now
  exists,        // 409
  gone,          // 410
  too_large,     // 413
  infeasible,    // 422: never
  header,        // 431: its header is too large
  no_space,      // 507
  busy,          // 503: later
  changed,       // 412: there were changes since
  key_used,      // 422: its key is that of another request
};

// `why`: JSON, or "".
[[nodiscard]] HttpResponse problem(Problem which, std::string_view detail,
                                   std::string_view why = {});
[[nodiscard]] HttpResponse problem_of(const Error& error);
// What a session answered: {"error": CODE, "message": TEXT}; nullopt: it did not refuse.
struct Refusal {
  Problem problem;
  std::string detail;  // JSON, quotes included
};
// `error`: what it was inside, which may say more than the code.
[[nodiscard]] std::optional<Refusal> refusal_of(std::string_view answer,
                                                std::optional<ErrorCode> error = {});
[[nodiscard]] HttpResponse problem(const Refusal& refusal, std::string_view why = {});

}  // namespace copse::server
