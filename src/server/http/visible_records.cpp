// SPDX-License-Identifier: Apache-2.0
#include "server/http/visible_records.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "server/jobs/shared_job.hpp"
#include "text/json_members.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

namespace {

// The number after `head` at the beginning of a line.
std::optional<std::uint64_t> number_after(std::string_view line, std::string_view head) {
  if (!line.starts_with(head)) return std::nullopt;
  line.remove_prefix(head.size());
  std::uint64_t out = 0;
  const auto read = std::from_chars(line.data(), line.data() + line.size(), out);
  return read.ec == std::errc() ? std::optional(out) : std::nullopt;
}

// An effect without the lists of the jobs that it touches; `job`: the job that it is about.
void append_without_jobs(std::string_view effect, std::string& out, std::optional<JobId>& job) {
  JsonWriter json(out);
  json.object([&] {
    std::string_view rest = effect.substr(1);
    for (std::string_view key = take_json_value(rest); !key.empty(); key = take_json_value(rest)) {
      const std::string_view value = take_json_value(rest);
      if (key == "\"job\"") job = number_after(value, "");
      if (key == "\"jobs\"" || key == "\"redrawn\"") continue;
      json.member_json(key.substr(1, key.size() - 2), value);
    }
  });
}

}  // namespace

void VisibleRecords::append(std::string_view line, std::string& out) const {
  if (const auto event = number_after(line, R"({"seq": )")) {
    const JobEventLog& events = service_.events();
    // An event that is no longer kept there has no user any more.
    const bool kept = *event >= events.oldest() && *event < events.next();
    const Visibility seen =
        kept ? service_.visibility_of_event(viewer_, *event) : viewer_.of(std::string_view());
    if (seen == Visibility::hidden) return;
    if (seen == Visibility::whole) {
      out += line;
    } else {
      append_shared_event(line, out);
    }
  } else if (viewer_.misses_some() && line.starts_with(R"({"effect": )")) {
    const std::size_t before = out.size();
    std::optional<JobId> job;
    append_without_jobs(line, out, job);
    if (job && service_.visibility(viewer_, *job) == Visibility::hidden) return out.resize(before);
  } else {
    out += line;
  }
  out += '\n';
}

void VisibleRecords::reduce(std::string& lines) const {
  if (viewer_.sees_all) return;
  std::string out;
  for (std::string_view rest = lines; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    append(rest.substr(0, end), out);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  lines = std::move(out);
}

}  // namespace copse::server
