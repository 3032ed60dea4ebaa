// SPDX-License-Identifier: Apache-2.0
//
// Replaying a case through an engine, next to the oracle, with the laws that must hold after every
// event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "property/generator.hpp"

namespace copse::property {

struct ReplayOptions {
  std::string policy;
  bool with_oracle = true;                  // else only the laws that need no second opinion
  bool exhaustive = false;                  // by the walk that never stops early
  Traverser traverser = Traverser::simple;  // the oracle knows no other
  bool reloaded = false;                    // the engine is saved and loaded after every event
  bool twinned = false;    // a twin replays its effects, and replaces it at every third event
  bool compacted = false;  // the graph is rebuilt after every change: the answers are the same
  bool rebuilt = false;    // and after every other event, too
  bool cloned = false;     // sometimes a clone replaces it: the answers are the same
};

struct Replayed {
  std::optional<std::string> failure;                    // the fault, and its event
  std::vector<std::string> answers;                      // one for each event
  std::uint64_t granted = 0, reserved = 0, refused = 0;  // of requests that could have granted
  std::uint64_t searched = 0;  // granted or reserved though the simple walk finds nothing
};

[[nodiscard]] Replayed replay(const Case& a_case, const ReplayOptions& options);

}  // namespace copse::property
