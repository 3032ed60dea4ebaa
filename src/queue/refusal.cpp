// SPDX-License-Identifier: Apache-2.0
#include "queue/refusal.hpp"

#include <algorithm>
#include <string_view>

#include "explain/explain.hpp"
#include "explain/explanation.hpp"
#include "request/request_checks.hpp"
#include "request/request_defaults.hpp"

namespace copse::queue {

Error refusal(Engine& engine, PreparedRequest& request, const Error& error) {
  Error out = error;
  const auto why = engine.explain(request);
  if (why && why->verdict == Verdict::infeasible && !why->findings.empty()) {
    out.text +=
        ": " + (why->remarks.empty() ? sentence(why->findings.front(), why->verdict, engine.now())
                                     : why->remarks.front());
    if (why->remarks.empty()) out.text += about_defaults(*why, request.request());
  }
  return out;
}

Error nothing_to_take(std::int64_t now_s) {
  return {ErrorCode::invalid,
          "the request takes nothing: " + sentence(nothing_exclusive(), Verdict::invalid, now_s),
          {}};
}

Error refusal(const Engine& engine, const Request& request, const Error& error) {
  if (error.code != ErrorCode::not_found) return error;
  return unknown_type(engine.graph(), request).value_or(error);
}

std::string about_defaults(const Explanation& why, const Request& request) {
  constexpr std::string_view kMemory = "memory";
  const std::string_view place = place_of_default_memory(request);
  if (place.empty() || why.findings.empty()) return {};
  const Finding& finding = why.findings.front();
  const bool about =
      finding.type == kMemory || std::ranges::any_of(finding.each, [&](const Finding::Part& part) {
        return part.type == kMemory;
      });
  return about ? "; its memory is the " + std::string(place) : std::string();
}

}  // namespace copse::queue
