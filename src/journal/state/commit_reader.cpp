// SPDX-License-Identifier: Apache-2.0
#include "journal/state/commit_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "journal/record_batch.hpp"

namespace copse::journal {

namespace {

std::unexpected<Error> damaged_commit(Sequence first) {
  return fail(ErrorCode::invalid, fmt::format("the commit of change {} is damaged", first));
}

// A row with a damaged count cannot hide what follows it.
Sequence next_after(Sequence first, std::uint64_t count) {
  constexpr std::uint64_t kCountMax = std::uint64_t{1} << 40;
  return first + std::clamp<std::uint64_t>(count, 1, kCountMax);
}

}  // namespace

// The table of earlier versions has three columns.
Result<Statement> CommitReader::prepare(Database& database) {
  return database.prepare("SELECT * FROM journal ORDER BY first");
}

Result<StoredCommit> CommitReader::check_row() {
  StoredCommit out{.first = static_cast<Sequence>(rows_.integer(0)),
                   .count = static_cast<std::uint64_t>(rows_.integer(1)),
                   .batch = rows_.blob(2)};
  const auto records =
      read_batch(out.first, out.batch, [](Sequence, std::string_view) { return Result<void>(); });
  if (!records) return std::unexpected(records.error());
  if (*records != out.count || out.count == 0) return damaged_commit(out.first);
  const bool has_chain = rows_.columns() > 4 && !rows_.is_null(3) && !rows_.is_null(4);
  if (has_chain != (out.first >= chained_from_)) return damaged_commit(out.first);
  if (!has_chain) return out;
  const ChainEnd before{out.first, static_cast<std::uint64_t>(rows_.integer(3))};
  out.end = chained(before, out.count, out.batch);
  if (out.end->value != static_cast<std::uint64_t>(rows_.integer(4))) {
    return damaged_commit(out.first);
  }
  const bool known = end_.has_value() || out.first == chained_from_;
  if (known && before != end_.value_or(ChainEnd{chained_from_, 0})) {
    return fail(ErrorCode::invalid,
                fmt::format("the commit of change {} does not follow the one before", out.first));
  }
  return out;
}

Result<std::optional<StoredCommit>> CommitReader::next() {
  for (;;) {
    const auto there = rows_.step();
    if (!there) return std::unexpected(there.error());
    if (!*there) return std::nullopt;
    const auto first = static_cast<Sequence>(rows_.integer(0));
    const bool follows = first == expected_ || (first_ && first < expected_);
    first_ = false;
    if (!follows) {
      end_.reset();
      const auto ok = on_damage_(
          std::max(expected_, first),
          {ErrorCode::invalid,
           first > expected_ ? fmt::format("changes {} to {} are missing", expected_, first - 1)
                             : fmt::format("the commit of change {} is out of order", first),
           {}});
      if (!ok) return std::unexpected(ok.error());
      if (first < expected_) continue;
    }
    auto row = check_row();
    if (row) {
      expected_ = row->next();
      end_ = row->end;
      return *row;
    }
    end_.reset();
    const Sequence after = next_after(first, static_cast<std::uint64_t>(rows_.integer(1)));
    if (auto ok = on_damage_(after, row.error()); !ok) return std::unexpected(ok.error());
    expected_ = after;
  }
}

}  // namespace copse::journal
