// SPDX-License-Identifier: Apache-2.0
//
// Save and load: an engine as one text of bytes, and back.
//
//   const std::string bytes = copse::save(engine);
//   auto loaded = copse::load(bytes);
//
// What is loaded has the fingerprint of what was saved, the numbers of its pools, and gives the
// same answers from there on: nothing that decides an answer is left out. Prepared requests do not
// carry over. The format has a version; later versions of Copse read all earlier ones.
//
// A save is checked whole (length, xxHash of the content) and trusted in nothing: counts are
// bounded before memory is taken, every number is looked at before it is used. What is refused
// loads nothing, with one sentence that says why.
//
// Cost: O(machine + grants). A machine of 3.3 million pools with 10^6 grants of one core:
// docs/performance.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "copse/engine.hpp"
#include "copse/error.hpp"
#include "copse/policy.hpp"

namespace copse {

struct SaveLimits {
  std::uint64_t bytes_max = std::uint64_t{1} << 34;
  std::uint64_t pools_max = 64u << 20;  // as GraphBuilder::Limits
};

// `host`: what the caller keeps beside the engine, as it likes.
[[nodiscard]] std::string save(const Engine& engine, std::string_view host = {});

struct Loaded {
  std::unique_ptr<Engine> engine;
  std::string host;
};
// `own`: policies that are not bundled, by name. Errors, one sentence each: invalid (no save, cut
// short, damaged, broken), unsupported (of a later version), limit, not_found (its policy).
[[nodiscard]] Result<Loaded> load(std::string_view bytes, std::span<const Policy> own = {},
                                  const SaveLimits& limits = {});

}  // namespace copse
