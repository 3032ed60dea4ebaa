// SPDX-License-Identifier: Apache-2.0
//
// Conditions of requests (RFC 9110, 13; the draft of Idempotency-Key): what is answered without doing
// anything, since there were changes, or since it was done before.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/http/routes.hpp"

namespace copse::server {

// "12", the number of the next change; with a digest of the body where the time, too, changes an answer:
// "12-9f86d081".
[[nodiscard]] std::string tag_of(journal::Sequence next, bool timed, std::string_view body);
// Of If-Match: a refusal, if no tag in it has this number.
[[nodiscard]] std::optional<HttpResponse> check_match(std::string_view if_match,
                                                      journal::Sequence next);
// Whether one of the tags of If-None-Match is this one.
[[nodiscard]] bool is_listed(std::string_view if_none_match, std::string_view tag);

// What a route is asked for, to be known again.
[[nodiscard]] Service::Asked asked_of(const HttpRequest& request);
// The answer of before to a request with a key; or why the key is refused.
[[nodiscard]] std::optional<HttpResponse> answered_before(const Service& service,
                                                          const HttpRequest& request,
                                                          const Service::Asked& asked,
                                                          std::int64_t now_s);

}  // namespace copse::server
