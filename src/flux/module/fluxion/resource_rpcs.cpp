// SPDX-License-Identifier: Apache-2.0
#include "flux/module/fluxion/resource_rpcs.hpp"

#include <fmt/format.h>
#include <jansson.h>

#include <cerrno>
#include <optional>
#include <string_view>
#include <vector>

#include "flux/module/wire.hpp"

namespace copse::flux {

namespace {

// The paths of a string or an array of strings; none for other values.
std::optional<std::vector<std::string>> paths_of(const json_t* given) {
  std::vector<std::string> out;
  if (json_is_string(given)) {
    out.emplace_back(json_string_value(given));
    return out;
  }
  if (!json_is_array(given)) return std::nullopt;
  for (std::size_t i = 0; i < json_array_size(given); ++i) {
    const char* path = json_string_value(json_array_get(given, i));
    if (path == nullptr) return std::nullopt;
    out.emplace_back(path);
  }
  return out;
}

}  // namespace

template <void (ResourceRpcs::*kMember)(const flux_msg_t*)>
void ResourceRpcs::handle(flux_t* h, flux_msg_handler_t*, const flux_msg_t* message, void* self) {
  auto* rpcs = static_cast<ResourceRpcs*>(self);
  guarded(h, [&] {
    rpcs->resource_.advance(rpcs->now_s_());
    (rpcs->*kMember)(message);
    rpcs->changed_();
  });
}

ResourceRpcs::ResourceRpcs(flux_t* h, FluxionResource& resource,
                           std::function<std::int64_t()> now_s, std::function<void()> changed)
    : h_(h), resource_(resource), now_s_(std::move(now_s)), changed_(std::move(changed)) {}

Result<void> ResourceRpcs::serve() {
  constexpr int kRequest = FLUX_MSGTYPE_REQUEST;
  const flux_msg_handler_spec handlers[] = {
      {kRequest, "match", handle<&ResourceRpcs::match>, 0},
      {kRequest, "match_multi", handle<&ResourceRpcs::match_multi>, 0},
      {kRequest, "update", handle<&ResourceRpcs::update>, 0},
      {kRequest, "cancel", handle<&ResourceRpcs::cancel>, 0},
      {kRequest, "partial-cancel", handle<&ResourceRpcs::partial_cancel>, 0},
      {kRequest, "info", handle<&ResourceRpcs::info>, 0},
      {kRequest, "next_jobid", handle<&ResourceRpcs::next_job>, 0},
      {kRequest, "find", handle<&ResourceRpcs::find>, 0},
      {kRequest, "status", handle<&ResourceRpcs::status>, 0},
      {kRequest, "stats-get", handle<&ResourceRpcs::stats>, FLUX_ROLE_USER},
      {kRequest, "stats-clear", handle<&ResourceRpcs::clear_stats>, FLUX_ROLE_USER},
      {kRequest, "params", handle<&ResourceRpcs::params>, 0},
      {kRequest, "set_property", handle<&ResourceRpcs::set_property>, 0},
      {kRequest, "get_property", handle<&ResourceRpcs::get_property>, 0},
      {kRequest, "remove_property", handle<&ResourceRpcs::remove_property>, 0},
      {kRequest, "set_status", handle<&ResourceRpcs::set_status>, 0},
      {kRequest, "ns-info", handle<&ResourceRpcs::ns_info>, 0},
      {kRequest, "add_subgraph", handle<&ResourceRpcs::add_subgraph>, 0},
      {kRequest, "remove_subgraph", handle<&ResourceRpcs::remove_subgraph>, 0},
      FLUX_MSGHANDLER_TABLE_END};
  if (flux_msg_handler_addvec_ex(h_, kService, handlers, this, &handlers_) < 0) {
    return std::unexpected(flux_failed("can't add handlers of sched-fluxion-resource"));
  }
  return {};
}

// --- Answers

void ResourceRpcs::respond(const flux_msg_t* message, const RpcError& error) {
  flux_respond_error(h_, message, error.number, error.text.empty() ? nullptr : error.text.c_str());
}

void ResourceRpcs::respond(const flux_msg_t* message, const FluxionResource::Matched& matched) {
  flux_respond_pack(h_, message, "{s:I s:s s:f s:s s:I}", "jobid", json_int_t{matched.job},
                    "status", matched.status, "overhead", matched.overhead_s, "R",
                    matched.r.c_str(), "at", json_int_t{matched.at_s});
}

void ResourceRpcs::respond_empty(const flux_msg_t* message, const RpcResult<void>& done) {
  if (!done) return respond(message, done.error());
  flux_respond(h_, message, "{}");
}

void ResourceRpcs::malformed(const flux_msg_t* message) {
  flux_respond_error(h_, message, EPROTO, "could not unpack payload");
}

// --- Jobs

void ResourceRpcs::match(const flux_msg_t* message) {
  const char *command = nullptr, *jobspec = nullptr;
  json_int_t job = 0;
  if (flux_msg_unpack(message, "{s:s s:I s:s}", "cmd", &command, "jobid", &job, "jobspec",
                      &jobspec) < 0) {
    return malformed(message);
  }
  const auto matched = resource_.match(command, job, jobspec);
  if (!matched && matched.error().number == EINVAL) {
    flux_log(h_, LOG_ERR, "match failed due to match error (id=%jd): %s",
             static_cast<std::intmax_t>(job), matched.error().text.c_str());
  }
  if (!matched) return respond(message, matched.error());
  respond(message, *matched);
}

// Stops at the first job that fails.
void ResourceRpcs::match_multi(const flux_msg_t* message) {
  const char* command = nullptr;
  json_t* jobs = nullptr;
  if (!flux_msg_is_streaming(message) ||
      flux_msg_unpack(message, "{s:s s:o}", "cmd", &command, "jobs", &jobs) < 0) {
    return malformed(message);
  }
  for (std::size_t i = 0; i < json_array_size(jobs); ++i) {
    json_int_t job = 0;
    json_t* jobspec = nullptr;
    if (json_unpack(json_array_get(jobs, i), "{s:I s:o}", "jobid", &job, "jobspec", &jobspec) < 0) {
      return malformed(message);
    }
    const Text text = text_of(jobspec);
    const auto matched = resource_.match(
        command, job, json_is_string(jobspec) ? json_string_value(jobspec) : text.get());
    if (!matched) return respond(message, {matched.error().number, fmt::format("jobid={}", job)});
    respond(message, *matched);
  }
  flux_respond_error(h_, message, ENODATA, nullptr);
}

void ResourceRpcs::update(const flux_msg_t* message) {
  json_int_t job = 0;
  const char* r = nullptr;
  if (flux_msg_unpack(message, "{s:I s:s}", "jobid", &job, "R", &r) < 0) return malformed(message);
  const auto matched = resource_.update(job, r);
  if (!matched) {
    flux_log(h_, LOG_ERR, "update failed (id=%jd): %s", static_cast<std::intmax_t>(job),
             matched.error().text.c_str());
    return respond(message, matched.error());
  }
  respond(message, *matched);
}

void ResourceRpcs::cancel(const flux_msg_t* message) {
  json_int_t job = 0;
  if (flux_msg_unpack(message, "{s:I}", "jobid", &job) < 0) return malformed(message);
  respond_empty(message, resource_.cancel(job));
}

void ResourceRpcs::partial_cancel(const flux_msg_t* message) {
  json_int_t job = 0;
  const char* r = nullptr;
  if (flux_msg_unpack(message, "{s:I s:s}", "jobid", &job, "R", &r) < 0) return malformed(message);
  const auto emptied = resource_.partial_cancel(job, r);
  if (!emptied) return respond(message, emptied.error());
  flux_respond_pack(h_, message, "{s:i}", "full-removal", *emptied ? 1 : 0);
}

void ResourceRpcs::info(const flux_msg_t* message) {
  json_int_t job = 0;
  if (flux_msg_unpack(message, "{s:I}", "jobid", &job) < 0) return malformed(message);
  const auto known = resource_.info(job);
  if (!known) return respond(message, known.error());
  flux_respond_pack(h_, message, "{s:I s:s s:I s:f}", "jobid", job, "status", known->status, "at",
                    json_int_t{known->at_s}, "overhead", known->overhead_s);
}

void ResourceRpcs::next_job(const flux_msg_t* message) {
  flux_respond_pack(h_, message, "{s:I}", "jobid", json_int_t{resource_.next_job()});
}

void ResourceRpcs::feasibility(const flux_msg_t* message) {
  json_t* jobspec = nullptr;
  if (flux_msg_unpack(message, "{s:o}", "jobspec", &jobspec) < 0) return malformed(message);
  const auto feasible = resource_.feasible(text_of(jobspec).get());
  if (!feasible) return respond(message, feasible.error());
  flux_respond(h_, message, nullptr);
}

// --- Pools

void ResourceRpcs::find(const flux_msg_t* message) {
  const char *criteria = nullptr, *format = "";
  if (flux_msg_unpack(message, "{s:s s?s}", "criteria", &criteria, "format", &format) < 0) {
    return malformed(message);
  }
  const auto found = resource_.pools().find(criteria, format);
  if (!found) return respond(message, found.error());
  flux_respond(h_, message, found->c_str());
}

void ResourceRpcs::status(const flux_msg_t* message) {
  flux_respond(h_, message, resource_.pools().status().c_str());
}

void ResourceRpcs::stats(const flux_msg_t* message) {
  flux_respond(h_, message, resource_.stats().c_str());
}

void ResourceRpcs::clear_stats(const flux_msg_t* message) {
  resource_.clear_stats();
  flux_respond(h_, message, nullptr);
}

void ResourceRpcs::params(const flux_msg_t* message) {
  flux_respond(h_, message, resource_.options().params().c_str());
}

void ResourceRpcs::set_property(const flux_msg_t* message) {
  json_t* given = nullptr;
  const char* assignment = nullptr;
  if (flux_msg_unpack(message, "{s:o s:s}", "sp_resource_path", &given, "sp_keyval", &assignment) <
      0) {
    return malformed(message);
  }
  const auto paths = paths_of(given);
  if (!paths) return malformed(message);
  respond_empty(message, resource_.pools().set_property(*paths, assignment));
}

void ResourceRpcs::remove_property(const flux_msg_t* message) {
  json_t* given = nullptr;
  const char* key = nullptr;
  if (flux_msg_unpack(message, "{s:o s:s}", "resource_path", &given, "key", &key) < 0) {
    return malformed(message);
  }
  const auto paths = paths_of(given);
  if (!paths) return malformed(message);
  respond_empty(message, resource_.pools().remove_property(*paths, key));
}

void ResourceRpcs::get_property(const flux_msg_t* message) {
  const char *path = nullptr, *key = nullptr;
  if (flux_msg_unpack(message, "{s:s s:s}", "gp_resource_path", &path, "gp_key", &key) < 0) {
    return malformed(message);
  }
  const auto values = resource_.pools().get_property(path, key);
  if (!values) return respond(message, values.error());
  json_t* list = json_array();
  for (const std::string& value : *values) json_array_append_new(list, json_string(value.c_str()));
  flux_respond_pack(h_, message, "{s:o}", "values", list);
}

void ResourceRpcs::set_status(const flux_msg_t* message) {
  const char *path = nullptr, *word = nullptr;
  if (flux_msg_unpack(message, "{s:s s:s}", "resource_path", &path, "status", &word) < 0) {
    return malformed(message);
  }
  const auto done = resource_.pools().set_status(path, word);
  if (!done) return respond(message, done.error());
  flux_respond(h_, message, nullptr);
  if (up_ && std::string_view(word) == "up") up_();
}

void ResourceRpcs::ns_info(const flux_msg_t* message) {
  json_int_t rank = 0, id = 0;
  const char* type = nullptr;
  if (flux_msg_unpack(message, "{s:I s:s s:I}", "rank", &rank, "type-name", &type, "id", &id) < 0) {
    return malformed(message);
  }
  const auto here = resource_.pools().id_here(rank, type, id);
  if (!here) return respond(message, here.error());
  flux_respond_pack(h_, message, "{s:I}", "id", json_int_t{*here});
}

void ResourceRpcs::add_subgraph(const flux_msg_t* message) {
  const char* jgf = nullptr;
  if (flux_msg_unpack(message, "{s:s}", "subgraph", &jgf) < 0) return malformed(message);
  respond_empty(message, resource_.pools().add_subgraph(jgf));
}

void ResourceRpcs::remove_subgraph(const flux_msg_t* message) {
  const char* path = nullptr;
  if (flux_msg_unpack(message, "{s:s}", "subgraph_path", &path) < 0) return malformed(message);
  respond_empty(message, resource_.pools().remove_subgraph(path));
}

}  // namespace copse::flux
