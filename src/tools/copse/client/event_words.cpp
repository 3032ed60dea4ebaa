// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/event_words.hpp"

#include <fmt/format.h>

#include "host/clock/local_time.hpp"
#include "tools/copse/client/request_words.hpp"
#include "tools/copse/client/service/service_client.hpp"

namespace copse {

namespace {

std::string time_in(TreeView object, std::string_view key) {
  const auto time_s = object.number(key);
  return time_s && *time_s >= 0 ? local_time_text(*time_s) : "-";
}

std::string submitted_words(TreeView event) {
  const std::string user = shown_user(event.word("user"));
  const std::string_view name = event.word("name"), shape = event.word("shape");
  std::string out = "is submitted";
  if (!user.empty()) out += " by " + user;
  if (!name.empty()) out += fmt::format(" as {}", name);
  if (!shape.empty()) out += fmt::format(": {}", shape);
  if (event.is_true("held")) out += " (held)";
  return out;
}

std::string started_words(TreeView event) {
  const auto r = event.find("R");
  const std::string nodes = r ? nodelist_of_r(*r) : "";
  return nodes.empty() ? "starts" : "starts on " + nodes;
}

std::string words_of_event(const JobEvent& event) {
  const TreeView top = event.top();
  if (event.event == "submit") return submitted_words(top);
  if (event.event == "plan") return "is promised a start at " + time_in(top, "planned");
  if (event.event == "unplan") return "is no longer promised a start";
  if (event.event == "hold") return "is held";
  if (event.event == "release") return "is released";
  if (event.event == "priority") {
    return fmt::format("has priority {}", top.number("priority").value_or(0));
  }
  if (event.event == "start") return started_words(top);
  if (event.event == "part") return fmt::format("gives back ranks {}", top.word("ranks"));
  if (event.event == "stop") return "is asked to stop";
  if (event.event == "requeue") return fmt::format("waits again: {}", top.word("message"));
  if (event.event == "end") return "ended: " + ending_words(top);
  return std::string(event.event);  // an event of a later version
}

}  // namespace

std::optional<JobEvent> read_job_event(std::string_view line) {
  if (!line.contains("\"event\"")) return std::nullopt;
  auto tree = read_answer(line);
  if (!tree) return std::nullopt;
  JobEvent out{std::string(line), std::move(*tree), {}, 0};
  const auto job = out.top().number("job");
  out.event = out.top().word("event");
  if (!job || out.event.empty()) return std::nullopt;
  out.job = *job;
  return out;
}

std::string event_words(const JobEvent& event) {
  return fmt::format("{} job {} {}\n", time_in(event.top(), "t"), event.job, words_of_event(event));
}

std::string ending_words(TreeView job) {
  const std::string_view result = job.word("result"), message = job.word("message");
  const std::int64_t status = job.number("status").value_or(0);
  std::string out = result == "done" && status != 0 ? fmt::format("failed with status {}", status)
                                                    : std::string(result);
  if (!message.empty()) out += fmt::format(": {}", message);
  return out;
}

bool ended_well(TreeView job) {
  return job.word("result") == "done" && job.number("status").value_or(0) == 0;
}

std::string nodelist_of_r(TreeView r) {
  const auto execution = r.find("execution");
  std::string out;
  if (!execution) return out;
  for (const TreeView hosts : execution->list("nodelist")) {
    if (!out.empty()) out += ',';
    out += hosts.text();
  }
  return out;
}

}  // namespace copse
