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

HttpResponse problem_response(Problem which, std::string_view detail_json, std::string_view why) {
  const ProblemInfo& facts = kProblems.at(static_cast<std::size_t>(which));
  HttpResponse out;
  out.status = facts.status;
  out.type = "application/problem+json";
  JsonWriter json(out.body);
  json.object([&] {
    json.member("type", "urn:copse:problem:" + std::string(facts.word));
    json.member("title", facts.title);
    json.member("status", facts.status);
    json.member_json("detail", detail_json);
    if (!why.empty()) json.member_json("why", why);
  });
  out.body += '\n';
  if (which == Problem::busy) out.fields.emplace_back("Retry-After", "1");
  if (which == Problem::unauthenticated) out.fields.emplace_back("WWW-Authenticate", "Bearer");
  return out;
}

}  // namespace

HttpResponse problem(Problem which, std::string_view detail, std::string_view why) {
  std::string quoted;
  append_json(quoted, detail);
  return problem_response(which, quoted, why);
}

HttpResponse problem(const Refusal& refusal, std::string_view why) {
  return problem_response(refusal.problem, refusal.detail, why);
}

HttpResponse problem_of(const Error& error) {
  const bool large = error.code == ErrorCode::limit;
  return problem(large ? Problem::too_large : Problem::invalid, error.message());
}

std::optional<Refusal> refusal_of(std::string_view answer, std::optional<ErrorCode> error) {
  constexpr std::string_view kHead = R"({"error": ")", kBetween = R"(", "message": )";
  if (!answer.starts_with(kHead)) return std::nullopt;
  answer.remove_prefix(kHead.size());
  const std::size_t end = answer.find('"');
  const std::string_view code = answer.substr(0, end);
  answer.remove_prefix(end + kBetween.size());
  while (!answer.empty() && answer.back() != '"') answer.remove_suffix(1);
  Problem which = Problem::invalid;
  if (code == "insufficient") which = Problem::insufficient;
  if (code == "infeasible") which = Problem::infeasible;
  if (code == "forbidden") which = Problem::forbidden;
  if (code == "invalid" && error == ErrorCode::not_found) which = Problem::not_found;
  if (code == "invalid" && error == ErrorCode::exists) which = Problem::exists;
  return Refusal{which, std::string(answer)};
}

}  // namespace copse::server
