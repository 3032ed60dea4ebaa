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
// A plugin needs the headers alone: what it calls of a graph is in the program that loads it. It is
// built for one version of these headers, and refused by programs of another. An exception
// that leaves one of its functions ends the program, with its text. examples/policies has one, and
// examples/disciplines.
#pragma once

#include <cstdint>
#include <span>

#include "copse/discipline.hpp"
#include "copse/graph.hpp"
#include "copse/policy.hpp"

namespace copse {

// Rises whenever Plugin, Policy, Discipline, JobView or what a policy may read of a graph changes its
// meaning or layout.
inline constexpr std::uint32_t kPluginAbi = 3;

// What a plugin has. A program looks at the first member before it looks at others.
struct Plugin {
  std::uint32_t abi = kPluginAbi;
  // Sizes as the plugin saw them: they differ if headers changed and nobody raised the number, or
  // if the standard library is another.
  std::uint32_t policy_bytes = sizeof(Policy), discipline_bytes = sizeof(Discipline),
                graph_bytes = sizeof(ResourceGraph);
  // At least one of both together; names differ.
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
