// SPDX-License-Identifier: Apache-2.0
//
// /v1/grants, and functions that all handlers share.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/job_id.hpp"
#include "server/http/conditions.hpp"
#include "server/http/handlers/handlers.hpp"
#include "server/http/problem.hpp"
#include "server/jobs/shared_job.hpp"
#include "server/rights/digest.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

namespace {

constexpr std::int64_t kListMax = 10'000, kListUsual = 1'000;

struct NamedGrant {
  std::int64_t id;
  JobId job;
  bool there;
};

Result<NamedGrant> named_grant(const HttpContext& context, const HttpCall& call) {
  const auto id = parse_integer(call.parameter, "the id of a grant");
  if (!id) return std::unexpected(id.error());
  const JobId job = Session::job_of(*id);
  return NamedGrant{*id, job, context.service.session().engine().grant(job) != nullptr};
}

HttpResponse no_grant(std::int64_t id) {
  return problem(Problem::not_found, fmt::format("grant {} does not exist", id));
}

// A grant as the caller sees it; nothing of a hidden one. `session`: the service's, or a copy.
void append_grant(const Service& service, Session& session, const Viewer& viewer, JobId job,
                  std::string& out) {
  const Visibility seen = service.visibility(viewer, job);
  if (seen == Visibility::whole) return session.append_grant(job, out);
  if (seen == Visibility::hidden) return;
  std::string whole;
  session.append_grant(job, whole);
  append_shared_grant(whole, out);
}

// Grants of one state, some in each step.
class GrantList final : public ResponseWork {
 public:
  GrantList(Service& service, const Caller& caller)
      : service_(service),
        viewer_(service.viewer_of(caller)),
        session_(service.session().what_if()) {}

  // The grants after this id that the caller sees, at most `limit`.
  void choose(std::int64_t after, std::size_t limit) {
    for (const JobId job : session_.engine().jobs()) {
      const std::int64_t id = Session::id_of(job);
      const bool seen = service_.visibility(viewer_, job) != Visibility::hidden;
      if (seen && !is_reservation(job) && id > after) ids_.push_back(id);
    }
    std::ranges::sort(ids_);
    more_ = ids_.size() > limit;
    if (more_) ids_.resize(limit);
  }

  bool step(HttpResponse& out, std::int64_t /*now_s*/) override {
    constexpr std::size_t kGrants = 50;
    if (next_ == 0) out.body = "{\"grants\": [";
    for (const std::size_t end = std::min(next_ + kGrants, ids_.size()); next_ < end; ++next_) {
      std::string grant;
      append_grant(service_, session_, viewer_, Session::job_of(ids_[next_]), grant);
      if (!grant.empty() && !out.body.ends_with('[')) out.body += ", ";
      out.body += grant;
    }
    if (next_ < ids_.size()) return false;
    out.body += ']';
    if (more_) out.body += fmt::format(", \"next\": {}", ids_.back());
    out.body += "}\n";
    return true;
  }

 private:
  const Service& service_;
  Viewer viewer_;
  Session session_;  // a copy
  std::vector<std::int64_t> ids_{};
  std::size_t next_ = 0;
  bool more_ = false;
};

HttpResponse grant_response(HttpContext& context, const HttpCall& call, const NamedGrant& grant,
                            unsigned status) {
  HttpResponse out{.status = status};
  append_grant(context.service, context.service.session(),
               context.service.viewer_of(call.request.caller), grant.job, out.body);
  if (out.body.empty()) return no_grant(grant.id);
  out.body += '\n';
  return out;
}

// `why`: an explanation of the refusal, or "".
HttpResponse refusal(const Service& service, const SessionAnswer::Refusal& refused,
                     std::string_view why = {}) {
  Problem which = problem_kind(refused);
  if (which == Problem::insufficient && !service.has_disk_space()) which = Problem::no_space;
  return problem(which, refused.sentence(), why);
}

HttpResponse response_of(const Service& service, SessionAnswer answer) {
  if (answer.refusal) return refusal(service, *answer.refusal);
  return {.body = take_line(std::move(answer))};
}

// A dear operation.
class OperationWork final : public ResponseWork {
 public:
  OperationWork(const Service& service, std::shared_ptr<Service::Work> work)
      : service_(service), work_(std::move(work)) {}

  bool step(HttpResponse& out, std::int64_t now_s) override {
    Service::Answer answer;
    if (!work_->step(now_s, answer)) return false;
    out = response_of(service_, std::move(answer.value));
    return true;
  }

 private:
  const Service& service_;
  std::shared_ptr<Service::Work> work_;
};

std::string why_not(HttpContext& context, const HttpCall& call) {
  const auto line = line_of(call.request.body, "explain", {});
  if (!line) return {};
  return context.service.answer(*line, call.now_s, 0, call.request.caller).value.body;
}

}  // namespace

