// SPDX-License-Identifier: Apache-2.0
//
// The header fields of a request that decide its caller, its service, and its end (RFC 9110 and 9112).
// A field that two programs could read in two ways is refused.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "server/http/message.hpp"

namespace copse::server {

using HttpField = std::pair<std::string_view, std::string_view>;  // name, value

// The names by which a service may be asked. A web page elsewhere can make a browser ask a service
// on the same computer by another name (DNS rebinding); it can't with an address or one of these names.
class HostNames {
 public:
  // Further names, in any case.
  void add(std::string_view name);
  // `host`: the field Host, with or without a port. Numeric addresses and localhost are allowed.
  [[nodiscard]] bool allows(std::string_view host) const;

 private:
  std::set<std::string, std::less<>> names_;
};

// Refuses a request by its fields, in any order: Host missing, repeated or not in `hosts` (nullptr: all
// are allowed); Authorization repeated; a transfer coding other than chunked, or next to a length; a content
// coding.
[[nodiscard]] std::optional<HttpResponse> check_fields(std::span<const HttpField> fields,
                                                       bool is_http_1_0, const HostNames* hosts);
// Whether a service may have this name: labels of letters, digits, hyphens and underscores, the last of them
// no number, because that would be an address.
[[nodiscard]] bool is_host_name(std::string_view name);
// The token of "Bearer TOKEN", whose first word has any case; nullopt: another scheme.
[[nodiscard]] std::optional<std::string_view> bearer_token(std::string_view authorization);

}  // namespace copse::server
