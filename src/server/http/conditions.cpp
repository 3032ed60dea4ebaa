// SPDX-License-Identifier: Apache-2.0
#include "server/http/conditions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "server/http/problem.hpp"
#include "server/rights/digest.hpp"

namespace copse::server {

namespace {

// Calls each tag of a list, without the mark of a weak one, until one is true.
template <class Is>
bool any_tag(std::string_view list, Is is) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view tag = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (tag.starts_with(' ')) tag.remove_prefix(1);
    while (tag.ends_with(' ')) tag.remove_suffix(1);
    if (is(tag)) return true;
  }
  return false;
}

}  // namespace

std::string tag_of(journal::Sequence next, bool timed, std::string_view body) {
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
  return problem(Problem::changed,
                 fmt::format("If-Match has {}, and the last change is {}: read again what you want "
                             "to change",
                             if_match, now));
}

bool is_listed(std::string_view if_none_match, std::string_view tag) {
  return any_tag(if_none_match, [&](std::string_view one) {
    if (one.starts_with("W/")) one.remove_prefix(2);
    return one == tag;
  });
}

// Parts of a target and a body have no 0 in between, and a method has no blank.
Service::Asked asked_of(const HttpRequest& request) {
  std::string text = fmt::format("{} {}", request.method, request.target);
  text += '\0';
  text += request.body;
  return {sha256_text(text), std::string(request.idempotency_key)};
}

std::optional<HttpResponse> answered_before(const Service& service, const HttpRequest& request,
                                            const Service::Asked& asked, std::int64_t now_s) {
  if (asked.key.empty()) return std::nullopt;
  const bool plain = std::ranges::all_of(asked.key, [](char c) { return c > ' ' && c < 0x7f; });
  if (!plain || asked.key.size() > AnswerBook::kKeyBytesMax) {
    return problem(Problem::invalid,
                   fmt::format("an Idempotency-Key has at most {} printable characters",
                               AnswerBook::kKeyBytesMax));
  }
  const auto* kept = service.clients().answers().find(request.who.name, asked.key, now_s);
  if (kept == nullptr) return std::nullopt;
  if (kept->asked != asked.digest) {
    return problem(Problem::key_used,
                   "this Idempotency-Key was given with another request: take "
                   "a new one");
  }
  HttpResponse out{.body = kept->text};
  out.fields.emplace_back("Idempotency-Replayed", "true");
  return out;
}

}  // namespace copse::server
