// SPDX-License-Identifier: Apache-2.0
#include "plan/start_changes.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "base/duration.hpp"
#include "text/counted.hpp"
#include "text/json_writer.hpp"
#include "text/printable.hpp"

namespace copse::plan {

namespace {

std::string shown(std::optional<std::int64_t> time_s) {
  return time_s ? duration_text(*time_s) : "never";
}

std::string difference(const StartChange& change) {
  if (!change.before_s || !change.after_s) return "";
  const std::int64_t by_s = *change.after_s - *change.before_s;
  return by_s < 0 ? duration_text(-by_s) + " earlier" : duration_text(by_s) + " later";
}

}  // namespace

ScheduleObserver note_starts(Starts& starts, Refusals& refusals) {
  ScheduleObserver out;
  out.started = [&starts](std::uint32_t job, std::int64_t start_s, std::int64_t, Ending,
                          const Grant&) {
    if (!starts[job]) starts[job] = start_s;
  };
  out.refused = [&refusals](std::uint32_t job, std::int64_t, const Error& error) {
    refusals[job] = error.text;
  };
  return out;
}

std::vector<StartChange> start_changes(const Jobs& before, const Starts& started_before,
                                       const Jobs& after, const Starts& started_after,
                                       const Refusals& refused_after) {
  std::unordered_map<std::string_view, std::optional<std::int64_t>> known;
  for (std::size_t job = 0; job < before.jobs.size(); ++job) {
    known.emplace(before.jobs[job].name, started_before[job]);
  }
  std::vector<StartChange> out;
  for (std::uint32_t job = 0; job < after.jobs.size(); ++job) {
    const auto at = known.find(after.jobs[job].name);
    const auto was = at == known.end() ? std::nullopt : at->second;
    // A new job is listed even if it never starts.
    if (at == known.end() || was != started_after[job])
      out.push_back({job, was, started_after[job], started_after[job] ? "" : refused_after[job]});
  }
  return out;
}

void append_start_changes(std::string& out, const Jobs& jobs,
                          const std::vector<StartChange>& changes) {
  std::size_t width = 3;
  for (const StartChange& change : changes)
    width = std::max(width, jobs.jobs[change.job].name.size());
  std::size_t earlier = 0, later = 0, never = 0;
  out += fmt::format("{:<{}}  {:>14}  {:>14}\n", "job", width, "before", "after");
  for (const StartChange& change : changes) {
    out += fmt::format("{:<{}}  {:>14}  {:>14}",
                       printable(jobs.jobs[change.job].name, LineEnds::escape), width,
                       shown(change.before_s), shown(change.after_s));
    const std::string by = difference(change);
    const std::string& more = by.empty() ? change.why : by;
    out += more.empty() ? "\n" : "  " + more + "\n";
    if (change.before_s && !change.after_s) ++never;
    if (!change.before_s || !change.after_s) continue;
    ++(*change.after_s < *change.before_s ? earlier : later);
  }
  out += fmt::format("{} of {} start earlier, {} later, {} no more\n", earlier,
                     counted(jobs.jobs.size(), "job"), later, never);
}

void append_start_changes_json(std::string& out, const Jobs& jobs,
                               const std::vector<StartChange>& changes) {
  for (const StartChange& change : changes) {
    JsonWriter json(out);
    json.object([&] {
      json.member("id", jobs.jobs[change.job].name);
      for (const auto& [key, time_s] :
           {std::pair{"before", change.before_s}, std::pair{"after", change.after_s}}) {
        json.member(key, time_s);
      }
      if (!change.why.empty()) json.member("why", change.why);
    });
    out += '\n';
  }
}

}  // namespace copse::plan
