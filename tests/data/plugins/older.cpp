// SPDX-License-Identifier: Apache-2.0
//
// Of a version that is no longer.
#include "copse/plugin.hpp"

extern "C" const copse::Plugin* copse_plugin() {
  static const copse::Plugin plugin{.abi = copse::kPluginAbi - 1};
  return &plugin;
}
