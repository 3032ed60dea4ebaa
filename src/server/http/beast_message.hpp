// SPDX-License-Identifier: Apache-2.0
//
// What Boost.Beast reads, as the values of this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/error_code.hpp>

#include "server/http/message.hpp"
#include "server/http/request_fields.hpp"

namespace copse::server {

using BeastRequest = boost::beast::http::request<boost::beast::http::string_body>;

[[nodiscard]] inline std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}
[[nodiscard]] std::string_view reason_of(unsigned status);

// Valid as long as the message is. O(fields).
[[nodiscard]] std::vector<HttpField> fields_of(const BeastRequest& message);
[[nodiscard]] HttpRequest request_of(const BeastRequest& message, const Caller& caller);

// Bytes that a request may have.
struct ReadLimits {
  std::uint64_t header_bytes_max, body_bytes_max;
};
// The answer to a request that could not be read; none: the client has gone, or is too slow. O(1).
[[nodiscard]] std::optional<HttpResponse> read_problem(const boost::system::error_code& code,
                                                       ReadLimits limits);

}  // namespace copse::server
