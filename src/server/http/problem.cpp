// SPDX-License-Identifier: Apache-2.0
#include "server/http/problem.hpp"

#include <array>

#include "text/json_writer.hpp"

namespace copse::server {

namespace {

struct ProblemInfo {
  std::string_view word, title;
  unsigned status;
};

// In the order of Problem.
constexpr std::array<ProblemInfo, 18> kProblems{{
    {"invalid", "the request is wrong", 400},
    {"unauthenticated", "the client is not authenticated", 401},
    {"forbidden", "the client may not do this", 403},
    {"not-found", "it does not exist", 404},
    {"method-not-allowed", "the path does not support this method", 405},
    {"insufficient", "not now", 409},
    {"exists", "it exists already, and is different", 409},
    {"gone", "events that old are no longer kept", 410},
    {"too-large", "the request is too large", 413},
    {"infeasible", "never on this machine", 422},
    {"header-too-large", "the header of the request is too large", 431},
    {"no-space", "the disk of the service is nearly full", 507},
    {"busy", "the service is too busy", 503},
    {"precondition-failed", "the state has changed since", 412},
    {"idempotency-key-reused", "the key was used for another request", 422},
    {"misdirected", "the request is for another service", 421},
    {"unsupported-coding", "the body has a content coding", 415},
    {"not-implemented", "the body has a transfer coding that is not supported", 501},
}};

}  // namespace

HttpResponse problem(Problem which, std::string_view detail, std::string_view why) {
  const ProblemInfo& facts = kProblems.at(static_cast<std::size_t>(which));
  HttpResponse out;
  out.status = facts.status;
  out.type = "application/problem+json";
  JsonWriter json(out.body);
  json.object([&] {
    json.member("type", "urn:copse:problem:" + std::string(facts.word));
    json.member("title", facts.title);
    json.member("status", facts.status);
    json.member("detail", detail);
    if (!why.empty()) json.member_json("why", why);
  });
  out.body += '\n';
  if (which == Problem::busy) out.fields.emplace_back("Retry-After", "1");
  if (which == Problem::unauthenticated) out.fields.emplace_back("WWW-Authenticate", "Bearer");
  return out;
}

HttpResponse problem_of(const Error& error) {
  const bool large = error.code == ErrorCode::limit;
  return problem(large ? Problem::too_large : Problem::invalid, error.message());
}

Problem problem_kind(const SessionAnswer::Refusal& refusal) {
  switch (refusal.code) {
    case SessionAnswer::Code::insufficient: return Problem::insufficient;
    case SessionAnswer::Code::infeasible: return Problem::infeasible;
    case SessionAnswer::Code::forbidden: return Problem::forbidden;
    case SessionAnswer::Code::invalid: break;
  }
  if (refusal.error.code == ErrorCode::not_found) return Problem::not_found;
  if (refusal.error.code == ErrorCode::exists) return Problem::exists;
  return Problem::invalid;
}

}  // namespace copse::server
