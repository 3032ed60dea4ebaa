// SPDX-License-Identifier: Apache-2.0
#include "server/http/request_fields.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include <fmt/format.h>

#include "server/http/problem.hpp"

namespace copse::server {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return lower(c); });
  return out;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// "name:80", "127.0.0.1", "[::1]:80": without the port and brackets.
std::string_view name_of(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return end == std::string_view::npos ? host : host.substr(1, end - 1);
  }
  return host.substr(0, host.find(':'));
}

bool is_address(const std::string& name) {
  in_addr four{};
  in6_addr six{};
  return ::inet_pton(AF_INET, name.c_str(), &four) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), &six) == 1;
}

// All values of a field; "": none.
struct Values {
  std::size_t count = 0;
  std::string_view last{};
};

Values values_of(std::span<const HttpField> fields, std::string_view name) {
  Values out;
  for (const auto& [key, value] : fields) {
    if (!same_word(key, name)) continue;
    ++out.count;
    out.last = trimmed(value);
  }
  return out;
}

std::optional<HttpResponse> check_host(const Values& host, bool is_http_1_0,
                                       const HostNames* hosts) {
  if (host.count > 1 || (host.count == 0 && !is_http_1_0)) {
    return problem(Problem::invalid, "a request has the field Host once (RFC 9112, 3.2)");
  }
  if (hosts == nullptr || host.count == 0 || hosts->allows(host.last)) return std::nullopt;
  return problem(Problem::misdirected,
                 fmt::format("this service isn't called \"{}\": --allowed-host allows a name",
                             name_of(host.last)));
}

std::optional<HttpResponse> check_body(std::span<const HttpField> fields) {
  const Values transfer = values_of(fields, "Transfer-Encoding");
  if (transfer.count > 1 || (transfer.count == 1 && !same_word(transfer.last, "chunked"))) {
    return problem(Problem::not_implemented,
                   "the only transfer coding that is supported is \"chunked\"");
  }
  const Values length = values_of(fields, "Content-Length");
  if (length.count > 1 || (length.count == 1 && transfer.count == 1)) {
    return problem(Problem::invalid, "a body has one Content-Length, or Transfer-Encoding");
  }
  const Values coding = values_of(fields, "Content-Encoding");
  if (coding.count > 1 || (coding.count == 1 && !same_word(coding.last, "identity"))) {
    return problem(Problem::unsupported_coding, "send the body without a Content-Encoding");
  }
  return std::nullopt;
}

}  // namespace

void HostNames::add(std::string_view name) { names_.insert(lower(name)); }

bool HostNames::allows(std::string_view host) const {
  std::string name = lower(name_of(host));
  if (name.ends_with('.')) name.pop_back();  // the root of all domains
  return name == "localhost" || name.ends_with(".localhost") || names_.contains(name) ||
         is_address(name);
}

std::optional<HttpResponse> check_fields(std::span<const HttpField> fields, bool is_http_1_0,
                                         const HostNames* hosts) {
  if (auto refused = check_host(values_of(fields, "Host"), is_http_1_0, hosts)) return refused;
  if (values_of(fields, "Authorization").count > 1) {
    return problem(Problem::invalid, "a request has the field Authorization at most once");
  }
  return check_body(fields);
}

bool is_host_name(std::string_view name) {
  constexpr std::size_t kNameMax = 253, kLabelMax = 63;
  if (name.empty() || name.size() > kNameMax) return false;
  std::string_view last;
  for (std::string_view rest = name;;) {
    const std::size_t end = rest.find('.');
    last = rest.substr(0, end);
    const bool plain = std::ranges::all_of(last, [](char c) {
      const char l = lower(c);
      return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
    if (last.empty() || last.size() > kLabelMax || !plain) return false;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return !std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::string_view> bearer_token(std::string_view authorization) {
  const std::size_t end = authorization.find(' ');
  if (end == std::string_view::npos || !same_word(authorization.substr(0, end), "Bearer")) {
    return std::nullopt;
  }
  return trimmed(authorization.substr(end));
}

}  // namespace copse::server
