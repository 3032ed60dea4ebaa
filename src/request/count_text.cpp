// SPDX-License-Identifier: Apache-2.0
#include "request/count_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <memory>
#include <utility>

namespace copse {
namespace {

class CountTextReader {
 public:
  CountTextReader(std::string_view text, std::size_t& at) : text_(text), at_(at) {}

  Result<Count> read() {
    const std::size_t open = at_;
    if (!take('[')) return body();
    auto count = body();
    if (count && !take(']')) return fail_at(open, "this '[' is not closed behind the count");
    return count;
  }

 private:
  [[nodiscard]] char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] bool digit() const { return here() >= '0' && here() <= '9'; }

  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::unexpected<Error> fail_at(std::size_t at, std::string sentence,
                                 ErrorCode code = ErrorCode::invalid) {
    at_ = at;
    return fail(code, std::move(sentence));
  }

  Result<std::int64_t> number() {
    const std::size_t begin = at_;
    if (!digit()) return fail_at(begin, "expected a number here, as in 4, 2-8:2 or 1,3-5");
    if (take('0')) {
      return fail_at(begin, digit() ? "a number of a count has no leading zeros"
                                    : "a number of a count is at least 1");
    }
    std::int64_t value = 0;
    for (; digit(); ++at_) {
      const std::int64_t next = here() - '0';
      if (value > (kCountMax - next) / 10) {
        return fail_at(begin, fmt::format("a number of a count is at most {}", kCountMax),
                       ErrorCode::limit);
      }
      value = value * 10 + next;
    }
    return value;
  }

  Result<Count> body() {
    const std::size_t begin = at_;
    const auto first = number();
    if (!first) return std::unexpected(first.error());
    if (take('+')) return stepped(begin, {.min = *first, .max = Count::kUnlimited});
    if (here() == ',') return set(*first, *first);
    if (!take('-')) return Count{.min = *first, .max = *first};
    const std::size_t last_begin = at_;
    const auto last = number();
    if (!last) return std::unexpected(last.error());
    if (*last < *first) {
      return fail_at(last_begin,
                     fmt::format("the most of a count, {}, is below its least, {}", *last, *first));
    }
    if (here() != ',') return stepped(begin, {.min = *first, .max = *last});
    if (*last == *first) return fail_at(last_begin, "a range of a set has more than one count");
    return set(*first, *last);
  }

  // [ ":" operand [ ":" operator ] ] after the bounds of a range, which begins at `begin`.
  Result<Count> stepped(std::size_t begin, Count count) {
    if (!take(':')) return simplest(std::move(count));
    const std::size_t operand_begin = at_;
    const auto operand = number();
    if (!operand) return std::unexpected(operand.error());
    count.operand = *operand;
    if (take(':')) {
      count.op = here();
      if (count.op != '+' && count.op != '*' && count.op != '^') {
        return fail_at(at_, "the operator of a count is one of '+', '*' and '^'");
      }
      ++at_;
    }
    if (count.op != '+' && count.operand < 2) {
      return fail_at(operand_begin, fmt::format("the operand of '{}' is at least 2", count.op));
    }
    if (count.op == '^' && count.min < 2) {
      return fail_at(begin, "the least count of a range with '^' is at least 2");
    }
    return simplest(std::move(count));
  }

  static Count simplest(Count count) {
    if (count.min != count.max) return count;
    return {.min = count.min, .max = count.max};
  }

  // What follows the first element of a set, from its comma on.
  Result<Count> set(std::int64_t first, std::int64_t last) {
    Count::Ranges ranges{{first, last}};
    while (take(',')) {
      const std::size_t begin = at_;
      const auto from = number();
      if (!from) return std::unexpected(from.error());
      if (*from <= ranges.back().second) {
        return fail_at(begin, fmt::format("the counts of a set ascend, and {} is not above {}",
                                          *from, ranges.back().second));
      }
      std::int64_t to = *from;
      if (take('-')) {
        const std::size_t to_begin = at_;
        const auto read = number();
        if (!read) return std::unexpected(read.error());
        if (*read <= *from) {
          return fail_at(to_begin, fmt::format("the counts of a set ascend, and {} is not above {}",
                                               *read, *from));
        }
        to = *read;
      }
      if (*from == ranges.back().second + 1) {
        ranges.back().second = to;
      } else if (ranges.size() == kCountRangesMax) {
        return fail_at(begin, fmt::format("a set of counts has at most {} ranges", kCountRangesMax),
                       ErrorCode::limit);
      } else {
        ranges.emplace_back(*from, to);
      }
    }
    Count count{.min = first, .max = ranges.back().second};
    if (ranges.size() == 1) return count;
    count.op = ',';
    count.set = std::make_shared<const Count::Ranges>(std::move(ranges));
    return count;
  }

  std::string_view text_;
  std::size_t& at_;
};

}  // namespace

Result<Count> read_count_text(std::string_view text, std::size_t& at) {
  assert(at <= text.size());
  return CountTextReader(text, at).read();
}

Result<Count> parse_count(std::string_view text) {
  std::size_t at = 0;
  auto count = read_count_text(text, at);
  if (count && at == text.size()) return count;
  const auto column = static_cast<std::uint32_t>(std::min<std::size_t>(at, UINT32_MAX - 1) + 1);
  Error error = count ? Error{ErrorCode::invalid, "expected the end of the count", {}}
                      : std::move(count.error());
  error.place = {.file = {}, .line = 1, .column = column};
  return std::unexpected(std::move(error));
}

std::string count_text(const Count& count) {
  assert(count.min >= 1 && count.min <= count.max);
  if (count.set) {
    std::string out;
    for (const auto& [first, last] : *count.set) {
      if (!out.empty()) out += ',';
      fmt::format_to(std::back_inserter(out), "{}", first);
      if (last != first) fmt::format_to(std::back_inserter(out), "-{}", last);
    }
    return out;
  }
  if (!count.moldable()) return std::to_string(count.min);
  std::string out = count.max == Count::kUnlimited ? fmt::format("{}+", count.min)
                                                   : fmt::format("{}-{}", count.min, count.max);
  if (count.op != '+') {
    out += fmt::format(":{}:{}", count.operand, count.op);
  } else if (count.operand != 1) {
    out += fmt::format(":{}", count.operand);
  }
  return out;
}

}  // namespace copse
