// SPDX-License-Identifier: Apache-2.0
//
// The routes of /v1 apart from those of the page; and which one a request is for.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/http/routes.hpp"

namespace copse::server {

// In the order in which openapi.json shows them.
[[nodiscard]] std::span<const HttpRoute> api_routes();

struct FoundRoute {
  const HttpRoute* route = nullptr;
  std::string parameter{};
  std::string allowed{};  // methods of the path, if the method is another
};

[[nodiscard]] FoundRoute find_route(std::string_view method, const Target& target);

}  // namespace copse::server
