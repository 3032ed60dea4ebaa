// SPDX-License-Identifier: Apache-2.0
#include "flux/reports.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "queue/answers/answer_text.hpp"

namespace copse::flux {

namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";  // …

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

// The first `count` characters of UTF-8.
std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (begins_character(text[at]) && count-- == 0) break;
  }
  return text.substr(0, at);
}

// As many clauses of the text as fit. What is in parentheses is a part of its clause.
std::string clauses(std::string_view text, std::size_t limit) {
  if (characters(text) <= limit) return std::string(text);
  constexpr std::array<std::string_view, 4> kEnds{"; ", ": ", " (", ", "};
  const std::string_view most = first_characters(text, limit + 2);  // with the end of a clause
  std::size_t best = 0;
  for (const std::string_view end : kEnds) {
    const std::size_t at = most.rfind(end);
    if (at == std::string_view::npos) continue;
    // Commas separate less: they serve where the others leave little.
    if (end != ", " || best < limit / 3) best = std::max(best, at);
  }
  if (best > 0) return std::string(text.substr(0, best));
  return std::string(first_characters(text, limit - 1)) + std::string(kEllipsis);
}

// The main cause, where it is not in the first clauses of the sentence.
std::string_view cause_first(queue::Reason::Cause cause) {
  using Cause = queue::Reason::Cause;
  switch (cause) {
    case Cause::down: return "waits for nodes that are down; ";
    case Cause::constraint: return "its constraint excludes nodes; ";
    case Cause::unreachable: return "waits for jobs without a limit; ";
    default: return "";
  }
}

}  // namespace

std::string brief_reason(const queue::Reason& reason) {
  if (characters(reason.text) <= kReasonCharacters) return reason.text;
  std::string out(cause_first(reason.cause));
  out += clauses(reason.text, kReasonCharacters - out.size());
  return out;
}

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
  const std::string text =
      style.reasons == ReasonStyle::brief ? brief_reason(answer.why) : answer.why.text;
  return known.waits(now_s, start_s, queue::word(answer.why.cause), text, ahead);
}

std::string answer_text(const queue::Answer& answer, bool as_json, const std::string& name,
                        const JobNames& names) {
  const JobNames named = [&](JobId job) {
    return job == answer.job && !name.empty() ? name : names(job);
  };
  std::string out;
  if (as_json) {
    queue::append_answer_json(out, answer, named);
  } else {
    queue::append_answer_text(out, answer, named);
  }
  return out;
}

}  // namespace copse::flux
