// SPDX-License-Identifier: Apache-2.0
//
// SessionRequest: one line of a session as SessionRequestReader (request_reader.hpp) has read it.
// Session checks which members an operation needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/request.hpp"
#include "session/protocol/session_operations.hpp"

namespace copse {

struct SessionRequest {
  using Op = SessionOp;

  Op op = Op::quit;
  std::optional<std::int64_t> id, duration_s, t;
  std::optional<std::string_view> shape, ranks;
  std::string_view jobspec, constraints, jgf;  // objects, as written in the line; empty: not given
  std::string layer_reservation;               // "id" of any kind: that of a layer's reservation
  std::optional<std::string_view> hres, resource, nodes, to, file;
  std::optional<std::int64_t> at, count, start, mode, base;
  bool has_jobs = false;
  std::vector<std::int64_t> jobs;  // "for"

  // Jobs
  std::optional<std::string_view> name, queue, user, state;
  std::optional<std::int64_t> priority, lease_s, since, limit, after, status, restarts;
  std::optional<bool> held, requeue;
  std::optional<std::string_view> reason;
  std::optional<std::string_view> reservation_name;  // "reservation", a text
  std::string_view reservation_spec;                 // "reservation", an object as written
};

struct SessionRequestLimits {
  std::size_t bytes_max = 16u << 20;
  std::uint32_t depth_max = 128;   // nesting within jobspec, constraints and other members
  std::size_t jobs_max = 100'000;  // ids of "for"
  JobspecLimits request{};         // of a shape, a jobspec and constraints
};

// The error of a request without a member that its operation needs.
[[nodiscard]] std::unexpected<Error> missing(std::string_view member);

}  // namespace copse
