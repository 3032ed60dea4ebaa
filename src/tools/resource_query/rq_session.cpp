// SPDX-License-Identifier: Apache-2.0
#include "tools/resource_query/rq_session.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "text/json_writer.hpp"

namespace copse {

QuerySession::QuerySession(Engine& engine, Format format, bool timing, QueryStreams& streams)
    : engine_(engine), writer_(format), timing_(timing), streams_(streams) {}

std::span<const QuerySession::Command> QuerySession::commands() {
  using Q = QuerySession;
  static constexpr std::array<Command, 19> all{{
      {"match", "m",
       "Match a jobspec: match <operation> <jobspec-file>; operations: allocate, "
       "allocate_with_satisfiability, allocate_orelse_reserve, satisfiability, without_allocating, "
       "without_allocating_future",
       &Q::match},
      {"multi-match", "M",
       "Match several jobspecs, until one fails: multi-match <operation> <file> <file>...",
       &Q::multi_match},
      {"explain", "why", "Say why a jobspec gets nothing now: explain <jobspec-file> [json]",
       &Q::explain},
      {"update", "u",
       "Mark resources as used by a job: update allocate|reserve jgf|jgf_shorthand|rv1exec "
       "<file> <jobid> <start> <duration>",
       &Q::update},
      {"attach", "j", "Add resources to the machine: attach <jgf-file>", &Q::attach},
      {"remove", "j", "Take resources off the machine: remove <path> true, or remove <ranks> false",
       &Q::remove},
      {"find", "f",
       "Show pools: find <expression>, such as find status=down or sched-now=allocated", &Q::find},
      {"cancel", "c", "Give back what a job has: cancel <jobid> [stats]", &Q::cancel},
      {"partial-cancel", "pc",
       "Give back a part of what a job has: partial-cancel <jobid> jgf|rv1exec <file> [stats]",
       &Q::partial_cancel},
      {"set-property", "p", "Set a property: set-property <path> <key>=<value>", &Q::set_property},
      {"get-property", "g", "Show the properties of a pool: get-property <path>", &Q::get_property},
      {"set-status", "t",
       "Set the status of a pool: set-status <path> up|degraded|failing|down|unknown",
       &Q::set_status},
      {"get-status", "e", "Show the status of a pool: get-status <path>", &Q::get_status},
      {"list", "l", "List the jobs matched so far", &Q::list},
      {"info", "i", "Show one job: info <jobid>", &Q::info},
      {"stat", "s", "Show how long matches took", &Q::stat},
      {"cat", "a", "Show a jobspec: cat <file>", &Q::cat},
      {"help", "h", "Show the commands: help [command]", &Q::help},
      {"quit", "q", "Leave", &Q::quit},
  }};
  return all;
}

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
  for (const Command& c : commands()) {
    if (words_[0] == c.name || words_[0] == c.abbreviation) return (this->*c.run)(words_);
  }
  return true;
}

bool QuerySession::malformed() {
  streams_.message("ERROR: malformed command");
  return true;
}

bool QuerySession::find(Words words) {
  if (words.size() < 2) {
    streams_.message("ERROR: malformed command: ");
    return true;
  }
  std::string expression(words[1]);
  for (std::string_view w : words.subspan(2)) {
    expression += ' ';
    expression += w;
  }
  auto found = engine_.find(expression);
  if (!found) {
    streams_.message("find: " + found.error().text);
    return true;
  }
  std::string& out = streams_.results();
  Emission emission{.graph = engine_.graph(), .pools = found->pools, .complete = true};
  if (found->with_filters) {
    emission.more_metadata = [&](PoolId p, JsonWriter& json) {
      std::map<std::string_view, std::string> by_type;
      for (const Engine::FilterUse& use : engine_.filter_use(p, found->filter_job)) {
        by_type.emplace(engine_.graph().type_name(use.type),
                        fmt::format("used:{}, total:{}", use.used, use.total));
      }
      json.object("agfilter", [&] {
        for (const auto& [type, used] : by_type) json.member(type, used);
      });
    };
  }
  writer_.write(emission, out);
  out += rule();
  out += fmt::format("INFO: EXPRESSION=\"{}\"\n", expression);
  out += rule();
  return true;
}

namespace {

// Digits, else 0, as the reference reads job ids.
std::uint64_t parse_job(std::string_view word) {
  std::uint64_t id = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  return error == std::errc() && end == word.data() + word.size() ? id : 0;
}

}  // namespace

bool QuerySession::cancel(Words words) {
  const bool stats = words.size() == 3 && words[2] == "stats";
  if (words.size() != 2 && !stats) return malformed();
  const std::uint64_t id = parse_job(words[1]);
  auto it = jobs_.find(id);
  const Grant* grant = engine_.grant(id);
  if (it == jobs_.end() || grant == nullptr) {
    streams_.message(fmt::format("cancel: ERROR: nonexistent job {}", id));
    return true;
  }
  const std::size_t visited = grant->selection.taken.size();
  if (auto done = engine_.cancel(id); !done) {
    streams_.message("cancel: ERROR: " + done.error().text);
    return true;
  }
  it->second.state = Job::State::canceled;
  if (stats) {
    std::string& out = streams_.results();
    out += rule();
    out += fmt::format("INFO: CANCEL PREORDER COUNT=\"{}\"\nINFO: CANCEL POSTORDER COUNT=\"{}\"\n",
                       visited, visited);
    out += rule();
  }
  return true;
}

