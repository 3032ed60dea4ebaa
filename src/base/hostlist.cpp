// SPDX-License-Identifier: Apache-2.0
//
// Expansion reads the text twice with one scanner: the first pass checks every rule and adds up
// hosts and bytes, the second only writes. Nothing is allocated before the sums are known to fit.
#include "base/hostlist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>

#include "base/scan_text.hpp"

namespace copse {
namespace {

constexpr std::size_t kDigitsMax = 18;                   // 10^18 fits 64 bits with room for + 1
constexpr std::size_t kNameBytesMax = 1u << 20;          // of one host name
constexpr std::uint64_t kAllNamesBytesMax = 256u << 20;  // of all names of one list together

bool is_separator(char c) { return c == ',' || c == ' ' || c == '\t'; }
// RFC 29: printable, not white space, none of "[],".
bool is_name_char(char c) { return c > ' ' && c <= '~' && c != '[' && c != ']' && c != ','; }

// REQUIRES: only digits, at most kDigitsMax.
std::uint64_t number_of(std::string_view digits) {
  assert(digits.size() <= kDigitsMax);
  std::uint64_t value = 0;
  for (const char c : digits) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  return value;
}

std::size_t digit_count(std::uint64_t number) {
  std::size_t count = 1;
  for (; number >= 10; number /= 10) ++count;
  return count;
}

bool has_leading_zero(std::string_view digits) { return digits.size() > 1 && digits[0] == '0'; }

// The width that the first number of a bracket sets for all of its numbers; 0 if none. RFC 29:
// "Leading zeros in the first element of an idlist SHALL be preserved across all ids".
std::size_t width_of_list(std::string_view first_digits) {
  return has_leading_zero(first_digits) ? first_digits.size() : 0;
}

struct Item {  // "first-last" of an idlist, or one number
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t width = 0;  // numbers are padded with zeros to this many digits

  [[nodiscard]] std::uint64_t count() const { return last - first + 1; }
};

// Returns the items of one idlist, one by one: the text between "[" and "]", which starts at
// `offset`.
struct ItemScanner {
  std::string_view idlist;
  std::size_t offset;
  std::size_t position = 0;
  std::size_t list_width = 0;
  bool done = false;

  Result<std::string_view> number() {
    const std::size_t start = position;
    while (position < idlist.size() && is_digit(idlist[position])) ++position;
    if (position == start) {
      return fail_at(ErrorCode::invalid, offset + start, "hostlist: expected a number");
    }
    if (position - start > kDigitsMax) {
      return fail_at(ErrorCode::limit, offset + start,
                     fmt::format("hostlist: a number has more than {} digits", kDigitsMax));
    }
    return idlist.substr(start, position - start);
  }

  // REQUIRES !done.
  Result<Item> next() {
    assert(!done);
    const std::size_t start = position;
    const auto first = number();
    if (!first) return std::unexpected(first.error());
    if (start == 0) list_width = width_of_list(*first);
    Item item{.first = number_of(*first), .last = 0, .width = list_width};
    if (has_leading_zero(*first)) item.width = std::max(item.width, first->size());
    item.last = item.first;
    if (position < idlist.size() && idlist[position] == '-') {
      ++position;
      const auto last = number();
      if (!last) return std::unexpected(last.error());
      item.last = number_of(*last);
      if (item.last < item.first) {
        return fail_at(ErrorCode::invalid, offset + start,
                       fmt::format("hostlist: range {}-{} descends", *first, *last));
      }
    }
    done = position == idlist.size();
    if (!done && idlist[position] != ',') {
      return fail_at(ErrorCode::invalid, offset + position,
                     "hostlist: expected ',' or ']' after a number");
    }
    if (!done) ++position;
    return item;
  }
};

struct Expression {  // prefix[idlist]suffix
  std::size_t offset = 0;
  std::string_view prefix;
  bool bracketed = false;
  std::string_view idlist;
  std::string_view suffix;

  [[nodiscard]] ItemScanner items() const {
    return ItemScanner{.idlist = idlist, .offset = offset + prefix.size() + 1};
  }
};

// Returns the expressions of a hostlist, one by one. Empty ones are skipped, as by Slurm and Flux.
struct ExpressionScanner {
  std::string_view text;
  std::size_t position = 0;

  bool skip_separators() {
    while (position < text.size() && is_separator(text[position])) ++position;
    return position < text.size();
  }

  std::string_view name_chars() {
    const std::size_t start = position;
    while (position < text.size() && is_name_char(text[position])) ++position;
    return text.substr(start, position - start);
  }

