// SPDX-License-Identifier: Apache-2.0
#include "tools/resource_query/rq_match.hpp"

#include <chrono>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "explain/explanation.hpp"

namespace copse::query {

namespace {

std::optional<Operation> parse_operation(std::string_view word_text) {
  if (word_text == "allocate") return Operation::allocate;
  if (word_text == "allocate_with_satisfiability") return Operation::allocate_with_satisfiability;
  if (word_text == "allocate_orelse_reserve") return Operation::allocate_orelse_reserve;
  if (word_text == "satisfiability") return Operation::satisfiability;
  if (word_text == "without_allocating") return Operation::without_allocating;
  if (word_text == "without_allocating_future") return Operation::without_allocating_future;
  return std::nullopt;
}

bool only_looks(Operation op) {
  return op == Operation::without_allocating || op == Operation::without_allocating_future;
}

// Sentences that recorded sessions of the reference pin without a place.
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

bool report_match(Context& context, Operation operation, const MatchResult& matched,
                  std::string_view path, double elapsed_s, std::string_view queue) {
  const MatchTiming timing{elapsed_s, matched ? (*matched)->visits : matched.error().visits};
  const JobId job = context.jobs.next();
  report_remarks(context, matched ? (*matched)->remarks : matched.error().remarks);
  if (!matched) {
    if (matched.error().code == ErrorCode::invalid) {
      context.streams.message("match_allocate: ERROR: traverser: Invalid argument (" +
                              matched.error().text + ")");
    }
    report_failure(context, operation, job, matched.error().code, timing);
    return false;
  }
  if (operation == Operation::satisfiability) {
    context.write_ruled("INFO: Satisfiable request\n");
    timing_lines(context, timing);
    return true;
  }
  const Match& match = **matched;
  const bool reserved = match.start > context.engine.options().now;
  context.write_resources(match, queue);
  report_grant(context, job,
               only_looks(operation) ? "MATCHED"
               : reserved            ? "RESERVED"
                                     : "ALLOCATED",
               match.start, timing);
  if (!only_looks(operation)) context.jobs.add(job, match, path, elapsed_s);
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
  const JobId job = context.jobs.next();
  const auto begin = std::chrono::steady_clock::now();
  auto prepared = context.engine.prepare(*text, path);
  if (!prepared) {
    const Error& error = prepared.error();
    const std::string where = pinned(error) ? "" : " (" + error.place.text() + ")";
    context.streams.message(
        fmt::format("match_allocate: ERROR: Jobspec error for {}: {}{}", job, error.text, where));
    report_failure(context, *operation, job, ErrorCode::invalid, {});
    return false;
  }
  auto matched = context.engine.match(*operation, **prepared, job);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const bool good =
      report_match(context, *operation, matched, path, elapsed.count(), (*prepared)->queue());
  context.streams.flush_if_large();
  return good;
}

}  // namespace

void report_grant(Context& context, JobId job, const char* what, std::int64_t start,
                  const MatchTiming& timing) {
  std::string& out = context.streams.results();
  const bool later = start > context.engine.options().now;
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
    // Not known: a search ended without an answer.
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
  if (!only_looks(operation) && !refused) context.jobs.count_on(job + 1);
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
  const auto prepared = context.engine.prepare(*text, words[1]);
  const auto explanation =
      prepared ? context.engine.explain(**prepared) : std::unexpected(prepared.error());
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
