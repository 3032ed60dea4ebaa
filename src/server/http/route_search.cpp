// SPDX-License-Identifier: Apache-2.0
#include "server/http/route_search.hpp"

#include <algorithm>
#include <utility>

namespace copse::server {

namespace {

// Whether a path is that of a route; then `parameter` is what stands for {…}.
bool fits(std::string_view pattern, const std::vector<std::string>& path, std::string& parameter) {
  pattern.remove_prefix(1);
  for (const std::string& part : path) {
    const std::size_t end = std::min(pattern.find('/'), pattern.size());
    const std::string_view wanted = pattern.substr(0, end);
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
    if (wanted.starts_with('{')) {
      parameter = part;
    } else if (wanted != part) {
      return false;
    }
  }
  return pattern.empty() && !path.empty();
}

}  // namespace

FoundRoute find_route(std::string_view method, const Target& target) {
  FoundRoute out;
  if (method == "HEAD") method = "GET";
  for (const HttpRoute& route : Routes::table()) {
    std::string parameter;
    if (!fits(route.path, target.path, parameter)) continue;
    if (route.method == method) return {&route, std::move(parameter), {}};
    out.allowed += (out.allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  return out;
}

}  // namespace copse::server
