// SPDX-License-Identifier: Apache-2.0
//
// Any bytes of a client that speaks HTTP, in pieces: each request has an answer, whoever asks; what
// it may not ask changes nothing; and answers in JSON are JSON.
#include <utility>  // before Asio 1.74, which uses std::exchange

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "go_on.hpp"
#include "server/http_service.hpp"
#include "target.hpp"
#include "text/json_fault.hpp"

namespace {

using namespace copse;
namespace http = boost::beast::http;

constexpr std::uint32_t kHeaderMax = 2048;
constexpr std::uint64_t kBodyMax = 4096;

std::string_view view_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

void answer(server::HttpService& made, const http::request_parser<http::string_body>& parser,
            server::Role role) {
  const auto& message = parser.get();
  const server::HttpRequest request{.method = view_of(message.method_string()),
                                    .target = view_of(message.target()),
                                    .body = message.body(),
                                    .if_none_match = view_of(message[http::field::if_none_match]),
                                    .if_match = view_of(message[http::field::if_match]),
                                    .last_event_id = view_of(message["Last-Event-ID"]),
                                    .idempotency_key = view_of(message["Idempotency-Key"]),
                                    .caller = {role, "ada"}};
  server::Routes routes(*made.context);
  const std::uint64_t before = made.service->session().engine().fingerprint();
  const auto early = routes.check_before_body(request, made.now_s + 1);
  const server::HttpResponse got = routes.answer(request, ++made.now_s);
  // A file of the page is answered, but not read with a body (413).
  fuzz::require(!early || early->status == got.status || (early->status == 413 && got.needs == 0));
  fuzz::require(got.status >= 200 && got.status < 600 && got.needs <= made.service->next());
  if (got.status == 401 || got.status == 403) {
    fuzz::require(made.service->session().engine().fingerprint() == before ||
                  got.needs > 0);  // the clock
  }
  if (got.type.ends_with("json") && !got.body.empty()) {
    fuzz::require(!find_json_fault_of_line(got.body));
  }
}

}  // namespace

FUZZ_TARGET(http) {
  if (size < 2 || size > 16384) return 0;
  server::HttpService made;
  const server::Role role = server::kRoles.at(data[0] % server::kRoles.size());
  const std::size_t piece = 1 + data[1];
  std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  std::string received;
  for (int requests = 0; requests < 20; ++requests) {
    http::request_parser<http::string_body> parser;
    parser.eager(true);
    parser.header_limit(kHeaderMax);
    parser.body_limit(kBodyMax);
    while (!parser.is_done()) {
      boost::system::error_code code;
      const std::size_t used =
          received.empty() ? 0 : parser.put(boost::asio::buffer(received), code);
      received.erase(0, used);
      if (code && code != http::error::need_more) return 0;
      if (parser.is_done()) break;
      if (rest.empty()) return 0;
      const std::string_view some = rest.substr(0, piece);
      rest.remove_prefix(some.size());
      received += some;
    }
    answer(made, parser, role);
  }
  return 0;
}
