// SPDX-License-Identifier: Apache-2.0
//
// DrainBook: the nodes that operators drained, why, who and when, as lines for the journal:
//
//   {"drain": "/desk0/rack0/node3", "node": "node3", "reason": "fan", "by": "ada", "at": 17, "down": true}
//   {"drain": "/desk0/rack0/node3", "over": true}
//
// To drain and to be down are two things: "down" says that the node is down, too, and stays so when it
// is drained no more.
//
// Invariant: all lines of take_lines(), applied in order to a book with the rows of an earlier state,
// make this book. A state is such lines, too.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "copse/error.hpp"

namespace copse::server {

struct DrainRow {
  std::string path{}, node{};  // of a node: unique; and its name
  std::string reason{}, by{};
  std::int64_t at = 0;
  bool down = false;

  friend bool operator==(const DrainRow&, const DrainRow&) = default;
};

class DrainBook {
 public:
  using Rows = std::map<std::string, DrainRow, std::less<>>;

  [[nodiscard]] const Rows& rows() const { return rows_; }
  // By its path.
  [[nodiscard]] const DrainRow* find(std::string_view path) const;
  // In place of the one of its path, if there is one.
  void put(DrainRow row);
  // REQUIRES that it is there.
  void remove(std::string_view path);

  // Whether there are lines that are in no record; and those.
  [[nodiscard]] bool changed() const { return !lines_.empty(); }
  [[nodiscard]] std::string take_lines() { return std::exchange(lines_, {}); }

  [[nodiscard]] std::string state() const;
  // Errors: invalid, with the line.
  [[nodiscard]] Result<void> apply(std::string_view lines);

 private:
  [[nodiscard]] Result<void> apply_line(std::string_view line);

  Rows rows_;
  std::string lines_;
};

}  // namespace copse::server
