// SPDX-License-Identifier: Apache-2.0
#include "server/rights/user_namespace.hpp"

#include <algorithm>
#include <charconv>

#include "files/read_file.hpp"
#include "text/split.hpp"

namespace copse::server {

namespace {

constexpr std::uint32_t kOverflowUid = 65'534;         // the kernel's default
constexpr std::uint64_t kUids = UINT64_C(0xFFFFFFFF);  // uid -1 is no user
constexpr std::size_t kBytesMax = 64u << 10;

// Takes a number and the blanks before it.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (read.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return out;
}

std::uint32_t overflow_uid() {
  const ReadText text = try_read_file("/proc/sys/kernel/overflowuid", kBytesMax);
  if (!text) return kOverflowUid;
  std::string_view rest = *text;
  return static_cast<std::uint32_t>(take_number(rest).value_or(kOverflowUid));
}

}  // namespace

// The kernel maps no uid twice, so the counts decide.
Result<bool> UserNamespace::maps_all(std::string_view uid_map) {
  std::uint64_t mapped = 0;
  while (!uid_map.empty()) {
    std::string_view line = take_part(uid_map, '\n');
    const auto inside = take_number(line), outside = take_number(line), count = take_number(line);
    if (!inside || !outside || !count || !line.empty() || *count > kUids) {
      return fail(ErrorCode::invalid, "this is not \"inside outside count\"");
    }
    mapped += *count;
  }
  return mapped >= kUids;
}

UserNamespace UserNamespace::of_this_process() {
  const ReadText text = try_read_file("/proc/self/uid_map", kBytesMax, FileKinds::all);
  const auto all = text ? maps_all(*text) : Result<bool>(false);
  if (all.value_or(false)) return UserNamespace(std::nullopt);
  return UserNamespace(overflow_uid());
}

Result<void> UserNamespace::check_everybody() const {
  if (maps_all()) return {};
  return fail(ErrorCode::invalid,
              "--everybody needs to distinguish users, but this user namespace does not map all of "
              "them: start the service without one (PrivateUsers=no)");
}

}  // namespace copse::server
