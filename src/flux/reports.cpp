// SPDX-License-Identifier: Apache-2.0
#include "flux/reports.hpp"

#include <optional>

#include "queue/answers/answer_text.hpp"

namespace copse::flux {

std::string report_text(Annotations& known, const queue::Answers::Brief& answer,
                        const ReportStyle& style, std::int64_t now_s) {
  const auto ahead = static_cast<std::int64_t>(answer.when.ahead);
  if (style.level == AnnotationLevel::starts) {
    return known.waits_simply(now_s, answer.when.start_s,
                              style.simple_reasons ? std::optional(ahead) : std::nullopt);
  }
  const auto start_s =
      style.level == AnnotationLevel::promises ? known.reported_start() : answer.when.start_s;
  if (style.reasons == ReasonStyle::none) return known.waits_simply(now_s, start_s, std::nullopt);
  const std::string text = style.reasons == ReasonStyle::brief ? answer.why.brief : answer.why.text;
  return known.waits(now_s, start_s, queue::word(answer.why.cause), text, ahead);
}

std::string answer_text(const queue::Answer& answer, AnswerForm form, const std::string& name,
                        const JobNames& names) {
  const JobNames named = [&](JobId job) {
    return job == answer.job && !name.empty() ? name : names(job);
  };
  std::string out;
  if (form == AnswerForm::json) {
    queue::append_answer_json(out, answer, named);
  } else {
    queue::append_answer_text(out, answer, named, {.whole = form == AnswerForm::whole});
  }
  return out;
}

}  // namespace copse::flux
