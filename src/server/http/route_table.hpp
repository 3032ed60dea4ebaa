// SPDX-License-Identifier: Apache-2.0
//
// The routes of /v1, except those of the page, and the search for the route of a request.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/http/routes.hpp"

namespace copse::server {

// In the order of openapi.json.
[[nodiscard]] std::span<const HttpRoute> api_routes();

struct RouteMatch {
  const HttpRoute* route = nullptr;
  std::string parameter{};
  std::string allowed{};  // methods of the path, if the request has another
};

[[nodiscard]] RouteMatch match_route(std::string_view method, const Target& target);

}  // namespace copse::server
