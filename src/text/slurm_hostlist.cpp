// SPDX-License-Identifier: Apache-2.0
#include "text/slurm_hostlist.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/hostlist.hpp"

namespace copse {

namespace {

constexpr std::size_t kListsMax = 16;                  // of one name
constexpr std::size_t kAllNamesBytesMax = 256U << 20;  // of all names of one list together

// Takes the text of the next name, with all of its lists of numbers; "" at the end.
std::string_view next_name(std::string_view& rest) {
  constexpr std::string_view kSeparators = ", \t\r\n";
  rest.remove_prefix(std::min(rest.find_first_not_of(kSeparators), rest.size()));
  bool inside = false;
  std::size_t end = 0;
  for (; end < rest.size() && (inside || !kSeparators.contains(rest[end])); ++end) {
    if (rest[end] == '[') inside = true;
    if (rest[end] == ']') inside = false;
  }
  const std::string_view name = rest.substr(0, end);
  rest.remove_prefix(end);
  return name;
}

// The texts of "prefix[numbers]" parts of a name; the last one may have text after its bracket.
std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> out;
  while (std::ranges::count(name, '[') > 1) {
    const std::size_t close = name.find(']');
    if (close == name.npos) break;
    out.push_back(name.substr(0, close + 1));
    name.remove_prefix(close + 1);
  }
  out.push_back(name);
  return out;
}

// At most 2^28: expand_hostlist() and this file bound it, so that products of it and numbers of hosts
// fit 64 bits.
std::size_t bytes_of(const std::vector<std::string>& names) {
  std::size_t out = 0;
  for (const std::string& name : names) out += name.size();
  return out;
}

Result<std::vector<std::string>> expand_name(std::string_view name, std::size_t hosts_max,
                                             std::size_t bytes_max) {
  const std::vector<std::string_view> parts = parts_of(name);
  if (parts.size() > kListsMax) {
    return fail(ErrorCode::limit,
                fmt::format("hostlist: a name has more than {} lists of numbers", kListsMax));
  }
  std::vector<std::string> out{""};
  for (const std::string_view part : parts) {
    const auto more = expand_hostlist(part, hosts_max / out.size());
    if (!more) return more;
    if (bytes_of(out) * more->size() + bytes_of(*more) * out.size() > bytes_max) {
      return fail(ErrorCode::limit,
                  fmt::format("hostlist: the names take more than {} bytes", kAllNamesBytesMax));
    }
    std::vector<std::string> longer;
    longer.reserve(out.size() * more->size());
    for (const std::string& before : out) {
      for (const std::string& after : *more) longer.push_back(before + after);
    }
    out = std::move(longer);
  }
  return out;
}

}  // namespace

Result<std::vector<std::string>> expand_slurm_hosts(std::string_view text, std::size_t hosts_max) {
  // Names with one list each are hostlists of RFC 29: their errors have places in the whole text.
  std::string_view rest = text;
  bool plain = true;
  while (plain && !rest.empty()) plain = std::ranges::count(next_name(rest), '[') < 2;
  if (plain) return expand_hostlist(text, hosts_max);
  std::vector<std::string> out;
  std::size_t bytes = 0;
  for (rest = text; !rest.empty();) {
    const std::string_view name = next_name(rest);
    if (name.empty()) continue;
    auto more = expand_name(name, hosts_max - out.size(), kAllNamesBytesMax - bytes);
    if (!more) return more;
    bytes += bytes_of(*more);
    out.insert(out.end(), std::make_move_iterator(more->begin()),
               std::make_move_iterator(more->end()));
  }
  return out;
}

}  // namespace copse
