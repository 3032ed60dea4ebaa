// SPDX-License-Identifier: Apache-2.0
#include "flux/job_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "queue/refusal.hpp"
#include "request/request_key.hpp"

namespace copse::flux {

Result<ParsedJob> parse_job(std::string_view jobspec) {
  auto request = parse_jobspec(jobspec, "jobspec");
  if (!request) return std::unexpected(request.error());
  if (request->duration_invalid) {
    return fail(ErrorCode::invalid, "attributes.system.duration is not a duration");
  }
  ParsedJob out{request_key(*request), {}, request->duration_s, request->queue};
  out.request = std::make_shared<const Request>(std::move(*request));
  return out;
}

Request nodes_request(std::int64_t nodes) {
  Resource node;
  node.type = "node";
  node.count = {.min = nodes, .max = nodes};
  node.exclusive = Exclusivity::yes;
  Request request;
  request.resources.push_back(std::move(node));
  return request;
}

Request core_request() {
  Resource core;
  core.type = "core";
  Resource slot;
  slot.type = "slot";
  slot.label = "task";
  slot.with.push_back(std::move(core));
  Request request;
  request.resources.push_back(std::move(slot));
  return request;
}

namespace {

// The first type that the machine does not have; bounded by the parsers' depth.
std::string missing_among(const std::vector<Resource>& resources, const ResourceGraph& graph) {
  for (const Resource& resource : resources) {
    const bool is_there =
        resource.is_slot() || !graph.of_type(graph.find_type(resource.type)).empty();
    if (!is_there) return resource.type;
    if (auto missing = missing_among(resource.with, graph); !missing.empty()) return missing;
  }
  return {};
}

}  // namespace

std::string unsatisfiable(const Request& request, const ResourceGraph& graph,
                          const std::string& why) {
  const std::string missing = missing_among(request.resources, graph);
  return "unsatisfiable request: " +
         (missing.empty() ? why : fmt::format("the machine has no {}", missing));
}

Result<void> fits_empty(Engine& engine, const Request& request) {
  const auto never = [&](const Error& why) {
    return fail(why.code, unsatisfiable(request, engine.graph(), why.text));
  };
  auto prepared = engine.prepare(request);
  if (!prepared) return never(queue::refusal(engine, request, prepared.error()));
  const auto match = engine.match(Operation::satisfiability, *prepared, 0);
  if (match) return {};
  return never(queue::refusal(engine, *prepared, match.error()));
}

std::int64_t slots_of(const Request& request, const RSet& r) {
  std::int64_t slots = 1;
  bool fixed = true;
  const std::vector<Resource>* at = &request.resources;
  while (at->size() == 1) {
    const Resource& resource = at->front();
    fixed = fixed && !resource.count.moldable();
    if (__builtin_mul_overflow(slots, resource.count.min, &slots)) return 0;
    if (resource.is_slot()) {
      if (fixed) return slots;
      const auto core = std::ranges::find(resource.with, "core", &Resource::type);
      if (core == resource.with.end() || core->count.moldable()) return 0;
      return count(r, "core") / std::max<std::int64_t>(core->count.min, 1);
    }
    at = &resource.with;
  }
  return 0;
}

}  // namespace copse::flux
