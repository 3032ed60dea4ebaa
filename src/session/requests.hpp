// SPDX-License-Identifier: Apache-2.0
//
// Requests of a session, compiled once and kept by what they are written as: shape and constraints
// (the duration is set each time), or jobspec. What was used longest ago is not told from the
// others: a full table is emptied, which costs every request of it one compilation.
//
// Bounds: kKept requests, of which kKeptConstrained have constraints, since those hold a bit for
// each pool; texts above kKeyBytesMax are compiled each time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "copse/engine.hpp"
#include "session/line.hpp"

namespace copse {

// What a line asks for. REQUIRES either shape or jobspec. Errors: as parse_shape, parse_constraint,
// parse_jobspec, parse_hres_request.
[[nodiscard]] Result<Request> request_of(const SessionLine& line);

class SessionRequests {
 public:
  static constexpr std::size_t kKept = 1024, kKeptConstrained = 64, kKeyBytesMax = 4096;

  // The request of a line. REQUIRES either shape and duration, or jobspec. The pointer stays good
  // until the next call.
  // Errors: as parse_shape, parse_constraint, parse_jobspec; infeasible: a type of resource that
  // the machine does not have.
  [[nodiscard]] Result<PreparedRequest*> prepare(Engine& engine, const SessionLine& line);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Table = std::unordered_map<std::string, PreparedRequest, Hash, std::equal_to<>>;

  Table plain_, constrained_;
  std::optional<PreparedRequest> once_;  // the last one that is not kept
  std::string key_;
};

}  // namespace copse
