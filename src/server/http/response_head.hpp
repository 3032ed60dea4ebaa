// SPDX-License-Identifier: Apache-2.0
//
// The head of a response as bytes (RFC 9112), without the connection's own fields.
#pragma once

#include <string>
#include <string_view>

#include "server/http/message.hpp"

namespace copse::server {

// `reason`: the reason phrase; `request`: the request id, or "".
void append_head(std::string& out, const HttpResponse& answer, std::string_view reason,
                 std::string_view request);
// The whole answer to a client that speaks plain HTTP on a TLS port.
[[nodiscard]] std::string tls_required_response();
// Whether this is a valid X-Request-Id: 1 to 64 letters, digits, '-', '_', '.' and ':'.
[[nodiscard]] bool is_request_id(std::string_view text);

}  // namespace copse::server
