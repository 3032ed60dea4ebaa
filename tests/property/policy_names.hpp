// SPDX-License-Identifier: Apache-2.0
//
// The policies for which a property is tested, and the names of these tests.
#pragma once

#include <cctype>
#include <string>
#include <vector>

#include "copse/policy.hpp"
#include "property/custom_policies.hpp"

namespace copse::property {

// The bundled policies, and custom_policies().
inline std::vector<std::string> all_policy_names() {
  std::vector<std::string> names;
  for (const Policy& policy : bundled_policies()) names.push_back(policy.name);
  for (const Policy& policy : custom_policies()) names.push_back(policy.name);
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