  // REQUIRES a true skip_separators() just before.
  Result<Expression> next() {
    Expression expression;
    expression.offset = position;
    expression.prefix = name_chars();
    if (position < text.size() && text[position] == '[') {
      const std::size_t close = text.find(']', position);
      if (close == std::string_view::npos) {
        return fail_at(ErrorCode::invalid, position, "hostlist: '[' is not closed");
      }
      expression.bracketed = true;
      expression.idlist = text.substr(position + 1, close - position - 1);
      position = close + 1;
      expression.suffix = name_chars();
    }
    return expression;
  }

  // Checks the text after an expression. This is not part of next(), so that an error inside the
  // brackets, which is further left, is reported first.
  [[nodiscard]] Result<void> check_end() const {
    if (position == text.size() || is_separator(text[position])) return {};
    const char c = text[position];
    if (c == '[') {
      return fail_at(ErrorCode::invalid, position, "hostlist: a name has a second '['");
    }
    if (c == ']') return fail_at(ErrorCode::invalid, position, "hostlist: ']' without '['");
    return fail_at(ErrorCode::invalid, position,
                   fmt::format("hostlist: character 0x{:02x} is not allowed in a name",
                               static_cast<unsigned>(static_cast<unsigned char>(c))));
  }
};

// The number of hosts and bytes of a list, without expanding it.
struct Sums {
  std::uint64_t hosts_max;
  std::uint64_t hosts = 0;
  std::uint64_t bytes = 0;

  // Adds `count` names of at most `name_bytes` each; `offset` locates them. REQUIRES both > 0.
  Result<void> add(std::uint64_t count, std::size_t name_bytes, std::size_t offset) {
    assert(count > 0 && name_bytes > 0);
    if (name_bytes > kNameBytesMax) {
      return fail_at(ErrorCode::limit, offset,
                     fmt::format("hostlist: a name is longer than {} bytes", kNameBytesMax));
    }
    if (count > hosts_max - hosts) {
      return fail_at(ErrorCode::limit, offset,
                     fmt::format("hostlist: more than {} hosts", hosts_max));
    }
    if (count > (kAllNamesBytesMax - bytes) / name_bytes) {
      return fail_at(ErrorCode::limit, offset,
                     fmt::format("hostlist: the names take more than {} bytes", kAllNamesBytesMax));
    }
    hosts += count;
    bytes += count * name_bytes;
    return {};
  }
};

// The first pass: checks all of the text and counts its hosts.
Result<std::size_t> count_hosts(std::string_view text, std::size_t hosts_max) {
  Sums sums{.hosts_max = hosts_max};
  ExpressionScanner scan{.text = text};
  while (scan.skip_separators()) {
    const auto expression = scan.next();
    if (!expression) return std::unexpected(expression.error());
    const std::size_t literal_bytes = expression->prefix.size() + expression->suffix.size();
    if (!expression->bracketed) {
      const auto ended = scan.check_end();
      if (!ended) return std::unexpected(ended.error());
      const auto added = sums.add(1, literal_bytes, expression->offset);
      if (!added) return std::unexpected(added.error());
      continue;
    }
    ItemScanner items = expression->items();
    while (!items.done) {
      const std::size_t offset = items.offset + items.position;
      const auto item = items.next();
      if (!item) return std::unexpected(item.error());
      const std::size_t digits = std::max(item->width, digit_count(item->last));
      const auto added = sums.add(item->count(), literal_bytes + digits, offset);
      if (!added) return std::unexpected(added.error());
    }
    const auto ended = scan.check_end();
    if (!ended) return std::unexpected(ended.error());
  }
  return static_cast<std::size_t>(sums.hosts);
}

void append_item(std::vector<std::string>& hosts, const Expression& expression, const Item& item) {
  char digits[20];
  for (std::uint64_t number = item.first; number <= item.last; ++number) {
    const auto written = std::to_chars(digits, digits + sizeof digits, number);
    const auto digits_size = static_cast<std::size_t>(written.ptr - digits);
    const std::size_t zeros = item.width > digits_size ? item.width - digits_size : 0;
    std::string& name = hosts.emplace_back();
    name.reserve(expression.prefix.size() + zeros + digits_size + expression.suffix.size());
    name.append(expression.prefix).append(zeros, '0');
    name.append(digits, digits_size).append(expression.suffix);
  }
}

// A host name cut before its trailing digits; `digits` is empty if there are none or too many.
struct SplitName {
  std::string_view prefix;
  std::string_view digits;
  std::uint64_t number = 0;

