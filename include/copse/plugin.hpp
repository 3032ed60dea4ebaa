// SPDX-License-Identifier: Apache-2.0
//
// A plugin: policies and disciplines of your own in a shared object, for every tool, without
// building Copse.
//
//   #include "copse/plugin.hpp"
//   COPSE_PLUGIN({.name = "coolest", .prefer_high = false, .score = my_score})
//
//   c++ -std=c++23 -O2 -shared -fPIC coolest.cpp -o coolest.so $(pkg-config --cflags copse)
//   copse match -P ./coolest.so -L machine.graphml job.yaml
//
// A plugin needs only the headers: it reads the machine through a GraphView, a table of functions that
// the program hands to it, and links to no symbol of Copse. It is built for one version of Policy,
// Discipline and GraphView, and refused by programs with another. An exception that leaves one of its
// functions ends the program, with its text. Examples: examples/policies, examples/disciplines.
#pragma once

#include <cstdint>
#include <span>

#include "copse/discipline.hpp"
#include "copse/policy.hpp"
#include "copse/policy/visit.hpp"

namespace copse {

// Raised whenever Plugin, Policy, GraphView, Visit, Discipline or JobView changes its meaning or layout.
inline constexpr std::uint32_t kPluginAbi = 6;

// The contents of a plugin. A program checks the first member before it reads others.
struct Plugin {
  std::uint32_t abi = kPluginAbi;
  // Sizes at the plugin's compilation. They differ if the headers changed without a new number, or
  // with another standard library.
  std::uint32_t policy_bytes = sizeof(Policy), discipline_bytes = sizeof(Discipline),
                view_bytes = sizeof(GraphView::Functions),
                visit_bytes = sizeof(Visit) + sizeof(Visit::Functions);
  // At least one policy or discipline; names differ.
  std::span<const Policy> policies{};
  std::span<const Discipline> disciplines{};
};

// The function that a plugin has, and its name.
using PluginFunction = const Plugin* (*)();
inline constexpr char kPluginFunction[] = "copse_plugin";

}  // namespace copse

// Once in a plugin: its policies, separated by commas.
#define COPSE_PLUGIN(...)                                                         \
  extern "C" [[gnu::visibility("default")]] const copse::Plugin* copse_plugin() { \
    static const copse::Policy policies[] = {__VA_ARGS__};                        \
    static const copse::Plugin plugin{.policies = policies};                      \
    return &plugin;                                                               \
  }

// The same for disciplines, in a plugin without policies.
#define COPSE_DISCIPLINE_PLUGIN(...)                                              \
  extern "C" [[gnu::visibility("default")]] const copse::Plugin* copse_plugin() { \
    static const copse::Discipline disciplines[] = {__VA_ARGS__};                 \
    static const copse::Plugin plugin{.disciplines = disciplines};                \
    return &plugin;                                                               \
  }
