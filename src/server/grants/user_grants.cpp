// SPDX-License-Identifier: Apache-2.0
#include "server/grants/user_grants.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "queue/refusal.hpp"
#include "request/constraint.hpp"
#include "request/request_defaults.hpp"

namespace copse::server {

namespace {

// A request that can never be served is refused with the first resource that is short. Layers are
// named by the session.
MatchResult with_reason(MatchResult result, queue::JobQueue& queue, PreparedRequest& request,
                        JobId id) {
  if (result || result.error().code != ErrorCode::infeasible || result.error().takes_nothing) {
    return result;
  }
  Engine& engine = queue.view().engine;
  if (!engine.short_layers(request, id, true).empty()) return result;
  result.error().text = queue::refusal(engine, request, result.error()).text;
  return result;
}

}  // namespace

// The request, restricted to the nodes of the queue, with its default memory in place of that of all
// queues.
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
  remove_default_memory(out);
  if (auto ok = add_defaults(out, rules_.defaults.of(spec.name), spec.name); !ok) {
    return std::unexpected(ok.error());
  }
  out.constraint = both(inherits ? parent->constraint : spec.constraint, std::move(out.constraint));
  return out;
}

MatchResult UserGrants::grant_to_user(queue::JobQueue& queue, Operation operation,
                                      const Request& request, JobId id,
                                      std::string_view user) const {
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
    auto got =
        with_reason(queue.grant_outside_queue(operation, *prepared, id, {user, &*restricted}),
                    queue, *prepared, id);
    if (got) return got;
    refused = got.error();
  }
  if (refused) return std::unexpected(*refused);
  return std::unexpected(NoMatch(Error{ErrorCode::invalid, "no queue admits grants of users", {}}));
}

MatchResult UserGrants::grant(queue::JobQueue& queue, Operation operation, PreparedRequest& request,
                              JobId id, const JobCaller& caller) const {
  Request asked = request.request();
  asked.duration_s = request.duration_s();
  if (!caller.is_operator) return grant_to_user(queue, operation, asked, id, caller.name);
  return with_reason(queue.grant_outside_queue(operation, request, id, {.request = &asked}), queue,
                     request, id);
}

}  // namespace copse::server
