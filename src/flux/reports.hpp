// SPDX-License-Identifier: Apache-2.0
//
// Reports: what a waiting job is annotated with, from the answer about it.
#pragma once

#include <cstddef>
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

// How long a reason is: at most kReasonCharacters, as `why` has it, or not there.
enum class ReasonStyle : std::uint8_t { brief, whole, none };

inline constexpr std::size_t kReasonCharacters = 80;

// The reason in at most kReasonCharacters characters: whole clauses of it, the main cause first.
[[nodiscard]] std::string brief_reason(const queue::Reason& reason);

struct ReportStyle {
  AnnotationLevel level = AnnotationLevel::everything;
  ReasonStyle reasons = ReasonStyle::brief;
  bool simple_reasons = false;  // with AnnotationLevel::starts: whether there are reasons
};
// The text to send about a waiting job, or "" (annotations.hpp). O(length of the reason).
[[nodiscard]] std::string report_text(Annotations& known, const queue::Answers::Brief& answer,
                                      const ReportStyle& style, std::int64_t now_s);

// An answer as text or JSON. `name`, if not empty, is how the asker calls the job.
[[nodiscard]] std::string answer_text(const queue::Answer& answer, bool as_json,
                                      const std::string& name, const JobNames& names);

}  // namespace copse::flux
