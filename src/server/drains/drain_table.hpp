// SPDX-License-Identifier: Apache-2.0
//
// DrainTable: the nodes that are drained, and those that were set down, with reason, operator and
// time, as lines for the journal:
//
//   {"drain": "/desk0/rack0/node3", "node": "node3", "reason": "fan", "by": "ada", "at": 17, "down": true}
//   {"drain": "/desk0/rack0/node3", "ended": true}
//   {"set_down": "/desk0/rack0/node3", "node": "node3", "reason": "fan", "by": "ada", "at": 17}
//   {"set_down": "/desk0/rack0/node3", "ended": true}
//
// Drained and down are independent: "down" says that the node is also down, and stays so when the
// drain ends. A reader also accepts "over", the older name of "ended". Nodes that the machine or an
// earlier version set down have no row of the second kind.
//
// Invariant: the lines of take_lines(), applied in order to a table with the rows of an earlier
// state, make this table. A state is such lines, too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "copse/error.hpp"

namespace copse::server {

struct DrainRow {
  std::string path{}, node{};  // the unique path of a node; its name
  std::string reason{}, by{};
  std::int64_t at = 0;
  bool down = false;  // of a drain

  friend bool operator==(const DrainRow&, const DrainRow&) = default;
};

class DrainTable {
 public:
  using Rows = std::map<std::string, DrainRow, std::less<>>;

  // Why a node gets no jobs: it is drained, or was set down.
  enum class Kind : std::uint8_t { drain, set_down };

  [[nodiscard]] const Rows& rows(Kind kind = Kind::drain) const { return rows_.at(index(kind)); }
  // By its path.
  [[nodiscard]] const DrainRow* find(std::string_view path, Kind kind = Kind::drain) const;
  // Replaces the row of its path.
  void put(DrainRow row, Kind kind = Kind::drain);
  // REQUIRES that the row exists.
  void remove(std::string_view path, Kind kind = Kind::drain);

  // Counts changes since the object was made.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  // Whether there are lines in no record yet; those lines.
  [[nodiscard]] bool changed() const { return !lines_.empty(); }
  [[nodiscard]] std::string take_lines() { return std::exchange(lines_, {}); }

  [[nodiscard]] std::string state() const;
  // Errors: invalid, with the line.
  [[nodiscard]] Result<void> apply(std::string_view lines);

 private:
  static constexpr std::size_t index(Kind kind) { return static_cast<std::size_t>(kind); }
  [[nodiscard]] Result<void> apply_line(std::string_view line);

  std::array<Rows, 2> rows_;  // by Kind
  std::string lines_;
  std::uint64_t changes_ = 0;
};

}  // namespace copse::server
