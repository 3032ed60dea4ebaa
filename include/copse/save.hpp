// SPDX-License-Identifier: Apache-2.0
//
// Save and load: an engine as a sequence of bytes, and back.
//
//   const std::string bytes = copse::save(engine);
//   auto loaded = copse::load(bytes);
//
// A loaded engine has the fingerprint and the pool numbers of the saved one, and gives the same
// answers from then on. Prepared requests are not saved. The format has a version; later versions
// of Copse read all earlier ones.
//
// A save is untrusted input. Its length and the xxHash of its content are checked, counts are
// bounded before memory is allocated, and every number is checked before use. If it is refused,
// nothing is loaded, and one sentence gives the reason.
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

// `host`: data of the caller, saved with the engine and not interpreted.
[[nodiscard]] std::string save(const Engine& engine, std::string_view host = {});

struct Loaded {
  std::unique_ptr<Engine> engine;
  std::string host;
};
// `own`: policies that are not bundled, by name. Errors, one sentence each: invalid (not a save,
// truncated, damaged, inconsistent), unsupported (a later version), limit, not_found (its policy).
[[nodiscard]] Result<Loaded> load(std::string_view bytes, std::span<const Policy> own = {},
                                  const SaveLimits& limits = {});

}  // namespace copse
