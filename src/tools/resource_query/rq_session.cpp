// SPDX-License-Identifier: Apache-2.0
#include "tools/resource_query/rq_session.hpp"

#include <fmt/format.h>

#include "tools/resource_query/rq_commands.hpp"

namespace copse {

namespace query {
namespace {

void list_job(Context& context, JobId id, const fluxion::Job& job) {
  context.streams.standard() += fmt::format("INFO: {}, {}, {}, {}, {:g}\n", id, word(job.state),
                                            job.at_s, job.file, job.overhead_s);
}

void list(Context& context, Words) {
  for (const auto& [id, job] : context.jobs.all()) {
    list_job(context, id, job);
    context.streams.flush_if_large();
  }
}

void info(Context& context, Words words) {
  if (words.size() != 2) return context.malformed();
  const JobId id = parse_job(words[1]);
  if (const auto* job = context.jobs.find(id)) return list_job(context, id, *job);
  context.streams.message(fmt::format("info: ERROR: nonexistent job {}", id));
}

void stat(Context& context, Words words) {
  if (words.size() != 1) return context.malformed();
  const fluxion::MatchStatistics& of = context.statistics;
  context.streams.standard() += fmt::format(
      "INFO: Num. of Jobs Matched: {}\nINFO: Min. Match Time: {:g}\nINFO: Max. Match Time: {:g}\n"
      "INFO: Avg. Match Time: {:g}\n",
      of.total(), of.min_s(), of.max_s(), of.mean_s());
}

void cat(Context& context, Words words) {
  if (words.size() != 2) return context.malformed();
  const auto text = context.read(words[1]);
  if (!text) return;
  context.streams.standard() += *text;
  context.streams.standard() += fmt::format("INFO: Jobspec in {}\n", words[1]);
}

void help(Context& context, Words words);

struct Command {
  const char *name, *abbreviation, *note;
  void (*run)(Context&, Words);  // nullptr: ends the session
};

constexpr Command kCommands[] = {
    {"match", "m",
     "Match a jobspec: match <operation> <jobspec-file>; operations: allocate, "
     "allocate_with_satisfiability, allocate_orelse_reserve, satisfiability, without_allocating, "
     "without_allocating_future",
     match},
    {"multi-match", "M",
     "Match several jobspecs, until one fails: multi-match <operation> <file> <file>...",
     multi_match},
    {"explain", "why", "Explain why a jobspec matches nothing now: explain <jobspec-file> [json]",
     explain},
    {"update", "u",
     "Mark resources as used by a job: update allocate|reserve jgf|jgf_shorthand|rv1exec "
     "<file> <jobid> <start> <duration>",
     update},
    {"attach", "j", "Add resources to the machine: attach <jgf-file>", attach},
    {"remove", "j",
     "Remove resources from the machine: remove <path> true, or remove <ranks> false", remove},
    {"find", "f", "Show pools: find <expression>, such as find status=down or sched-now=allocated",
     find},
    {"cancel", "c", "Release the resources of a job: cancel <jobid> [stats]", cancel},
    {"partial-cancel", "pc",
     "Release part of the resources of a job: partial-cancel <jobid> jgf|rv1exec <file> [stats]",
     partial_cancel},
    {"set-property", "p", "Set a property: set-property <path> <key>=<value>", set_property},
    {"get-property", "g", "Show the properties of a pool: get-property <path>", get_property},
    {"set-status", "t",
     "Set the status of a pool: set-status <path> up|degraded|failing|down|unknown", set_status},
    {"get-status", "e", "Show the status of a pool: get-status <path>", get_status},
    {"list", "l", "List the jobs matched so far", list},
    {"info", "i", "Show one job: info <jobid>", info},
    {"stat", "s", "Show how long matches took", stat},
    {"cat", "a", "Show a jobspec: cat <file>", cat},
    {"help", "h", "Show the commands: help [command]", help},
    {"quit", "q", "Exit", nullptr},
};

void help(Context& context, Words words) {
  bool known = false;
  for (const Command& c : kCommands) {
    if (words.size() > 1 && words[1] != c.name && words[1] != c.abbreviation) continue;
    context.streams.standard() +=
        fmt::format("INFO: {} ({}) -- {}\n", c.name, c.abbreviation, c.note);
    known = true;
  }
  if (!known) {
    context.streams.standard() += fmt::format("ERROR: unknown command: {}\n", words[1]);
  }
}

}  // namespace
}  // namespace query

bool QuerySession::run(std::string_view line) {
  words_.clear();
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  for (std::size_t at = 0; at < line.size();) {
    at = line.find_first_not_of(kBlanks, at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words_.push_back(line.substr(at, end - at));
    at = end;
  }
  if (words_.empty()) return true;
  for (const query::Command& c : query::kCommands) {
    if (words_[0] != c.name && words_[0] != c.abbreviation) continue;
    if (c.run == nullptr) return false;
    c.run(context_, words_);
    break;
  }
  return true;
}

}  // namespace copse
