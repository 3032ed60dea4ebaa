// SPDX-License-Identifier: Apache-2.0
#include "base/idset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>

#include "base/scan_text.hpp"

namespace copse {
namespace {

// Reads the grammar of RFC 22 from the left; `end` stops before a closing bracket.
struct Scanner {
  std::string_view text;
  std::size_t position;
  std::size_t end;

  [[nodiscard]] bool done() const { return position == end; }
  [[nodiscard]] bool at(char c) const { return !done() && text[position] == c; }

  Result<std::int64_t> id() {
    const std::size_t start = position;
    if (done() || !is_digit(text[position])) {
      return fail_at(ErrorCode::invalid, start, "idset: expected an id");
    }
    std::int64_t value = 0;
    for (; !done() && is_digit(text[position]); ++position) {
      if (position == start + 1 && text[start] == '0') {
        return fail_at(ErrorCode::invalid, start, "idset: an id must not have leading zeros");
      }
      const std::int64_t digit = text[position] - '0';
      if (value > (Idset::kIdMax - 1 - digit) / 10) {
        return fail_at(ErrorCode::limit, start,
                       fmt::format("idset: an id must be below {}", Idset::kIdMax));
      }
      value = value * 10 + digit;
    }
    return value;
  }

  // One id or "first-last"; `previous_last` is the last id of the element before it, or -1.
  Result<Idset::Range> element(std::int64_t previous_last) {
    const std::size_t start = position;
    const auto first = id();
    if (!first) return std::unexpected(first.error());
    if (*first <= previous_last) {
      return fail_at(
          ErrorCode::invalid, start,
          fmt::format("idset: id {} does not ascend, the one before is {}", *first, previous_last));
    }
    if (!at('-')) return Idset::Range{*first, *first};
    const std::size_t last_start = ++position;
    const auto last = id();
    if (!last) return std::unexpected(last.error());
    if (*last <= *first) {
      return fail_at(ErrorCode::invalid, last_start,
                     fmt::format("idset: range {}-{} does not ascend", *first, *last));
    }
    return Idset::Range{*first, *last};
  }
};

void append_id(std::string& out, std::int64_t id) {
  char digits[20];  // INT64_MAX has 19
  const auto written = std::to_chars(digits, digits + sizeof digits, id);
  out.append(digits, written.ptr);
}

}  // namespace

// RFC 22 has no empty elements, so "1,,2" and "1," are refused here.
Result<Idset> Idset::parse(std::string_view text, std::size_t ranges_max) {
  Scanner scan{text, 0, text.size()};
  if (scan.at('[')) {
    if (text.size() < 2 || text.back() != ']') {
      return fail_at(ErrorCode::invalid, 0, "idset: '[' is not closed at the end");
    }
    ++scan.position;
    --scan.end;
  }
  Idset set;
  if (scan.done()) return set;
  while (true) {
    const std::size_t start = scan.position;
    const auto range = scan.element(set.empty() ? -1 : set.ranges_.back().second);
    if (!range) return std::unexpected(range.error());
    const bool adjacent = !set.empty() && set.ranges_.back().second + 1 == range->first;
    if (!adjacent && set.ranges_.size() >= ranges_max) {
      return fail_at(ErrorCode::limit, start,
                     fmt::format("idset: more than {} ranges", ranges_max));
    }
    set.add_range(range->first, range->second);
    if (scan.done()) return set;
    if (!scan.at(',')) {
      return fail_at(ErrorCode::invalid, scan.position, "idset: expected ',' after an element");
    }
    ++scan.position;
  }
}

void Idset::add_range(std::int64_t first, std::int64_t last) {
  assert(0 <= first && first <= last && last < kIdMax);
  if (ranges_.empty() || first > ranges_.back().second + 1) {
    ranges_.emplace_back(first, last);
    return;
  }
  if (first >= ranges_.back().first) {
    ranges_.back().second = std::max(ranges_.back().second, last);
    return;
  }
  // [begin, end): the ranges that overlap or touch the new one, to be replaced by their union.
  const auto begin =
      std::ranges::lower_bound(ranges_, first, {}, [](const Range& r) { return r.second + 1; });
  const auto end = std::upper_bound(begin, ranges_.end(), last + 1,
                                    [](std::int64_t id, const Range& r) { return id < r.first; });
  if (begin == end) {
    ranges_.insert(begin, Range{first, last});
    return;
  }
  begin->first = std::min(begin->first, first);
  begin->second = std::max(std::prev(end)->second, last);
  ranges_.erase(std::next(begin), end);
}

bool Idset::contains(std::int64_t id) const {
  const auto after = std::ranges::upper_bound(ranges_, id, {}, &Range::first);
  return after != ranges_.begin() && id <= std::prev(after)->second;
}

std::int64_t Idset::count() const {
  std::int64_t total = 0;  // at most kIdMax, since ranges are disjoint
  for (const auto& [first, last] : ranges_) total += last - first + 1;
  return total;
}

std::string Idset::text(bool brackets) const {
  const bool one_id = ranges_.size() == 1 && ranges_[0].first == ranges_[0].second;
  const bool wrapped = brackets && !empty() && !one_id;
  std::string out;
  if (wrapped) out += '[';
  append_text(out);
  if (wrapped) out += ']';
  return out;
}

void Idset::append_text(std::string& out) const {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    if (i != 0) out += ',';
    append_id(out, ranges_[i].first);
    if (ranges_[i].second == ranges_[i].first) continue;
    out += '-';
    append_id(out, ranges_[i].second);
  }
}

}  // namespace copse
