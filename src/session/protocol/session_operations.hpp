// SPDX-License-Identifier: Apache-2.0
//
// The operations of the session protocol and the members of its requests, one table each. The reader
// of requests, the session, the rights of a service and its HTTP routes derive from them;
// docs/tools/session.schema.json and the Python client are compared with them in a test.
//
// To add an operation: add an enumerator and a row here, and answer it in session/session.cpp or, if
// it is about jobs, in server/jobs/live_jobs.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/known_key.hpp"

namespace copse {

enum class SessionOp : std::uint8_t {
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
  attach,
  remove,
  // Jobs. These and the following exist only in a session with a JobHost (session/job_host.hpp).
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
  // Reservations of nodes
  reservations,
  add_reservation,
  end_reservation,
  try_reservation,
  // Nodes that get no new jobs
  drain,
  undrain,
  drains,
  // What users have used
  usage
};

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
  kJgf,
  kFile,
  // Known only with a JobHost
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
  kReservation,
  kRequeue,
  kRestarts
};

// What a client of a shared service must be allowed to do.
enum class Permission : std::uint8_t {
  liveness,       // ask whether the service is alive, and for its interface
  read,           // the machine, grants, layers, events, metrics
  try_out,        // whether a request would be served, and why not
  submit,         // jobs of the caller
  allocate,       // resources outside the queues, now or later
  release_own,    // what the caller allocated
  release_any,    // what others allocated
  change,         // nodes up and down, layers, reservations
  manage_tokens,  // add and revoke tokens
};

struct SessionOperation {
  SessionOp op;
  std::string_view name;
  std::uint64_t members;   // a bit for each SessionMember that it reads, without kOp
  Permission permission;   // for grants and jobs of the caller; of others, Permission::release_any
  bool needs_disk;         // refused while the disk of a service is nearly full
  bool exclusive = false;  // refused in a session that several clients share
};

template <class... Members>
[[nodiscard]] constexpr std::uint64_t members_of(Members... members) {
  return ((std::uint64_t{1} << members) | ... | std::uint64_t{0});
}

// In the order of SessionOp; operations that need a JobHost are last.
inline constexpr std::size_t kEngineOperations = 25;
inline constexpr std::array kSessionOperations = [] {
  using Op = SessionOp;
  using enum Permission;
  constexpr std::uint64_t kRequest = members_of(kShape, kDuration, kConstraints, kJobspec, kHres);
  constexpr std::uint64_t kLayer = members_of(kResource, kNodes);
  constexpr std::uint64_t kIdOnly = members_of(kId);
  return std::array<SessionOperation, 46>{{
      {Op::alloc, "alloc", kIdOnly | kRequest, allocate, true},
      {Op::reserve, "reserve", kIdOnly | kRequest, allocate, true},
      {Op::satisfy, "satisfy", kIdOnly | kRequest, try_out, false},
      {Op::explain, "explain", kIdOnly | kRequest, try_out, false},
      {Op::status, "status", 0, read, false},
      {Op::free, "free", members_of(kId, kRanks), release_own, false},
      {Op::now, "now", members_of(kT), change, true, true},
      {Op::info, "info", kIdOnly, read, false},
      {Op::quit, "quit", 0, liveness, false},
      {Op::down, "down", members_of(kNodes, kRanks, kReason), change, true},
      {Op::up, "up", members_of(kNodes, kRanks), change, true},
      {Op::layers, "layers", members_of(kAt), read, false},
      {Op::set_layer, "set-layer", kLayer | members_of(kCount), change, true},
      {Op::reserve_layer, "reserve-layer",
       kLayer | members_of(kId, kCount, kHres, kStart, kDuration, kFor), change, true},
      {Op::free_layer, "free-layer", kIdOnly, change, false},
      {Op::add_layer, "add-layer", kLayer | members_of(kCount, kMode, kBase), change, true},
      {Op::remove_layer, "remove-layer", kLayer, change, true},
      {Op::set_layer_nodes, "set-layer-nodes", kLayer | members_of(kTo), change, true},
      {Op::save, "save", members_of(kFile), change, true, true},
      {Op::restore, "restore", members_of(kFile), change, true, true},
      {Op::begin, "begin", 0, change, true, true},
      {Op::rollback, "rollback", 0, change, true, true},
      {Op::commit, "commit", 0, change, true, true},
      {Op::attach, "attach", members_of(kJgf), change, true},
      {Op::remove, "remove", members_of(kNodes, kRanks), change, true},
      {Op::submit, "submit",
       kIdOnly | kRequest |
           members_of(kName, kQueue, kUser, kPriority, kLease, kHeld, kReservation, kRequeue),
       submit, true},
      {Op::jobs, "jobs", members_of(kState, kQueue, kUser, kAfter, kLimit), read, false},
      {Op::job, "job", kIdOnly, read, false},
      {Op::queue, "queue", 0, read, false},
      {Op::hold, "hold", kIdOnly, release_own, false},
      {Op::release, "release", kIdOnly, release_own, true},
      {Op::priority, "priority", members_of(kId, kPriority), release_own, false},
      {Op::cancel, "cancel", kIdOnly, release_own, false},
      {Op::end, "end", members_of(kId, kStatus, kRanks, kRestarts), release_own, false},
      {Op::renew, "renew", members_of(kId, kRestarts), release_own, false},
      {Op::why, "why", kIdOnly, read, false},
      {Op::when, "when", kIdOnly, read, false},
      {Op::watch, "watch", members_of(kId, kSince), read, false},
      {Op::reservations, "reservations", 0, read, false},
      {Op::add_reservation, "add-reservation", members_of(kReservation), change, true},
      {Op::end_reservation, "end-reservation", members_of(kName, kReservation), change, false},
      {Op::try_reservation, "try-reservation", members_of(kReservation), try_out, false},
      {Op::drain, "drain", members_of(kNodes, kRanks, kReason), change, true},
      {Op::undrain, "undrain", members_of(kNodes, kRanks), change, true},
      {Op::drains, "drains", 0, read, false},
      {Op::usage, "usage", 0, read, false},
  }};
}();
static_assert([] {
  for (std::size_t i = 0; i < kSessionOperations.size(); ++i) {
    if (kSessionOperations.at(i).op != static_cast<SessionOp>(i)) return false;
  }
  return kSessionOperations.back().op == SessionOp::usage &&
         kSessionOperations.at(kEngineOperations).op == SessionOp::submit;
}());

