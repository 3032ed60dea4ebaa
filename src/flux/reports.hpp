// SPDX-License-Identifier: Apache-2.0
//
// Reports: what a waiting job is annotated with, from the answer about it.
#pragma once

#include <cstdint>
#include <string>

#include "flux/annotations.hpp"
#include "queue/answers/answers.hpp"

namespace copse::flux {

// What the annotations of a waiting job report.
enum class AnnotationLevel : std::uint8_t {
  everything,  // promised and expected starts, and the reason for waiting
  promises,    // promised starts and the reason: as Fluxion
  starts,      // expected starts; the reason only after report_reasons(): as sched-simple
};

// How long a reason is: the short cause (queue/answers/short_cause.hpp), the whole sentence, or not there.
enum class ReasonStyle : std::uint8_t { brief, whole, none };

struct ReportStyle {
  AnnotationLevel level = AnnotationLevel::everything;
  ReasonStyle reasons = ReasonStyle::brief;
  bool simple_reasons = false;  // with AnnotationLevel::starts: whether there are reasons
};
// The text to send about a waiting job, or "" (annotations.hpp). O(length of the reason).
[[nodiscard]] std::string report_text(Annotations& known, const queue::Answers::Brief& answer,
                                      const ReportStyle& style, std::int64_t now_s);

// The forms of an answer to `why`: text with the short cause or the whole sentence; JSON has both.
enum class AnswerForm : std::uint8_t { brief, whole, json };
// `name`, if not empty, is how the asker calls the job.
[[nodiscard]] std::string answer_text(const queue::Answer& answer, AnswerForm form,
                                      const std::string& name, const JobNames& names);

}  // namespace copse::flux
