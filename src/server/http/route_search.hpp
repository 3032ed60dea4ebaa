// SPDX-License-Identifier: Apache-2.0
//
// Which route of the table a request is for.
#pragma once

#include <string>
#include <string_view>

#include "server/http/routes.hpp"

namespace copse::server {

struct FoundRoute {
  const HttpRoute* route = nullptr;
  std::string parameter{};
  std::string allowed{};  // methods of the path, if the method is another
};

[[nodiscard]] FoundRoute find_route(std::string_view method, const Target& target);

}  // namespace copse::server
