// SPDX-License-Identifier: Apache-2.0
//
// SessionRequestCache: compiled requests, by their text: shape and constraints (the duration is set
// for each use), or jobspec. The least recently used one is evicted (engine/prepared_cache.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "copse/engine.hpp"
#include "engine/prepared_cache.hpp"
#include "request/request_defaults.hpp"
#include "session/protocol/session_request.hpp"

namespace copse {

// The texts of a request.
struct RequestTexts {
  std::string_view shape{}, constraints{};
  std::string_view jobspec{};  // instead of both, unless it is empty
  std::optional<std::string_view> hres{};
};
// REQUIRES either shape or jobspec.
[[nodiscard]] RequestTexts texts_of(const SessionRequest& line);
// Parses them. Errors: as parse_shape, parse_constraint, parse_jobspec, parse_hres_request.
[[nodiscard]] Result<Request> request_of(const RequestTexts& texts,
                                         const JobspecLimits& limits = {});

class SessionRequestCache {
 public:
  // Returns the compiled request, valid until the next call. REQUIRES either shape and duration, or
  // jobspec. Errors: as parse_shape, parse_constraint, parse_jobspec, add_defaults; infeasible: the
  // machine lacks a requested type.
  [[nodiscard]] Result<PreparedRequest*> prepare(Engine& engine, const SessionRequest& line);
  // Of all requests, from now on.
  void set_defaults(const RequestDefaults& defaults);
  void set_limits(const JobspecLimits& limits) { limits_ = limits; }

 private:
  static constexpr std::size_t kRequestsMax = 1024, kBytesMax = std::size_t{32} << 20;

  PreparedCache kept_{kRequestsMax, kBytesMax};
  std::string key_{};
  JobspecLimits limits_{};
  RequestDefaults defaults_{};
};

}  // namespace copse
