// SPDX-License-Identifier: Apache-2.0
//
// An engine on the desk: 4 nodes of 8 cores and 2 GPUs below one rack.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "copse/engine.hpp"
#include "copse/formats.hpp"
#include "paths.hpp"

namespace copse::fluxion {

inline std::unique_ptr<Engine> desk_engine() {
  std::ifstream in(source_dir() + "/examples/machines/desk.graphml");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  auto graph = read_machine(text);
  EXPECT_TRUE(graph);
  auto engine = Engine::create(std::move(*graph), {.policy = *find_policy("low")});
  EXPECT_TRUE(engine);
  return std::move(*engine);
}

inline std::string nodes(int count) {
  return "version: 9999\nresources: [{type: slot, count: " + std::to_string(count) +
         ", label: task, with: [{type: node, count: 1}]}]\n"
         "attributes: {system: {duration: 60}}\n"
         "tasks: [{command: [app], slot: task, count: {per_slot: 1}}]\n";
}

}  // namespace copse::fluxion
