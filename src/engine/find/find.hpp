// SPDX-License-Identifier: Apache-2.0
//
// The expressions of resource-query's `find` command.
//
//   expr := term { [and|or] term }         strictly left to right, no precedence; no word is `and`
//   term := key=value | "(" expr ")"
//   keys: status sched-now sched-future names property jobid-alloc jobid-reserved jobid-tag
//         jobid-span agfilter
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/parts.hpp"

namespace copse {

struct FindTerm {
  enum class Key : std::uint8_t {
    status_up,
    status_down,
    allocated,
    free_now,
    reserved,
    free_later,
    names,
    property,
    job_alloc,
    job_reserved,
    job_tag,
    job_span,
    agfilter
  };
  Key key;
  bool flag = false;               // agfilter: its value
  std::optional<JobId> job;        // of keys that have a job
  std::string word;                // property
  std::vector<std::string> names;  // sorted
};

// Postfix: a step is a term, or combines the last two results.
struct FindStep {
  enum class Kind : std::uint8_t { term, both, either } kind = Kind::term;
  std::uint32_t term = 0;
};

struct FindExpression {
  std::vector<FindTerm> terms;
  std::vector<FindStep> steps;
};

// Errors: invalid, "invalid criteria: <text>."; limit (nesting above 100, more
// than 1,000 terms or 2^20 host names).
[[nodiscard]] Result<FindExpression> parse_find(std::string_view text);

// As Engine::find and Engine::filter_use.
[[nodiscard]] Result<Engine::FindResult> find(const EngineParts& e, std::string_view text);
[[nodiscard]] std::vector<Engine::FilterUse> filter_use(const EngineParts& e, PoolId pool,
                                                        JobId job);

}  // namespace copse
