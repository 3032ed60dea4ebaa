// SPDX-License-Identifier: Apache-2.0
#include "queue/refusal.hpp"

#include "explain/explain.hpp"
#include "explain/explanation.hpp"
#include "request/request_checks.hpp"

namespace copse::queue {

Error refusal(Engine& engine, PreparedRequest& request, const Error& error) {
  Error out = error;
  const auto why = engine.explain(request);
  if (why && why->verdict == Verdict::infeasible && !why->findings.empty()) {
    out.text +=
        ": " + (why->remarks.empty() ? sentence(why->findings.front(), why->verdict, engine.now())
                                     : why->remarks.front());
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

}  // namespace copse::queue
