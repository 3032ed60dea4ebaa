// SPDX-License-Identifier: Apache-2.0
//
// A column of a save: each number as the difference from the previous one; consecutive equal
// differences form a run. Regular machines cost almost nothing: 32 cores of a node are two runs.
//
// Format: values (number), bytes (number), then groups: (count << 1 | 1, difference) is a run,
// (count << 1, differences …) is not. Differences are signed, modulo 2^64.
// Cost: O(1) per value; 1 to 11 bytes per value that is not in a run.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "save/bytes.hpp"

namespace copse {

// Columns whose length a reader could not bound otherwise have no runs: each value takes a byte.
enum class Runs : std::uint8_t { yes, no };

class ColumnWriter {
 public:
  explicit ColumnWriter(Runs runs = Runs::yes) : run_min_(runs == Runs::yes ? 3 : UINT64_MAX) {}

  void push(std::uint64_t value) {
    const auto difference = static_cast<std::int64_t>(value - before_);
    before_ = value;
    ++values_;
    if (run_ > 0 && difference == difference_) {
      ++run_;
      return;
    }
    end_run();
    difference_ = difference;
    run_ = 1;
  }
  void finish(ByteWriter& out) {  // no more values may follow
    end_run();
    end_literals();
    out.number(values_);
    out.text(groups_.bytes());
  }

 private:
  void end_run() {
    if (run_ >= run_min_) {
      end_literals();
      groups_.number(run_ << 1 | 1);
      groups_.integer(difference_);
    } else {
      for (; run_ > 0; --run_) {
        literals_.integer(difference_);
        ++literal_count_;
      }
    }
    run_ = 0;
  }
  void end_literals() {
    if (literal_count_ == 0) return;
    groups_.number(literal_count_ << 1);
    groups_.append(literals_.bytes());
    literals_.clear();
    literal_count_ = 0;
  }

  std::uint64_t run_min_;  // shorter runs are not worth it
  ByteWriter groups_, literals_;
  std::uint64_t before_ = 0, values_ = 0, run_ = 0, literal_count_ = 0;
  std::int64_t difference_ = 0;
};

// Reads a column value by value. An invalid column gives zeros, and done() is false at its end.
class ColumnReader {
 public:
  // At most `values_max` values; more make `in` fail.
  ColumnReader(ByteReader& in, std::uint64_t values_max, Runs runs = Runs::yes)
      : values_(in.below<std::uint64_t>(values_max)), groups_(in.text()), runs_(runs) {
    if (runs == Runs::no && values_ > groups_.left()) in.fail();
    if (!in.ok()) values_ = 0;
  }
  [[nodiscard]] std::uint64_t values() const { return values_; }

  std::uint64_t next() {
    if (left_ == 0) {
      const std::uint64_t head = groups_.number();
      left_ = head >> 1;
      if (left_ == 0 || (runs_ == Runs::no && (head & 1) != 0)) groups_.fail();
      is_run_ = (head & 1) != 0;
      if (is_run_) difference_ = groups_.integer();
    }
    if (!groups_.ok()) return 0;
    if (!is_run_) difference_ = groups_.integer();
    --left_;
    return before_ += static_cast<std::uint64_t>(difference_);
  }
  // The next value as a T; a value that does not fit makes the column fail.
  template <class T>
  T next_as() {
    const std::uint64_t value = next();
    const T out = static_cast<T>(value);
    if constexpr (std::is_signed_v<T>) {
      if (static_cast<std::uint64_t>(static_cast<std::int64_t>(out)) != value) groups_.fail();
    } else {
      if (out != value) groups_.fail();
    }
    return out;
  }
  // Whether there was no error, and nothing is left.
  [[nodiscard]] bool done() const { return groups_.ok() && left_ == 0 && groups_.at_end(); }

 private:
  std::uint64_t values_;
  ByteReader groups_;
  Runs runs_;
  std::uint64_t left_ = 0, before_ = 0;
  std::int64_t difference_ = 0;
  bool is_run_ = false;
};

template <class T, class Value>
void write_column(ByteWriter& out, const std::vector<T>& values, Value value) {
  ColumnWriter column;
  for (const T& v : values) column.push(static_cast<std::uint64_t>(value(v)));
  column.finish(out);
}

// Reads a column into `out`; `make` turns a Raw into a T. False: it is invalid or too long.
template <class Raw, class T, class Make>
bool read_column(ByteReader& in, std::uint64_t values_max, std::vector<T>& out, Make make) {
  ColumnReader column(in, values_max);
  if (!in.ok()) return false;
  out.clear();
  out.reserve(column.values());
  for (std::uint64_t i = 0; i < column.values(); ++i) out.push_back(make(column.next_as<Raw>()));
  if (!column.done()) in.fail();
  return in.ok();
}

}  // namespace copse
