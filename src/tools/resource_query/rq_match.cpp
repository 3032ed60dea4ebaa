// SPDX-License-Identifier: Apache-2.0
#include "tools/resource_query/rq_commands.hpp"

#include <iterator>

#include <fmt/format.h>

#include "explain/explanation.hpp"
#include "match/option_names.hpp"

namespace copse::query {

namespace {

// Recorded sessions of the reference pin these sentences, which have no place.
bool pinned(const Error& error) {
  return error.code == ErrorCode::not_found || error.text.ends_with(" is invalid");
}

void elapse_line(std::string& out, const MatchTiming& timing) {
  out += fmt::format("INFO: ELAPSE={:f}\n", timing.elapsed_s);
}

void visit_lines(std::string& out, const MatchTiming& timing) {
  out += fmt::format("INFO: PREORDER VISIT COUNT={}\nINFO: POSTORDER VISIT COUNT={}\n",
                     timing.visits, timing.visits);
}

void timing_lines(Context& context, const MatchTiming& timing) {
  if (!context.timing) return;
  elapse_line(context.streams.standard(), timing);
  visit_lines(context.streams.standard(), timing);
}

void report_remarks(Context& context, const std::vector<std::string>& remarks) {
  if (remarks.empty()) return;
  std::string text = "match_allocate: ERROR: ";
  for (const std::string& remark : remarks) text += remark + '\n';
  context.streams.message(text);
}

bool report_match(Context& context, Operation operation, const fluxion::Resource::Matched& matched,
                  std::string_view path) {
  const MatchResult& result = matched.result;
  const MatchTiming timing{matched.elapsed_s, result ? (*result)->visits : result.error().visits};
  const JobId job = context.next_job;
  report_remarks(context, result ? (*result)->remarks : result.error().remarks);
  if (!result) {
    if (result.error().code == ErrorCode::invalid) {
      context.streams.message("match_allocate: ERROR: traverser: Invalid argument (" +
                              result.error().text + ")");
    }
    report_failure(context, operation, job, result.error().code, timing);
    return false;
  }
  if (operation == Operation::satisfiability) {
    context.write_ruled("INFO: Satisfiable request\n");
    timing_lines(context, timing);
    return true;
  }
  const Match& match = **result;
  context.resource.write(match, matched.queue(), context.streams.results());
  const bool reserved = match.start > context.engine().options().now;
  report_grant(context, job,
               !allocates(operation) ? "MATCHED"
               : reserved            ? "RESERVED"
                                     : "ALLOCATED",
               match.start, timing);
  if (allocates(operation)) context.add_job(job, match, path, matched.elapsed_s);
  return true;
}

bool match_file(Context& context, std::string_view operation_word, std::string_view path) {
  const auto operation = parse_operation(operation_word);
  if (!operation) {
    context.error(fmt::format("unknown subcmd {}", operation_word));
    return false;
  }
  const auto text = context.read(path);
  if (!text) return false;
  const JobId job = context.next_job;
  const auto matched = context.resource.match(*operation, {.text = *text, .file = path}, job);
  if (matched.request == nullptr) {
    const Error& error = matched.result.error();
    const std::string where = pinned(error) ? "" : " (" + error.place.text() + ")";
    context.streams.message(
        fmt::format("match_allocate: ERROR: Jobspec error for {}: {}{}", job, error.text, where));
    report_failure(context, *operation, job, ErrorCode::invalid, {});
    return false;
  }
  const bool good = report_match(context, *operation, matched, path);
  context.streams.flush_if_large();
  return good;
}

}  // namespace

void report_grant(Context& context, JobId job, const char* what, std::int64_t start,
                  const MatchTiming& timing) {
  std::string& out = context.streams.results();
  const bool later = start > context.engine().options().now;
  out += kRule;
  fmt::format_to(std::back_inserter(out),
                 "INFO: JOBID={}\nINFO: RESOURCES={}\nINFO: SCHEDULED AT={}\n", job, what,
                 later ? std::to_string(start) : "Now");
  timing_lines(context, timing);
  context.streams.results() += kRule;
}

void report_failure(Context& context, Operation operation, JobId job, ErrorCode code,
                    const MatchTiming& timing) {
  std::string& out = context.streams.results();
  if (operation == Operation::satisfiability) {
    // Unknown: a search ended without an answer.
    const bool unknown = code == ErrorCode::insufficient;
    context.write_ruled(unknown ? "INFO: No matching resources found\n"
                                : "INFO: Unsatisfiable request\n");
    return timing_lines(context, timing);
  }
  out += kRule;
  out += "INFO: No matching resources found\n";
  if (code == ErrorCode::infeasible) out += "INFO: Unsatisfiable request\n";
  out += fmt::format("INFO: JOBID={}\n", job);
  if (context.timing) {
    elapse_line(out, timing);
    visit_lines(context.streams.standard(), timing);
  }
  out += kRule;
  const bool refused = code != ErrorCode::insufficient && code != ErrorCode::infeasible;
  if (allocates(operation) && !refused) context.count_on(job + 1);
}

void match(Context& context, Words words) {
  if (words.size() != 3) return context.malformed();
  match_file(context, words[1], words[2]);
}

void multi_match(Context& context, Words words) {
  if (words.size() <= 3) return context.malformed();
  for (std::string_view path : words.subspan(2)) {
    if (!match_file(context, words[1], path)) break;
  }
}

void explain(Context& context, Words words) {
  const bool json = words.size() == 3 && words[2] == "json";
  if (words.size() != 2 && !json) return context.malformed();
  const auto text = context.read(words[1]);
  if (!text) return;
  const auto prepared = context.engine().prepare(*text, words[1]);
  const auto explanation =
      prepared ? context.engine().explain(**prepared) : std::unexpected(prepared.error());
  if (!explanation) {
    return context.streams.message("explain: ERROR: " + explanation.error().message());
  }
  std::string lines, out;
  if (json) {
    append_explanation_json(out, *explanation);
  } else {
    append_explanation_text(lines, *explanation);
  }
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at) + 1;
    out.append("INFO: ").append(lines, at, end - at);
    at = end;
  }
  context.write_ruled(out);
  context.streams.flush_if_large();
}

}  // namespace copse::query