// The kinds of values of each member, in the order of SessionMember.
inline constexpr std::size_t kEngineMembers = kFile + 1;
inline constexpr std::array<KnownKey, kRestarts + 1> kSessionMembers{
    {{"op", KnownKey::kText},
     {"id", KnownKey::kText | KnownKey::kNumber},
     {"shape", KnownKey::kText},
     {"duration", KnownKey::kTime},
     {"constraints", KnownKey::kMapping},
     {"jobspec", KnownKey::kMapping},
     {"hres", KnownKey::kText},
     {"ranks", KnownKey::kText},
     {"t", KnownKey::kTime},
     {"at", KnownKey::kTime},
     {"resource", KnownKey::kText},
     {"nodes", KnownKey::kText},
     {"to", KnownKey::kText},
     {"count", KnownKey::kNumber},
     {"start", KnownKey::kTime},
     {"for", KnownKey::kList},
     {"mode", KnownKey::kNumber},
     {"base", KnownKey::kNumber},
     {"jgf", KnownKey::kMapping},
     {"file", KnownKey::kText},
     {"name", KnownKey::kText},
     {"queue", KnownKey::kText},
     {"user", KnownKey::kText},
     {"state", KnownKey::kText},
     {"priority", KnownKey::kNumber},
     {"lease", KnownKey::kTime},
     {"since", KnownKey::kNumber},
     {"limit", KnownKey::kNumber},
     {"after", KnownKey::kNumber},
     {"status", KnownKey::kNumber},
     {"held", KnownKey::kTruth},
     {"reason", KnownKey::kText},
     {"reservation", KnownKey::kText | KnownKey::kMapping},
     {"requeue", KnownKey::kTruth},
     {"restarts", KnownKey::kNumber}}};
static_assert(kSessionMembers.size() <= 64);  // a bit each: members_of(), JsonOnce

[[nodiscard]] constexpr const SessionOperation& operation_of(SessionOp op) {
  return kSessionOperations.at(static_cast<std::size_t>(op));
}
[[nodiscard]] constexpr bool is_job_operation(SessionOp op) {
  return static_cast<std::size_t>(op) >= kEngineOperations;
}

// Rows without a JobHost; or with one, all rows.
[[nodiscard]] constexpr std::span<const SessionOperation> session_operations(bool with_jobs) {
  return std::span(kSessionOperations)
      .first(with_jobs ? kSessionOperations.size() : kEngineOperations);
}
[[nodiscard]] constexpr KnownKeys session_members(bool with_jobs = false) {
  return KnownKeys(kSessionMembers).first(with_jobs ? kSessionMembers.size() : kEngineMembers);
}

// nullptr: no such operation.
[[nodiscard]] constexpr const SessionOperation* find_operation(std::string_view name,
                                                               bool with_jobs = true) {
  for (const SessionOperation& row : session_operations(with_jobs)) {
    if (row.name == name) return &row;
  }
  return nullptr;
}
[[nodiscard]] inline std::vector<std::string_view> operation_names(bool with_jobs = false) {
  std::vector<std::string_view> out;
  for (const SessionOperation& row : session_operations(with_jobs)) out.push_back(row.name);
  return out;
}

}  // namespace copse
