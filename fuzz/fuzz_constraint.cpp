// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: parse_constraint accepts or refuses them with one error; an accepted constraint can be
// asked of any node, and its negation answers the opposite.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "go_on.hpp"
#include "request/constraint.hpp"
#include "target.hpp"

namespace {

using copse::Constraint;
using copse::fuzz::require;

void check(const Constraint& constraint) {
  if (constraint.op == Constraint::Op::hostlist) {
    require(std::ranges::is_sorted(constraint.words));
  }
  std::int64_t before = -2;
  for (const auto& [first, last] : constraint.ranks) {
    require(before + 1 < first && first <= last);
    before = last;
  }
  for (const Constraint& operand : constraint.operands) check(operand);
}

}  // namespace

FUZZ_TARGET(constraint) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto constraint = copse::parse_constraint(text, "fuzz");
  if (!constraint) {
    require(!constraint.error().text.empty());
    require(constraint.error().text.find('\n') == std::string::npos);
    return 0;
  }
  check(*constraint);
  Constraint negation;
  negation.op = Constraint::Op::negate;
  negation.operands.push_back(*constraint);
  const std::map<std::string, std::string> properties = {{"fast", ""}, {"big", "yes"}, {"", ""}};
  for (const copse::NodeFacts& node :
       {copse::NodeFacts{.name = "a1", .rank = 0, .properties = &properties},
        copse::NodeFacts{.name = "b12", .rank = 7, .properties = nullptr}, copse::NodeFacts{}}) {
    require(copse::holds(*constraint, node) != copse::holds(negation, node));
  }
  static const auto engine = copse::fuzz::engine_on(copse::fuzz::small_machine(), "low");
  copse::fuzz::match_once(*engine, copse::fuzz::with_constraint(std::move(*constraint)));
  return 0;
}
