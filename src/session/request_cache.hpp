// SPDX-License-Identifier: Apache-2.0
//
// SessionRequestCache: compiled requests, by their text: shape and constraints (the duration is set
// for each use), or jobspec. There is no order of use: a full table is cleared, which costs each of
// its requests one compilation.
//
// Bounds: kKept requests; at most kKeptConstrained of them have constraints, because those hold a bit for
// each pool. Texts above kKeyBytesMax are compiled each time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "copse/engine.hpp"
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
  static constexpr std::size_t kKept = 1024, kKeptConstrained = 64, kKeyBytesMax = 4096;

  // Returns the compiled request, valid until the next call. REQUIRES either shape and duration, or
  // jobspec. Errors: as parse_shape, parse_constraint, parse_jobspec; infeasible: the machine lacks
  // a requested type.
  [[nodiscard]] Result<PreparedRequest*> prepare(Engine& engine, const SessionRequest& line);
  void set_limits(const JobspecLimits& limits) { limits_ = limits; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Table = std::unordered_map<std::string, PreparedRequest, Hash, std::equal_to<>>;

  Table plain_, constrained_;
  std::optional<PreparedRequest> once_;  // the last request that is not cached
  std::string key_;
  JobspecLimits limits_{};
};

}  // namespace copse
