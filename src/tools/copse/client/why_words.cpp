// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/why_words.hpp"

#include <fmt/format.h>

#include "host/clock/local_time.hpp"
#include "queue/answers/answer_text.hpp"
#include "tools/copse/client/event_words.hpp"
#include "tools/copse/client/service/service_client.hpp"

namespace copse {

namespace {

std::vector<queue::Help> help_in(TreeView answer) {
  using Kind = queue::Help::Kind;
  std::vector<queue::Help> out;
  for (const TreeView one : answer.list("help")) {
    const std::string_view kind = one.word("kind");
    if (kind == "fewer") {
      out.push_back({.kind = Kind::fewer,
                     .amount = one.number("count").value_or(0),
                     .type = std::string(one.word("type"))});
    } else if (kind == "shorter") {
      out.push_back({.kind = Kind::shorter, .amount = one.number("seconds").value_or(0)});
    } else if (kind == "queue") {
      out.push_back({.kind = Kind::queue, .queue = std::string(one.word("queue"))});
    }
  }
  return out;
}

std::string at_time(std::optional<std::int64_t> time_s) {
  return time_s && *time_s >= 0 ? local_time_text(*time_s) : "an unknown time";
}

queue::Answer answer_in(TreeView answer, std::int64_t now_s) {
  queue::Answer out;
  out.job = static_cast<JobId>(answer.number("job").value_or(0));
  if (answer.word("state") == "held") out.state = queue::JobState::on_hold;
  out.queue = answer.word("queue");
  out.ahead =
      static_cast<std::size_t>(std::max<std::int64_t>(answer.number("ahead").value_or(0), 0));
  out.first = static_cast<JobId>(answer.number("first").value_or(0));
  if (const auto why = answer.find("why")) {
    out.reason.text = why->word("text");
    out.reason.brief = why->word("short");
  }
  out.promised_s = answer.number("promised");
  out.expected_s = answer.number("expected");
  out.estimated = answer.is_true("estimated");
  out.earliest_s = answer.number("earliest");
  if (const auto unbooked = answer.find("unbooked")) {
    out.unbooked = queue::ReservationReason{};
    out.unbooked->name = unbooked->word("reservation");
    out.unbooked->from_s = unbooked->number("from").value_or(0);
  }
  out.help = help_in(answer);
  out.now_s = now_s;
  return out;
}

}  // namespace

std::string why_words(TreeView answer, std::int64_t now_s, bool whole) {
  std::string text;
  queue::append_answer_text(text, answer_in(answer, now_s), {},
                            {.whole = whole, .clock = local_clock});
  return in_local_zone(text);
}

std::string cause_words(TreeView answer, std::int64_t now_s) {
  return queue::cause_text(answer_in(answer, now_s), {.clock = local_clock});
}

std::string when_words(TreeView answer) {
  const auto start_s = answer.number("start");
  if (!start_s) {
    return fmt::format("unknown (copse why {} explains why it waits)\n",
                       answer.number("id").value_or(0));
  }
  return fmt::format("{} {}\n", at_time(start_s),
                     answer.is_true("promised") ? "(promised)" : "if nothing else happens");
}

std::string past_words(TreeView job) {
  const std::string_view state = job.word("state");
  const std::int64_t id = job.number("id").value_or(0);
  if (state == "running") {
    return fmt::format("job {} has been running since {}\n", id, at_time(job.number("started")));
  }
  if (state != "ended") return {};
  return fmt::format("job {} ended at {}: {}\n", id, at_time(job.number("ended")),
                     ending_words(job));
}

}  // namespace copse
