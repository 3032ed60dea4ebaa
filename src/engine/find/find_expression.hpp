// SPDX-License-Identifier: Apache-2.0
//
// The expressions of `find`: those of resource-query, and what the pools themselves have (RFC 4,
// *Matching support*).
//
//   expr := term { [and|or] term }         strictly left to right, no precedence; no word is `and`
//   term := key=value | "(" expr ")"
//   keys: status sched-now sched-future names property jobid-alloc jobid-reserved jobid-tag
//         jobid-span agfilter; tag uuid type basename id size; best, once and outside parentheses
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/idset.hpp"
#include "copse/error.hpp"
#include "copse/ids.hpp"

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
    tag,
    uuid,
    type,
    basename,
    id,
    size,
    always,
    job_alloc,
    job_reserved,
    job_tag,
    job_span,
    agfilter
  };
  Key key;
  bool flag = false;                   // agfilter: its value; size: or more
  std::optional<JobId> job{};          // of keys that have a job
  std::string word{};                  // property, tag, uuid, type, basename
  std::optional<std::string> value{};  // of a tag
  std::vector<std::string> names{};    // sorted
  Idset ids{};                         // id
  std::int64_t number = 0;             // size
};

// Postfix: a step is a term, or combines the last two results.
struct FindStep {
  enum class Kind : std::uint8_t { term, both, either } kind = Kind::term;
  std::uint32_t term = 0;
};

// Only the `count` pools with the highest or the lowest scores are shown.
struct BestPools {
  enum class Score : std::uint8_t { size, id, free } score = Score::size;
  bool lowest = false;
  std::string type{};  // free: the type of the units
  std::size_t count = 0;
};

struct FindExpression {
  std::vector<FindTerm> terms;
  std::vector<FindStep> steps;
  std::optional<BestPools> best{};
};

// Errors: invalid, "invalid criteria: <text>."; limit (nesting above 100, more
// than 1,000 terms or 2^20 host names).
[[nodiscard]] Result<FindExpression> parse_find(std::string_view text);

}  // namespace copse
