// SPDX-License-Identifier: Apache-2.0
#include "server/http/response_head.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace copse::server {

void append_head(std::string& out, const HttpResponse& answer, std::string_view reason,
                 std::string_view request) {
  out += fmt::format("HTTP/1.1 {} {}\r\n", answer.status, reason);
  if (!answer.type.empty()) out += fmt::format("Content-Type: {}\r\n", answer.type);
  bool cached = false;
  for (const auto& [name, value] : answer.fields) {
    out += fmt::format("{}: {}\r\n", name, value);
    cached = cached || name == "Cache-Control";
  }
  if (!request.empty()) out += fmt::format("X-Request-Id: {}\r\n", request);
  if (!cached) out += "Cache-Control: no-store\r\n";
}

std::string tls_required_response() {
  constexpr std::string_view kBody =
      R"({"type": "urn:copse:problem:invalid", "title": "invalid", "status": 400, )"
      R"("detail": "this port requires TLS: use https://"})";
  return fmt::format(
      "HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nConnection: "
      "close\r\nContent-Length: {}\r\n\r\n{}",
      kBody.size(), kBody);
}

bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.' || c == ':';
  });
}

}  // namespace copse::server
