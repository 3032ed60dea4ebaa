// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/why_words.hpp"

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "queue/answers/answer_text.hpp"
#include "tools/copse/client/event_words.hpp"
#include "tools/copse/client/service/service_client.hpp"

namespace copse {

namespace {

std::vector<queue::Help> help_in(TreeView answer) {
  using Kind = queue::Help::Kind;
  std::vector<queue::Help> out;
  const auto all = answer.find("help");
  if (!all) return out;
  for (auto one = all->first_child(); one; one = one->next()) {
    const std::string_view kind = word_in(*one, "kind");
    if (kind == "fewer") {
      out.push_back({.kind = Kind::fewer,
                     .amount = number_in(*one, "count").value_or(0),
                     .type = std::string(word_in(*one, "type"))});
    } else if (kind == "shorter") {
      out.push_back({.kind = Kind::shorter, .amount = number_in(*one, "seconds").value_or(0)});
    } else if (kind == "queue") {
      out.push_back({.kind = Kind::queue, .queue = std::string(word_in(*one, "queue"))});
    }
  }
  return out;
}

std::string at_time(std::optional<std::int64_t> time_s) {
  return time_s && *time_s >= 0 ? readable_time(*time_s) : "an unknown time";
}

}  // namespace

std::string why_words(TreeView answer) {
  queue::Answer out;
  out.job = static_cast<JobId>(number_in(answer, "job").value_or(0));
  if (word_in(answer, "state") == "held") out.state = queue::JobState::on_hold;
  out.queue = word_in(answer, "queue");
  out.ahead =
      static_cast<std::size_t>(std::max<std::int64_t>(number_in(answer, "ahead").value_or(0), 0));
  out.first = static_cast<JobId>(number_in(answer, "first").value_or(0));
  if (const auto why = answer.find("why")) out.reason.text = word_in(*why, "text");
  out.promised_s = number_in(answer, "promised");
  out.expected_s = number_in(answer, "expected");
  out.earliest_s = number_in(answer, "earliest");
  if (const auto unbooked = answer.find("unbooked")) {
    out.unbooked = queue::ReservationReason{};
    out.unbooked->name = word_in(*unbooked, "reservation");
    out.unbooked->from_s = number_in(*unbooked, "from").value_or(0);
  }
  out.help = help_in(answer);
  std::string text;
  queue::append_answer_text(text, out);
  return text;
}

std::string when_words(TreeView answer) {
  const auto start_s = number_in(answer, "start");
  if (!start_s) {
    return fmt::format("unknown (copse why {} explains why it waits)\n",
                       number_in(answer, "id").value_or(0));
  }
  return fmt::format("{} {}\n", at_time(start_s),
                     truth_in(answer, "promised") ? "(promised)" : "if nothing else happens");
}

std::string past_words(TreeView job) {
  const std::string_view state = word_in(job, "state");
  const std::int64_t id = number_in(job, "id").value_or(0);
  if (state == "running") {
    return fmt::format("job {} has been running since {}\n", id,
                       at_time(number_in(job, "started")));
  }
  if (state != "ended") return {};
  return fmt::format("job {} ended at {}: {}\n", id, at_time(number_in(job, "ended")),
                     ending_words(job));
}

}  // namespace copse