Result<std::string> line_of(std::string_view body, std::string_view op, std::string_view id) {
  constexpr std::string_view kBlanks = " \t\r\n";
  while (!body.empty() && kBlanks.contains(body.back())) body.remove_suffix(1);
  const std::size_t begin = std::min(body.find_first_not_of(kBlanks), body.size());
  if (body.substr(begin).empty()) body = "{}";
  if (!body.ends_with('}') || body[std::min(begin, body.size() - 1)] != '{') {
    if (body != "{}") return fail(ErrorCode::invalid, "the body must be a JSON object");
  }
  std::string out(body.substr(0, body.size() - 1));
  const std::size_t last = out.find_last_not_of(kBlanks);
  const bool empty = last == begin || body == "{}";
  out += fmt::format("{}\"op\": \"{}\"", empty ? "" : ", ", op);
  if (!id.empty()) out += fmt::format(", \"id\": {}", id);
  return out += '}';
}

HttpResponse run_operation(HttpContext& context, const HttpCall& call, std::string_view line) {
  auto answer = context.service.begin(line, call.now_s, 0, call.request.caller, call.identity);
  if (answer.work != nullptr) {
    return {.work = std::make_shared<OperationWork>(context.service, std::move(answer.work))};
  }
  return response_of(context.service, std::move(answer.value));
}

Result<std::size_t> limit_of(const Target& target) {
  const std::string* text = target.find("limit");
  if (text == nullptr) return kListUsual;
  const auto read = parse_integer(*text, "limit", kListMax);
  if (!read) return std::unexpected(read.error());
  if (*read == 0) return fail(ErrorCode::invalid, "limit must be at least 1");
  return static_cast<std::size_t>(*read);
}

HttpResponse get_grants(HttpContext& context, const HttpCall& call) {
  const auto limit = limit_of(call.target);
  if (!limit) return problem_of(limit.error());
  std::int64_t after = -1;
  if (const std::string* text = call.target.find("after")) {
    const auto read = parse_integer(*text, "after");
    if (!read) return problem_of(read.error());
    after = *read;
  }
  auto list = std::make_shared<GrantList>(context.service, call.request.caller);
  list->choose(after, *limit);
  return {.work = std::move(list)};
}

HttpResponse get_grant(HttpContext& context, const HttpCall& call) {
  const auto grant = named_grant(context, call);
  if (!grant) return problem_of(grant.error());
  return grant->there ? grant_response(context, call, *grant, 200) : no_grant(grant->id);
}

// Idempotent: repeating the request returns the same grant.
HttpResponse put_grant(HttpContext& context, const HttpCall& call) {
  const auto grant = named_grant(context, call);
  if (!grant) return problem_of(grant.error());
  const std::string* when = call.target.find("when");
  if (when != nullptr && *when != "now" && *when != "later") {
    return problem(Problem::invalid, "when must be now or later");
  }
  const bool later = when != nullptr && *when == "later";
  const auto line =
      line_of(call.request.body, later ? "reserve" : "alloc", std::to_string(grant->id));
  if (!line) return problem_of(line.error());
  Service& service = context.service;
  const RequestIdentity identity{sha256_text(*line), {}};
  if (grant->there) {
    const ClientTable::GrantRecord* record = service.clients().find_grant(grant->id);
    const bool own = service.owner(grant->id) == call.request.caller.name;
    if (own && record != nullptr && record->request_digest == identity.digest) {
      return grant_response(context, call, *grant, 200);
    }
    return problem(
        Problem::exists,
        fmt::format("the id {} belongs to another request or another client", grant->id));
  }
  if (auto changed = check_match(call.request.if_match, service.next())) return *changed;
  auto answer = service.answer(*line, call.now_s, 0, call.request.caller, identity);
  if (const auto& refused = answer.value.refusal) {
    const bool explained = refused->code == SessionAnswer::Code::insufficient ||
                           refused->code == SessionAnswer::Code::infeasible;
    return refusal(service, *refused, explained ? why_not(context, call) : std::string());
  }
  HttpResponse out{.status = 201, .body = take_line(std::move(answer.value))};
  out.fields.emplace_back("Location", fmt::format("/v1/grants/{}", grant->id));
  return out;
}

HttpResponse delete_grant(HttpContext& context, const HttpCall& call) {
  const auto grant = named_grant(context, call);
  if (!grant) return problem_of(grant.error());
  if (!grant->there) return no_grant(grant->id);
  const auto line = line_of(call.request.body, "free", std::to_string(grant->id));
  return line ? run_operation(context, call, *line) : problem_of(line.error());
}

}  // namespace copse::server
