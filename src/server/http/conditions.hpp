// SPDX-License-Identifier: Apache-2.0
//
// Conditional requests (RFC 9110, 13) and idempotent retries (the draft of Idempotency-Key):
// answers that are given without executing the request.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/http/routes.hpp"

namespace copse::server {

// "12", the number of the next change; "12-9f86d081", with a digest of the body, where the answer
// also depends on the time.
[[nodiscard]] std::string etag_of(journal::Sequence next, bool timed, std::string_view body);
// If-Match: a refusal unless one of its tags has this number.
[[nodiscard]] std::optional<HttpResponse> check_match(std::string_view if_match,
                                                      journal::Sequence next);
// If-None-Match: whether it has this tag.
[[nodiscard]] bool etag_listed(std::string_view if_none_match, std::string_view tag);

// Identifies a request to a route, for retries.
[[nodiscard]] RequestIdentity identity_of(const HttpRequest& request);
// The stored answer to a request with a known key, or the refusal of an invalid one.
[[nodiscard]] std::optional<HttpResponse> replayed_answer(const Service& service,
                                                          const HttpRequest& request,
                                                          const RequestIdentity& identity,
                                                          std::int64_t now_s);

}  // namespace copse::server