std::vector<PoolId> QuerySession::pools_at(std::string_view path, const char* unknown) {
  std::vector<PoolId> pools = engine_.graph().at_path(path);
  if (pools.empty()) {
    streams_.results() += fmt::format("{} find path {} in resource graph.\n", unknown, path);
  }
  return pools;
}

bool QuerySession::set_property(Words words) {
  if (words.size() != 3) return malformed();
  const std::size_t equals = words[2].find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == words[2].size()) {
    streams_.results() +=
        "Incorrect input format. \nPlease use `set-property <resource> PROPERTY=VALUE`.\n";
    return true;
  }
  for (PoolId p : pools_at(words[1], "Couldn't")) {
    engine_.set_property(p, std::string(words[2].substr(0, equals)),
                         std::string(words[2].substr(equals + 1)));
  }
  return true;
}

bool QuerySession::get_property(Words words) {
  if (words.size() != 2) return malformed();
  for (PoolId p : pools_at(words[1], "Could not")) {
    std::string& out = streams_.results();
    const auto* properties = engine_.graph().properties(p);
    if (properties == nullptr) {
      out += fmt::format("No properties were found for {} (vtx's uniq_id={}).\n", words[1],
                         engine_.graph().uniq_id(p));
      continue;
    }
    for (const auto& [key, value] : *properties) {
      out.append(key).append(1, '=').append(value).append(1, '\n');
    }
  }
  return true;
}

bool QuerySession::set_status(Words words) {
  if (words.size() != 3) return malformed();
  const std::vector<PoolId> pools = pools_at(words[1], "Could not");
  if (pools.empty()) return true;
  const auto status = parse_status(words[2]);
  if (!status) {
    streams_.message("ERROR: unrecognized status");
    return true;
  }
  for (PoolId p : pools) engine_.set_status(p, *status);
  return true;
}

bool QuerySession::get_status(Words words) {
  if (words.size() != 2) return malformed();
  for (PoolId p : pools_at(words[1], "Could not")) {
    streams_.results() += fmt::format("{} is {}\n", words[1], word(engine_.status(p)));
  }
  return true;
}

void QuerySession::job_line(std::uint64_t id, const Job& job) {
  const char* state = job.state == Job::State::allocated  ? "ALLOCATED"
                      : job.state == Job::State::reserved ? "RESERVED"
                                                          : "CANCELED";
  streams_.standard() +=
      fmt::format("INFO: {}, {}, {}, {}, {:g}\n", id, state, job.start, job.file, job.elapsed_s);
}

bool QuerySession::list(Words) {
  for (const auto& [id, job] : jobs_) {
    job_line(id, job);
    streams_.flush_if_large();
  }
  return true;
}

bool QuerySession::info(Words words) {
  if (words.size() != 2) return malformed();
  const std::uint64_t id = parse_job(words[1]);
  auto it = jobs_.find(id);
  if (it == jobs_.end()) {
    streams_.message(fmt::format("info: ERROR: nonexistent job {}", id));
  } else {
    job_line(id, it->second);
  }
  return true;
}

bool QuerySession::stat(Words words) {
  if (words.size() != 1) return malformed();
  const double average_s = matched_ == 0 ? 0 : total_s_ / static_cast<double>(matched_);
  streams_.standard() += fmt::format(
      "INFO: Num. of Jobs Matched: {}\nINFO: Min. Match Time: {:g}\nINFO: Max. Match Time: {:g}\n"
      "INFO: Avg. Match Time: {:g}\n",
      matched_, shortest_s_, longest_s_, average_s);
  return true;
}

bool QuerySession::cat(Words words) {
  if (words.size() != 2) return malformed();
  if (!read_file(words[1])) {
    streams_.message(fmt::format("ERROR: can't open {}", words[1]));
    return true;
  }
  streams_.standard() += text_;
  streams_.standard() += fmt::format("INFO: Jobspec in {}\n", words[1]);
  return true;
}

bool QuerySession::help(Words words) {
  bool known = false;
  for (const Command& c : commands()) {
    if (words.size() > 1 && words[1] != c.name && words[1] != c.abbreviation) continue;
    streams_.standard() += fmt::format("INFO: {} ({}) -- {}\n", c.name, c.abbreviation, c.note);
    known = true;
  }
  if (!known) streams_.standard() += fmt::format("ERROR: unknown command: {}\n", words[1]);
  return true;
}

bool QuerySession::quit(Words) { return false; }

}  // namespace copse
