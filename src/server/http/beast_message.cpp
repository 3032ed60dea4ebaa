// SPDX-License-Identifier: Apache-2.0
#include <utility>  // before Asio 1.74, which uses std::exchange

#include "server/http/beast_message.hpp"

#include <fmt/format.h>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/status.hpp>

#include "server/http/problem.hpp"

namespace copse::server {

namespace http = boost::beast::http;

std::string_view reason_of(unsigned status) {
  return view(http::obsolete_reason(http::int_to_status(status)));
}

std::vector<HttpField> fields_of(const BeastRequest& message) {
  std::vector<HttpField> out;
  for (const auto& field : message) {
    out.emplace_back(view(field.name_string()), view(field.value()));
  }
  return out;
}

HttpRequest request_of(const BeastRequest& message, const Caller& caller) {
  return {.method = view(message.method_string()),
          .target = view(message.target()),
          .body = message.body(),
          .if_none_match = view(message[http::field::if_none_match]),
          .if_match = view(message[http::field::if_match]),
          .last_event_id = view(message["Last-Event-ID"]),
          .idempotency_key = view(message["Idempotency-Key"]),
          .accept_encoding = view(message[http::field::accept_encoding]),
          .caller = caller};
}

std::optional<HttpResponse> read_problem(const boost::system::error_code& code, ReadLimits limits) {
  if (code == http::error::header_limit) {
    return problem(Problem::header_too_large,
                   fmt::format("a header has at most {} bytes", limits.header_bytes_max));
  }
  if (code == http::error::body_limit) {
    return problem(Problem::too_large,
                   fmt::format("a body has at most {} bytes", limits.body_bytes_max));
  }
  const bool malformed =
      code.category() == http::make_error_code(http::error::bad_method).category() &&
      code != http::error::end_of_stream && code != http::error::partial_message;
  if (!malformed) return std::nullopt;
  return problem(Problem::invalid, "this is not HTTP/1.1: " + code.message());
}

}  // namespace copse::server