  explicit SplitName(std::string_view name) : prefix(name) {
    std::size_t start = name.size();
    while (start > 0 && is_digit(name[start - 1])) --start;
    if (start == name.size() || name.size() - start > kDigitsMax) return;
    prefix = name.substr(0, start);
    digits = name.substr(start);
    number = number_of(digits);
  }

  // Whether this name can be in the bracket of `first`. A number shorter than the width of the list
  // would be read back padded, so it needs its own bracket.
  [[nodiscard]] bool joins(const SplitName& first) const {
    return !digits.empty() && digits.size() >= width_of_list(first.digits) &&
           prefix == first.prefix;
  }

  // Whether this name follows `previous` in a range that begins at `low`.
  [[nodiscard]] bool continues(const SplitName& low, const SplitName& previous) const {
    return number == previous.number + 1 &&
           digits.size() == std::max(low.digits.size(), digit_count(number));
  }
};

// One pass with one name of lookahead; only `out` allocates.
template <class Name>
void append_names(std::string& out, const std::vector<Name>& hosts) {
  const auto split_at = [&hosts](std::size_t i) {
    return SplitName(i < hosts.size() ? std::string_view(hosts[i]) : std::string_view());
  };
  for (std::size_t i = 0; i < hosts.size();) {
    if (i != 0) out += ',';
    const SplitName first = split_at(i);
    out += first.prefix;
    SplitName next = split_at(++i);
    if (first.digits.empty()) continue;
    const bool bracketed = next.joins(first);
    if (bracketed) out += '[';
    for (SplitName low = first;; low = next, next = split_at(++i)) {  // one range per iteration
      SplitName high = low;
      while (next.continues(low, high) && next.joins(first)) {
        high = next;
        next = split_at(++i);
      }
      out += low.digits;
      if (high.number != low.number) (out += '-') += high.digits;
      if (!next.joins(first)) break;
      out += ',';
    }
    if (bracketed) out += ']';
  }
}

}  // namespace

Result<std::vector<std::string>> expand_hostlist(std::string_view text, std::size_t hosts_max) {
  const auto count = count_hosts(text, hosts_max);
  if (!count) return std::unexpected(count.error());
  std::vector<std::string> hosts;
  hosts.reserve(*count);
  ExpressionScanner scan{.text = text};
  while (scan.skip_separators()) {
    const auto expression = scan.next();  // checked by the first pass, as are its items
    if (!expression->bracketed) {
      hosts.emplace_back(expression->prefix);
      continue;
    }
    for (ItemScanner items = expression->items(); !items.done;) {
      append_item(hosts, *expression, *items.next());
    }
  }
  return hosts;
}

std::string compress_hostlist(const std::vector<std::string>& hosts) {
  std::string out;
  append_names(out, hosts);
  return out;
}

ShortHostlist compress_first_hosts(const std::vector<std::string>& hosts, std::size_t bytes_max) {
  assert(!hosts.empty());
  const auto first = [&hosts](std::size_t count) {
    const auto end = hosts.begin() + static_cast<std::ptrdiff_t>(count);
    std::string out;
    append_names(out, std::vector<std::string_view>(hosts.begin(), end));
    return out;
  };
  ShortHostlist out{first(hosts.size())};
  if (out.text.size() <= bytes_max) return out;
  std::size_t fits = 1, beyond = hosts.size();  // more names never make a shorter text
  while (beyond - fits > 1) {
    const std::size_t middle = fits + (beyond - fits) / 2;
    (first(middle).size() <= bytes_max ? fits : beyond) = middle;
  }
  return {first(fits), hosts.size() - fits};
}

void append_hostlist(std::string& out, const std::vector<std::string_view>& hosts) {
  append_names(out, hosts);
}

Result<std::pair<std::string_view, std::int64_t>> split_host(std::string_view host) {
  const std::size_t last = host.find_last_not_of("0123456789");
  const std::size_t digits = last == std::string_view::npos ? 0 : last + 1;
  if (digits == host.size()) return std::pair{host, std::int64_t{-1}};
  std::int64_t id = 0;
  const auto read = std::from_chars(host.data() + digits, host.data() + host.size(), id);
  if (read.ec != std::errc{} || id > kHostNumberMax) {
    return fail(ErrorCode::limit, fmt::format("the number at the end of host {:.64} is above {}",
                                              host, kHostNumberMax));
  }
  return std::pair{host.substr(0, digits), id};
}

}  // namespace copse
