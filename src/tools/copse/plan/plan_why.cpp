// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "host/clock/local_time.hpp"
#include "plan/schedule.hpp"
#include "queue/answers/answer_text.hpp"
#include "text/clauses.hpp"
#include "text/json_writer.hpp"
#include "text/printable.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/plan/plan_input.hpp"
#include "tools/copse/plan/plan_options.hpp"

namespace copse {

namespace {

// A job that is in no queue at that time, and the reason.
struct Aside {
  std::string job, queue;
  const char* cause;
  std::string text;
  std::string awaited{};                    // the job that it waits for
  std::optional<std::int64_t> refused_s{};  // or the time of its refusal
};

std::string short_form(std::string_view text) {
  constexpr std::string_view kNever = "this system can never satisfy the request: ";
  if (text.starts_with(kNever)) text.remove_prefix(kNever.size());
  return first_clauses(text, queue::kCauseCharacters);
}

void append_aside_text(std::string& out, const Aside& aside, bool whole) {
  out += "job " + aside.job;
  out += aside.refused_s ? " was refused at " + readable_time(*aside.refused_s) : " waits";
  out += "\n  why:  ";
  out += (whole ? aside.text : short_form(aside.text)) + "\n";
}

void append_aside_json(std::string& out, const Aside& aside) {
  JsonWriter json(out);
  json.object([&] {
    json.member("job", aside.job);
    json.member("state", aside.refused_s ? "refused" : "waiting");
    json.member("queue", aside.queue);
    if (aside.refused_s) json.member("at", *aside.refused_s);
    json.object("why", [&] {
      json.member("cause", aside.cause);
      json.member("short", short_form(aside.text));
      json.member("text", aside.text);
      if (!aside.awaited.empty()) json.member("job", aside.awaited);
    });
    json.member_json("expected", "null");
  });
}

// The id of a job was written instead of a time.
std::string about_the_job(const plan::Jobs& jobs, std::int64_t time_s) {
  const auto named = std::ranges::find(jobs.jobs, std::to_string(time_s), &plan::Job::name);
  if (named == jobs.jobs.end()) return {};
  return fmt::format("; --why takes a time: job {} is submitted at {}", named->name,
                     readable_time(named->submit_s));
}

}  // namespace

int run_why(const PlanOptions& o) {
  const auto queues = queues_of_plan(o);
  if (!queues) return unusable(queues.error());
  const auto engine = make_engine(o.setup);
  if (!engine) return unusable(engine.error());
  const NodeRows rows((*engine)->graph());
  const auto jobs = read_plan_input(o, **engine, rows, queues->defaults);
  if (!jobs) return unusable(jobs.error());
  const auto why_s = time_of_stream(o, *jobs, "--why", *o.why);
  if (!why_s) return unusable(why_s.error());
  warn_of_plan_input(o, *jobs, rows, *queues, (*engine)->graph());
  std::string text;
  std::vector<Aside> asides;
  plan::ScheduleObserver observer;
  observer.pause_s = *why_s;
  observer.refused = [&](std::uint32_t number, std::int64_t time_s, const Error& error) {
    const plan::Job& job = jobs->jobs[number];
    asides.push_back(
        {job.name, jobs->words[job.queue], "never", error.text, {}, std::optional(time_s)});
  };
  observer.paused = [&](const plan::PausedStream& paused) {
    queue::Answers answers(paused.queue, paused.names);
    queue::WorkBudget all;
    (void)answers.work(all);
    for (const queue::Answers::Brief& brief : answers.all()) {
      auto answer = answers.of(brief.when.job);
      if (!answer) continue;
      if (answer->queue.empty()) answer->queue = paused.queues(answer->job);
      if (const auto deadline_s = paused.deadlines(answer->job)) answer->set_deadline(*deadline_s);
      if (o.table) {
        queue::append_answer_text(text, *answer, paused.names,
                                  {.whole = o.whole_reasons, .clock = local_clock});
      } else {
        queue::append_answer_json(text, *answer, paused.names, JobMember::name);
        text += '\n';
      }
    }
    for (const auto& [number, awaited] : paused.awaiting) {
      const plan::Job& job = jobs->jobs[number];
      asides.push_back({job.name, jobs->words[job.queue], "after",
                        plan::awaited_text(*jobs, awaited), jobs->jobs[awaited.job].name});
    }
  };
  if (auto ok = plan::schedule(**engine, *jobs, *queues, observer); !ok)
    return unusable(ok.error());
  for (const Aside& aside : asides) {
    if (o.table) {
      append_aside_text(text, aside, o.whole_reasons);
    } else {
      append_aside_json(text, aside);
      text += '\n';
    }
  }
  if (o.table) text = in_local_zone(printable(text, LineEnds::keep));
  if (auto ok = write_out(o.out, text); !ok) return unusable(ok.error());
  if (!o.setup.quiet) write_skipped(*jobs);
  if (!text.empty()) return kDone;
  write_error(fmt::format("copse: no job waits at {}{}\n", readable_time(*why_s),
                          about_the_job(*jobs, *o.why)));
  return kNo;
}

}  // namespace copse
