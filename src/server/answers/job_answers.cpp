// SPDX-License-Identifier: Apache-2.0
#include "server/answers/job_answers.hpp"

#include "text/json_writer.hpp"

namespace copse::server {

JobNames visible_names(const IsHidden& hidden) {
  return [hidden](std::uint64_t id) {
    return hidden && hidden(id) ? std::string("of another user") : std::to_string(id);
  };
}

void hide_jobs(Explanation& explanation, const IsHidden& hidden) {
  if (!hidden) return;
  for (Finding& finding : explanation.findings) {
    std::erase_if(finding.holders, [&](const Holder& holder) { return hidden(holder.job); });
  }
}

void hide_jobs(queue::Answer& answer, const IsHidden& hidden) {
  if (!hidden) return;
  if (answer.first != 0 && hidden(answer.first)) answer.first = 0;
  if (answer.reason.job != 0 && hidden(answer.reason.job)) answer.reason.job = 0;
  if (answer.reason.why) hide_jobs(*answer.reason.why, hidden);
}

Result<queue::Answer> visible_answer(queue::Answers& answers, JobId id, const Viewer& viewer,
                                     const IsHidden& hidden) {
  auto answer = hidden ? answers.of(id, viewer.user, visible_names(hidden)) : answers.of(id);
  if (answer) hide_jobs(*answer, hidden);
  return answer;
}

void append_when(std::string& out, const queue::Answer& answer, bool searching) {
  const auto start_s = answer.promised_s ? answer.promised_s : answer.expected_s;
  JsonWriter json(out);
  json.object([&] {
    json.member("id", answer.job);
    json.key("start");
    if (start_s) {
      json.value(*start_s);
    } else {
      json.json("null");
    }
    json.member("promised", answer.promised_s.has_value());
    if (searching) json.member("searching", true);  // ask again
  });
}

}  // namespace copse::server
