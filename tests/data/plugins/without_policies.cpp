// SPDX-License-Identifier: Apache-2.0
//
// A plugin that has nothing.
#include "copse/plugin.hpp"

extern "C" const copse::Plugin* copse_plugin() {
  static const copse::Plugin plugin;
  return &plugin;
}
