// SPDX-License-Identifier: Apache-2.0
//
// The right number, but headers that say something else of a policy.
#include "copse/plugin.hpp"

extern "C" const copse::Plugin* copse_plugin() {
  static const copse::Plugin plugin{.policy_bytes = 8};
  return &plugin;
}
