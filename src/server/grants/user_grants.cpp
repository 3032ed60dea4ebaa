// SPDX-License-Identifier: Apache-2.0
#include "server/grants/user_grants.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "request/constraint.hpp"

namespace copse::server {

// The request, restricted to the nodes of the queue.
Result<Request> UserGrants::admitted(const queue::QueueSpec& spec, const Request& request,
                                     std::string_view user, const Engine& engine) const {
  if (auto why = rules_.access.refused(spec.name, user, rules_.groups_of); !why.empty()) {
    return fail(ErrorCode::invalid, std::move(why));
  }
  const auto size = queue::size_of(request, engine.graph());
  auto broken = rules_.bounds.limits.broken("", size, request.duration_s);
  if (broken.empty()) broken = rules_.limits.broken(spec.name, size, request.duration_s);
  if (!broken.empty()) return fail(ErrorCode::invalid, std::move(broken));
  const auto parent =
      std::ranges::find(rules_.queues, spec.parent.value_or(""), &queue::QueueSpec::name);
  const bool inherits = spec.constraint.empty() && spec.parent && parent != rules_.queues.end();
  Request out = request;
  out.constraint = both(inherits ? parent->constraint : spec.constraint, std::move(out.constraint));
  return out;
}

MatchResult UserGrants::grant(queue::JobQueue& queue, Operation operation, const Request& request,
                              JobId id, std::string_view user) const {
  std::optional<NoMatch> refused;
  for (const queue::QueueSpec& spec : rules_.queues) {
    const auto& listed = rules_.bounds.queues;
    if (!listed.empty() && std::ranges::find(listed, spec.name) == listed.end()) continue;
    const auto restricted = admitted(spec, request, user, queue.engine());
    if (!restricted) {
      if (!refused) refused = NoMatch(restricted.error());
      continue;
    }
    auto prepared = queue.view().engine.prepare(*restricted);
    if (!prepared) return std::unexpected(NoMatch(prepared.error()));
    auto got = queue.grant_outside_queue(operation, *prepared, id, {user, &*restricted});
    if (got) return got;
    refused = got.error();
  }
  if (refused) return std::unexpected(*refused);
  return std::unexpected(NoMatch(Error{ErrorCode::invalid, "no queue admits grants of users", {}}));
}

}  // namespace copse::server
