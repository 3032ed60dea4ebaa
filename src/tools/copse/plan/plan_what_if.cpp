// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/duration.hpp"
#include "plan/schedule.hpp"
#include "text/counted.hpp"
#include "text/json_writer.hpp"
#include "text/printable.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/plan/plan_input.hpp"
#include "tools/copse/plan/plan_options.hpp"

namespace copse::plan {

namespace {

// The first start of each job of a stream; none: it does not start.
using Starts = std::vector<std::optional<std::int64_t>>;

// Why jobs never start, by job; "": the job starts, or was withdrawn.
using Refusals = std::vector<std::string>;

struct StartChange {
  std::uint32_t job = 0;  // of the second schedule
  std::optional<std::int64_t> before_s, after_s;
  std::string why{};  // it does not start after the change
};

std::string shown(std::optional<std::int64_t> time_s) {
  return time_s ? duration_text(*time_s) : "never";
}

std::string difference(const StartChange& change) {
  if (!change.before_s || !change.after_s) return "";
  const std::int64_t by_s = *change.after_s - *change.before_s;
  return by_s < 0 ? duration_text(-by_s) + " earlier" : duration_text(by_s) + " later";
}

// Records what schedule() reports. REQUIRES that both outlive the observer, and have an entry per
// job.
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

// Jobs of the two streams with the same name are the same; a job of the second stream only did not
// start in the first. In the order of the second. O(jobs).
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

// A line for each, and a line with the totals.
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

// {"id": …, "before": …, "after": …} for each; null: it does not start, with "why" if it was
// refused.
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

}  // namespace

}  // namespace copse::plan

namespace copse {

namespace {

struct Played {
  plan::Jobs jobs;
  plan::Starts starts;
  plan::Refusals refusals;
};

// Each run has its own machine, so that they are independent.
Result<Played> play(const PlanOptions& o, const queue::QueueConfig& queues, bool more) {
  const auto engine = make_engine(o.setup);
  if (!engine) return std::unexpected(engine.error());
  const NodeRows rows((*engine)->graph());
  auto jobs = read_plan_input(o, **engine, rows, queues.defaults, more ? o.what_if : "");
  if (!jobs) return std::unexpected(jobs.error());
  Played out{.jobs = std::move(*jobs), .starts = {}, .refusals = {}};
  out.starts.resize(out.jobs.jobs.size());
  out.refusals.resize(out.jobs.jobs.size());
  const plan::ScheduleObserver observer = plan::note_starts(out.starts, out.refusals);
  if (auto ok = plan::schedule(**engine, out.jobs, queues, observer); !ok) {
    return std::unexpected(ok.error());
  }
  return out;
}

}  // namespace

int run_what_if(const PlanOptions& o) {
  for (const std::string* path : {&o.jobs, &o.what_if, &o.reservations, &o.queues, &o.events}) {
    if (*path != "-") continue;
    return unusable({ErrorCode::invalid,
                     "--what-if reads the stream twice: name a file instead of standard input",
                     {}});
  }
  const auto queues = queues_of_plan(o);
  if (!queues) return unusable(queues.error());
  const auto after = play(o, *queues, true);
  if (!after) return unusable(after.error());
  const auto before = play(o, *queues, false);
  if (!before) return unusable(before.error());
  const auto moved = plan::start_changes(before->jobs, before->starts, after->jobs, after->starts,
                                         after->refusals);
  std::string text;
  if (o.table) {
    plan::append_start_changes(text, after->jobs, moved);
    text = printable(text, LineEnds::keep);
  } else {
    plan::append_start_changes_json(text, after->jobs, moved);
  }
  return write_text(text, o.out);
}

}  // namespace copse
