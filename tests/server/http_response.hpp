// SPDX-License-Identifier: Apache-2.0
//
// What tests look for in an HTTP response.
#pragma once

#include <string>
#include <string_view>

#include "server/http/message.hpp"

namespace copse::server {

inline bool has(const HttpResponse& response, std::string_view text) {
  return response.body.find(text) != std::string::npos;
}

inline std::string field(const HttpResponse& response, std::string_view name) {
  for (const auto& [known, value] : response.fields) {
    if (known == name) return value;
  }
  return {};
}

}  // namespace copse::server
