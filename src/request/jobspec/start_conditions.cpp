// SPDX-License-Identifier: Apache-2.0
#include "request/jobspec/start_conditions.hpp"

#include <cassert>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace copse {

std::vector<std::string> keys_without_effect(const StartConditions& conditions, double now_s) {
  std::vector<std::string> out;
  if (conditions.dependencies) out.emplace_back("attributes.system.dependencies");
  if (conditions.begin_s > now_s) out.emplace_back("attributes.system.begin-time");
  return out;
}

Result<void> refuse_conditions(const StartConditions& conditions, double now_s) {
  const auto keys = keys_without_effect(conditions, now_s);
  if (keys.empty()) return {};
  return fail(ErrorCode::invalid,
              list_of_keys(keys) + (keys.size() == 1 ? " has no effect here: leave it out"
                                                     : " have no effect here: leave them out"));
}

std::string list_of_keys(const std::vector<std::string>& keys) {
  assert(!keys.empty());
  return fmt::format("{}", fmt::join(keys, " and "));
}

}  // namespace copse
