// SPDX-License-Identifier: Apache-2.0
//
// A line of a session: what is asked for, as SessionLineReader (line_reader.hpp) has read it, and the
// words of the protocol. Which members an operation needs is for Session to say.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/known_key.hpp"
#include "copse/error.hpp"

namespace copse {

struct SessionLine {
  enum class Op : std::uint8_t {
    alloc,
    reserve,
    satisfy,
    explain,
    status,
    free,
    now,
    info,
    quit,
    down,
    up,
    layers,
    set_layer,
    reserve_layer,
    free_layer,
    add_layer,
    remove_layer,
    set_layer_nodes,
    save,
    restore,
    begin,
    rollback,
    commit,
    // Of jobs: known only where somebody keeps jobs (session/job_host.hpp).
    submit,
    jobs,
    job,
    queue,
    hold,
    release,
    priority,
    cancel,
    end,
    renew,
    why,
    when,
    watch,
    // Of reservations of nodes
    reservations,
    add_reservation,
    end_reservation,
    try_reservation,
    // Of nodes that get no new jobs
    drain,
    undrain,
    drains
  };
  Op op = Op::quit;
  std::optional<std::int64_t> id, duration_s, t;
  std::optional<std::string_view> shape, ranks;
  std::string_view jobspec, constraints;  // objects as they stand there; empty: not given
  std::string reservation;                // an "id" of any kind: that of a layer's reservation
  std::optional<std::string_view> hres, resource, nodes, to, file;
  std::optional<std::int64_t> at, count, start, mode, base;
  bool has_jobs = false;
  std::vector<std::int64_t> jobs;  // "for"

  // Of jobs
  std::optional<std::string_view> name, queue, user, state;
  std::optional<std::int64_t> priority, lease_s, since, limit, after, status;
  std::optional<bool> held;
  std::optional<std::string_view> reason;
  std::optional<std::string_view> in_reservation;  // the name of one
  std::string_view new_reservation;                // an object, as it stands there
};

struct SessionLineLimits {
  std::size_t bytes_max = 16u << 20;
  std::uint32_t depth_max = 128;   // of what is in jobspec and constraints, and of other members
  std::size_t jobs_max = 100'000;  // ids of "for"
};

// In the order of session_members().
enum SessionMember : unsigned {
  kOp,
  kId,
  kShape,
  kDuration,
  kConstraints,
  kJobspec,
  kHres,
  kRanks,
  kT,
  kAt,
  kResource,
  kNodes,
  kTo,
  kCount,
  kStart,
  kFor,
  kMode,
  kBase,
  kFile,
  kName,
  kQueue,
  kUser,
  kState,
  kPriority,
  kLease,
  kSince,
  kLimit,
  kAfter,
  kStatus,
  kHeld,
  kReason,
  kReservation
};

// All operations, and all members of requests; with those of jobs.
[[nodiscard]] std::span<const std::string_view> session_ops(bool of_jobs = false);
[[nodiscard]] KnownKeys session_members(bool of_jobs = false);
[[nodiscard]] constexpr bool is_of_jobs(SessionLine::Op op) { return op > SessionLine::Op::commit; }

// The error of a request that has no such member, and needs one.
[[nodiscard]] std::unexpected<Error> missing(std::string_view member);

}  // namespace copse
