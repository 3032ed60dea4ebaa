// SPDX-License-Identifier: Apache-2.0
//
// The head of an answer as bytes (RFC 9112), without the fields that its connection adds.
#pragma once

#include <string>
#include <string_view>

#include "server/http/message.hpp"

namespace copse::server {

// `reason`: the words of the status; `request`: the name of what is answered, or "".
void append_head(std::string& out, const HttpResponse& answer, std::string_view reason,
                 std::string_view request);
// Whether a client may call its request so: 1 to 64 letters, digits, '-', '_', '.' and ':'.
[[nodiscard]] bool is_request_name(std::string_view text);

}  // namespace copse::server
