// SPDX-License-Identifier: Apache-2.0
//
// The names of operations and traversers in commands, options and answers.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "copse/match.hpp"
#include "copse/traverser.hpp"

namespace copse {

// In the order of the enumeration. The names are those of Fluxion.
inline constexpr std::array<std::string_view, 6> kOperationNames{
    "allocate",       "allocate_with_satisfiability", "allocate_orelse_reserve",
    "satisfiability", "without_allocating",           "without_allocating_future"};
[[nodiscard]] constexpr const char* word(Operation operation) {
  return kOperationNames.at(static_cast<std::size_t>(operation)).data();
}
[[nodiscard]] constexpr std::optional<Operation> parse_operation(std::string_view name) {
  for (std::size_t i = 0; i < kOperationNames.size(); ++i) {
    if (name == kOperationNames.at(i)) return static_cast<Operation>(i);
  }
  return std::nullopt;
}
// Whether a job keeps the resources that the operation finds.
[[nodiscard]] constexpr bool allocates(Operation operation) {
  return operation == Operation::allocate || operation == Operation::allocate_with_satisfiability ||
         operation == Operation::allocate_orelse_reserve;
}

// In the order of the enumeration.
inline constexpr std::array<std::string_view, 4> kTraverserNames{"simple", "flexible", "loop-aware",
                                                                 "treepool"};
[[nodiscard]] constexpr const char* word(Traverser traverser) {
  return kTraverserNames.at(static_cast<std::size_t>(traverser)).data();
}
[[nodiscard]] constexpr std::optional<Traverser> parse_traverser(std::string_view name) {
  for (std::size_t i = 0; i < kTraverserNames.size(); ++i) {
    if (name == kTraverserNames.at(i)) return static_cast<Traverser>(i);
  }
  return std::nullopt;
}

}  // namespace copse
