// SPDX-License-Identifier: Apache-2.0
//
// The targets of the one fuzz program. The environment variable FUZZ names the target that runs:
//
//   FUZZ=jgf build/fuzz/fuzz/fuzz fuzz/corpus/jgf
//   FUZZ=list build/fuzz/fuzz/fuzz
#pragma once

#include <cstddef>
#include <cstdint>

namespace copse::fuzz {

struct Target {
  const char* name;
  int (*run)(const std::uint8_t* data, std::size_t size);
  void (*prepare)();  // once, before the first input; may be null
  const Target* next;
};

// Adds a target before main() runs. Returns the target that was first until now.
const Target* add_target(const Target& target);

}  // namespace copse::fuzz

// A target with a function to call once, and one without. The body has `data` and `size`, and returns 0.
#define FUZZ_TARGET_WITH(NAME, PREPARE)                                                        \
  static int run_##NAME(const std::uint8_t*, std::size_t);                                     \
  static copse::fuzz::Target target_##NAME{#NAME, run_##NAME, PREPARE, nullptr};               \
  [[maybe_unused]] static const copse::fuzz::Target* const kNext_##NAME = target_##NAME.next = \
      copse::fuzz::add_target(target_##NAME);                                                  \
  static int run_##NAME([[maybe_unused]] const std::uint8_t* data, std::size_t size)
#define FUZZ_TARGET(NAME) FUZZ_TARGET_WITH(NAME, nullptr)
