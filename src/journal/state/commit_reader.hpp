// SPDX-License-Identifier: Apache-2.0
//
// CommitReader: the stored commits in order, each checked: its content, and its place in the chain.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "journal/database.hpp"
#include "journal/state/commit_chain.hpp"

namespace copse::journal {

struct StoredCommit {
  Sequence first = 0;
  std::uint64_t count = 0;
  std::string_view batch{};       // valid until the next commit is read
  std::optional<ChainEnd> end{};  // nullopt: of a version without a chain
  [[nodiscard]] Sequence next() const { return first + count; }
};

class CommitReader {
 public:
  // Receives damage of a commit, or of the records that are missing before it: those before `next`.
  // An error ends the reading.
  using OnDamage = std::function<Result<void>(Sequence next, const Error& damage)>;

  // `expected`: the number of the first record; `chained_from`: as StateHead.
  CommitReader(Statement rows, Sequence expected, Sequence chained_from, OnDamage on_damage)
      : rows_(std::move(rows)),
        expected_(expected),
        chained_from_(chained_from),
        on_damage_(std::move(on_damage)) {}

  // All columns of the table, in the order of its records. Errors: as Database::prepare.
  [[nodiscard]] static Result<Statement> prepare(Database& database);
  // The next undamaged commit; nullopt: the end. Errors: invalid; io.
  [[nodiscard]] Result<std::optional<StoredCommit>> next();
  // The number after the last record so far, and the end of the chain; nullopt: it is not known.
  [[nodiscard]] Sequence expected() const { return expected_; }
  [[nodiscard]] const std::optional<ChainEnd>& end() const { return end_; }

 private:
  [[nodiscard]] Result<StoredCommit> check_row();

  Statement rows_;
  bool first_ = true;
  Sequence expected_;
  Sequence chained_from_;
  OnDamage on_damage_;
  std::optional<ChainEnd> end_{};
};

}  // namespace copse::journal
