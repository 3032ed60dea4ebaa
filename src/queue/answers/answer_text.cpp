// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/answer_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "explain/explanation.hpp"
#include "text/counted.hpp"
#include "text/json_writer.hpp"

namespace copse::queue {

namespace {

const char* word(Help::Kind kind) {
  switch (kind) {
    case Help::Kind::fewer: return "fewer";
    case Help::Kind::shorter: return "shorter";
    case Help::Kind::queue: return "queue";
  }
  return "";
}

std::string sentence(const Help& help) {
  switch (help.kind) {
    case Help::Kind::fewer: return "ask for " + counted(help.amount, help.type);
    case Help::Kind::shorter: return fmt::format("ask for {} or less", readable_time(help.amount));
    case Help::Kind::queue: return fmt::format("submit it to queue \"{}\"", help.queue);
  }
  return {};
}

std::string place_of(const Answer& answer, const JobNames& names) {
  std::string out = "job " + name_of(names, answer.job) + " ";
  out += answer.state == JobState::on_hold ? "is held" : "waits";
  if (!answer.queue.empty()) out += fmt::format(" in queue \"{}\"", answer.queue);
  if (answer.state == JobState::on_hold) return out;
  if (answer.ahead == 0) return out + "; no job is ahead";
  if (answer.ahead == 1)
    return out + fmt::format("; job {} is ahead", name_of(names, answer.first));
  return out + fmt::format("; {} jobs are ahead, job {} first", answer.ahead,
                           name_of(names, answer.first));
}

std::string start_of(const Answer& answer) {
  if (answer.promised_s) return readable_time(*answer.promised_s) + " (promised)";
  if (answer.expected_s) {
    return (answer.estimated ? "about " : "") + readable_time(*answer.expected_s) +
           " if nothing else happens";
  }
  if (answer.earliest_s) return readable_time(*answer.earliest_s) + " at the earliest";
  if (answer.deadline_s) {
    return "not before its deadline: it leaves at " + readable_time(*answer.deadline_s);
  }
  if (!answer.unbooked) return "not known";
  return fmt::format(
      "not known: reservation \"{}\" repeats, and would conflict from {} on, or earlier",
      answer.unbooked->name, readable_time(answer.unbooked->from_s));
}

void write_job(JsonWriter& json, std::string_view key, JobId job, const JobNames& names) {
  if (names) {
    json.member(key, names(job));
  } else {
    json.member(key, job);
  }
}

void write_reason(JsonWriter& json, std::string& out, const Reason& reason, const JobNames& names,
                  JobMember holders) {
  json.object([&] {
    json.member("cause", queue::word(reason.cause));
    json.member("short", reason.brief);
    json.member("text", reason.text);
    if (reason.job != 0) write_job(json, "job", reason.job, names);
    if (!reason.reservation.empty()) json.member("reservation", reason.reservation);
    if (reason.from_s) json.member("from", *reason.from_s);
    if (reason.until_s) json.member("until", *reason.until_s);
    if (!reason.why) return;
    json.key("explanation");
    json.begin();
    const JobNames holder_name = [&](std::uint64_t id) {
      const auto at =
          std::ranges::find(reason.holder_names, id, [](const auto& one) { return one.first; });
      return at == reason.holder_names.end() ? name_of(names, id) : at->second;
    };
    append_explanation_json(out, *reason.why, holder_name, holders);
    out.pop_back();  // the newline
  });
}

void write_help(JsonWriter& json, const Help& help) {
  json.object([&] {
    json.member("kind", word(help.kind));
    if (help.kind == Help::Kind::fewer) json.member("type", help.type);
    if (help.kind == Help::Kind::fewer) json.member("count", help.amount);
    if (help.kind == Help::Kind::shorter) json.member("seconds", help.amount);
    if (help.kind == Help::Kind::queue) json.member("queue", help.queue);
  });
}

}  // namespace

const char* word(JobState state) {
  switch (state) {
    case JobState::on_hold: return "held";
    case JobState::waiting: return "waiting";
    case JobState::promised: return "promised";
    case JobState::running: return "running";
  }
  return "";
}

std::string cause_text(const Answer& answer, const AnswerStyle& style) {
  if (style.whole || answer.reason.brief.empty()) return answer.reason.text;
  auto start_s = answer.promised_s ? answer.promised_s : answer.expected_s;
  if (!start_s) start_s = answer.earliest_s;
  return timed_cause(answer.reason.brief, start_s, answer.estimated && !answer.promised_s,
                     answer.now_s, style.clock);
}

void append_answer_text(std::string& out, const Answer& answer, const JobNames& names,
                        const AnswerStyle& style) {
  out += place_of(answer, names) + "\n  why:  " + cause_text(answer, style) + "\n";
  if (answer.state == JobState::on_hold) return;
  out += "  when: " + start_of(answer) + "\n";
  for (const Help& help : answer.help) {
    out += &help == &answer.help.front() ? "  to start now: " : ", or ";
    out += sentence(help);
  }
  if (!answer.help.empty()) out += '\n';
}

void append_answer_json(std::string& out, const Answer& answer, const JobNames& names,
                        JobMember holders) {
  JsonWriter json(out);
  json.object([&] {
    write_job(json, "job", answer.job, names);
    json.member("state", word(answer.state));
    json.member("queue", answer.queue);
    json.member("ahead", answer.ahead);
    if (answer.first != 0) write_job(json, "first", answer.first, names);
    json.key("why");
    write_reason(json, out, answer.reason, names, holders);
    if (answer.promised_s) json.member("promised", *answer.promised_s);
    json.member("expected", answer.expected_s);
    if (answer.estimated) json.member("estimated", true);
    if (answer.earliest_s) json.member("earliest", *answer.earliest_s);
    if (answer.deadline_s) json.member("deadline", *answer.deadline_s);
    if (answer.unbooked) {
      json.object("unbooked", [&] {
        json.member("reservation", answer.unbooked->name);
        json.member("from", answer.unbooked->from_s);
      });
    }
    if (answer.help.empty()) return;
    json.array("help", answer.help, [&](const Help& help) { write_help(json, help); });
  });
}

}  // namespace copse::queue
