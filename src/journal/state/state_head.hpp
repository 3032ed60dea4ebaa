// SPDX-License-Identifier: Apache-2.0
//
// StateHead: what a state says about itself, as one value with a sum. It is stored in the database.
//
// Invariants
//   1. Not in use: the database alone has all changes; they end at `end`.
//   2. In use: there is a commit mark (commit_mark.hpp), and perhaps a write-ahead log. Changes
//      continue after `end`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "journal/state/commit_chain.hpp"

namespace copse::journal {

struct StateHead {
  std::string incarnation{};  // changes with each restored copy
  bool in_use = false;
  ChainEnd end{};
  Sequence chained_from = 0;           // earlier records were written by a version without a chain
  std::optional<Sequence> snapshot{};  // the latest one
};

// 32 hexadecimal digits, random.
[[nodiscard]] std::string new_incarnation();

[[nodiscard]] std::string head_bytes(const StateHead& head);
// Errors: invalid (damaged).
[[nodiscard]] Result<StateHead> read_head(std::string_view bytes);

}  // namespace copse::journal
