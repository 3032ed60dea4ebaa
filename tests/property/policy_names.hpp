// SPDX-License-Identifier: Apache-2.0
//
// The policies under which a property is tested, and the names of such tests.
#pragma once

#include <cctype>
#include <string>
#include <vector>

#include "copse/policy.hpp"
#include "property/own_policies.hpp"

namespace copse::property {

// Those that come with the library, and own_policies().
inline std::vector<std::string> all_policy_names() {
  std::vector<std::string> names;
  for (const Policy& policy : bundled_policies()) names.push_back(policy.name);
  for (const Policy& policy : own_policies()) names.push_back(policy.name);
  return names;
}

// "dicelow" for dice-low: a test's parameter has letters and digits.
template <class Info>
std::string policy_test_name(const Info& test) {
  std::string name = test.param;
  std::erase_if(name, [](unsigned char c) { return !std::isalnum(c); });
  return name;
}

}  // namespace copse::property
