// SPDX-License-Identifier: Apache-2.0
#include "session/line.hpp"

#include <array>

#include <fmt/format.h>

namespace copse {

namespace {

// In the order of Op; those of jobs are last.
constexpr std::size_t kPlainOps = 23;
constexpr std::array<std::string_view, 43> kOps{"alloc",
                                                "reserve",
                                                "satisfy",
                                                "explain",
                                                "status",
                                                "free",
                                                "now",
                                                "info",
                                                "quit",
                                                "down",
                                                "up",
                                                "layers",
                                                "set-layer",
                                                "reserve-layer",
                                                "free-layer",
                                                "add-layer",
                                                "remove-layer",
                                                "set-layer-nodes",
                                                "save",
                                                "restore",
                                                "begin",
                                                "rollback",
                                                "commit",
                                                "submit",
                                                "jobs",
                                                "job",
                                                "queue",
                                                "hold",
                                                "release",
                                                "priority",
                                                "cancel",
                                                "end",
                                                "renew",
                                                "why",
                                                "when",
                                                "watch",
                                                "reservations",
                                                "add-reservation",
                                                "end-reservation",
                                                "try-reservation",
                                                "drain",
                                                "undrain",
                                                "drains"};
static_assert(kOps.size() == static_cast<std::size_t>(SessionLine::Op::drains) + 1);
static_assert(kPlainOps == static_cast<std::size_t>(SessionLine::Op::commit) + 1);

// In the order of SessionMember; those of jobs are last.
constexpr std::size_t kPlainMembers = 19;
constexpr std::array<KnownKey, 32> kMembers{
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
     {"reservation", KnownKey::kText | KnownKey::kMapping}}};
static_assert(kMembers.size() == kReservation + 1 && kPlainMembers == kFile + 1);

}  // namespace

std::span<const std::string_view> session_ops(bool of_jobs) {
  return std::span(kOps).first(of_jobs ? kOps.size() : kPlainOps);
}
KnownKeys session_members(bool of_jobs) {
  return KnownKeys(kMembers).first(of_jobs ? kMembers.size() : kPlainMembers);
}

std::unexpected<Error> missing(std::string_view member) {
  return fail(ErrorCode::invalid, fmt::format("there is no member \"{}\"", member));
}

}  // namespace copse
