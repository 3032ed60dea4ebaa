// SPDX-License-Identifier: Apache-2.0
#include "server/http/conditions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "server/http/problem.hpp"
#include "server/rights/digest.hpp"
#include "text/split.hpp"

namespace copse::server {

namespace {

// Calls `is` with each tag of a list until it returns true.
template <class Is>
bool any_tag(std::string_view list, Is is) {
  while (!list.empty()) {
    std::string_view tag = take_part(list, ',');
    while (tag.starts_with(' ')) tag.remove_prefix(1);
    while (tag.ends_with(' ')) tag.remove_suffix(1);
    if (is(tag)) return true;
  }
  return false;
}

}  // namespace

std::string etag_of(journal::Sequence next, bool timed, std::string_view body) {
  if (!timed) return fmt::format("\"{}\"", next);
  return fmt::format("\"{}-{}\"", next, sha256_text(body).substr(0, 16));
}

std::optional<HttpResponse> check_match(std::string_view if_match, journal::Sequence next) {
  if (if_match.empty()) return std::nullopt;
  const std::string now = fmt::format("\"{}\"", next), timed = fmt::format("\"{}-", next);
  const bool same = any_tag(if_match, [&](std::string_view tag) {
    return tag == now || (tag.starts_with(timed) && tag.ends_with('"'));
  });
  if (same) return std::nullopt;
  return problem(Problem::precondition_failed,
                 fmt::format("If-Match has {}, but the last change is {}: read the state "
                             "again",
                             if_match, now));
}

bool etag_listed(std::string_view if_none_match, std::string_view tag) {
  return any_tag(if_none_match, [&](std::string_view one) {
    if (one.starts_with("W/")) one.remove_prefix(2);
    return one == tag;
  });
}

// The parts are unambiguous: method and target contain no NUL, a method no blank.
RequestIdentity identity_of(const HttpRequest& request) {
  std::string text = fmt::format("{} {}", request.method, request.target);
  text += '\0';
  text += request.body;
  return {sha256_text(text), std::string(request.idempotency_key)};
}

std::optional<HttpResponse> replayed_answer(const Service& service, const HttpRequest& request,
                                            const RequestIdentity& identity, std::int64_t now_s) {
  if (identity.key.empty()) return std::nullopt;
  const bool plain = std::ranges::all_of(identity.key, [](char c) { return c > ' ' && c < 0x7f; });
  if (!plain || identity.key.size() > IdempotencyTable::kKeyBytesMax) {
    return problem(Problem::invalid,
                   fmt::format("an Idempotency-Key must have at most {} printable characters",
                               IdempotencyTable::kKeyBytesMax));
  }
  const auto* kept = service.clients().answers().find(request.caller.name, identity.key, now_s);
  if (kept == nullptr) return std::nullopt;
  if (kept->request_digest != identity.digest) {
    return problem(Problem::idempotency_key_reused,
                   "this Idempotency-Key belongs to another request: use "
                   "a new one");
  }
  HttpResponse out{.body = kept->text};
  out.fields.emplace_back("Idempotency-Replayed", "true");
  return out;
}

}  // namespace copse::server
