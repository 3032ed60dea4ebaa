// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/journal_parts.hpp"

#include <array>

#include <fmt/format.h>

#include "text/split.hpp"

namespace copse::server {

namespace {

struct Section {
  std::string_view JournalParts::* lines;
  std::string_view begin;
  std::string_view about;  // for messages
};
constexpr std::string_view kZeros{"\0\0\0\0\0", 5};
constexpr std::array<Section, 5> kSections{
    {{&JournalParts::usage, kZeros, "usage"},
     {&JournalParts::drains, kZeros.substr(1), "drained nodes"},
     {&JournalParts::reservations, kZeros.substr(2), "reservations"},
     {&JournalParts::clients, kZeros.substr(3), "clients"},
     {&JournalParts::jobs, kZeros.substr(4), "jobs"}}};

}  // namespace

std::string join_parts(const JournalParts& parts) {
  std::string out;
  for (const Section& section : kSections) {
    const std::string_view lines = parts.*section.lines;
    if (lines.empty()) continue;
    out += section.begin;
    out += lines;
    out += '\0';
  }
  out += parts.engine;
  return out;
}

Result<JournalParts> split_parts(std::string_view bytes) {
  JournalParts out;
  for (const Section& section : kSections) {
    if (!bytes.starts_with(section.begin)) continue;
    bytes.remove_prefix(section.begin.size());
    const std::size_t end = bytes.find('\0');
    if (end == std::string_view::npos) {
      return fail(ErrorCode::invalid,
                  fmt::format("the lines about {} are not terminated", section.about));
    }
    out.*section.lines = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
  }
  out.engine = bytes;
  return out;
}

Result<void> for_each_line(std::string_view lines, std::string_view about,
                           const std::function<Result<void>(std::string_view line)>& apply) {
  for (std::size_t number = 1; !lines.empty(); ++number) {
    if (auto done = apply(take_part(lines, '\n')); !done) {
      return fail(done.error().code,
                  fmt::format("line {} about {}: {}", number, about, done.error().message()));
    }
  }
  return {};
}

}  // namespace copse::server
