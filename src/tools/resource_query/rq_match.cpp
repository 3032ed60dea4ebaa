// SPDX-License-Identifier: Apache-2.0
//
// The match commands and what they print.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "text/json_text.hpp"
#include "tools/resource_query/rq_session.hpp"

namespace copse {

namespace {

constexpr std::size_t kFileBytesMax = 64u << 20;
constexpr std::string_view kRule = "INFO: =============================\n";

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

}  // namespace

std::string_view QuerySession::rule() const { return kRule; }

bool QuerySession::read_file(std::string_view path) {
  path_ = path;
  text_.clear();
  if (path_.find('\0') != std::string::npos) return false;  // open would read another file
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  struct stat status{};
  bool good = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
              static_cast<std::size_t>(status.st_size) <= kFileBytesMax;
  if (good) {
    text_.resize(static_cast<std::size_t>(status.st_size));
    std::size_t have = 0;
    while (have < text_.size()) {
      const ssize_t n = ::read(file, text_.data() + have, text_.size() - have);
      if (n <= 0) break;
      have += static_cast<std::size_t>(n);
    }
    text_.resize(have);
  }
  ::close(file);
  return good;
}

void QuerySession::write_resources(const Match& match, std::string_view queue) {
  expand(engine_.graph(), match.selection, emitted_);
  writer_.write({.graph = engine_.graph(),
                 .pools = emitted_,
                 .labels = match.selection.labels,
                 .start = match.start,
                 .end = match.end,
                 .queue = queue,
                 .drawn = match.draw.channels},
                streams_.results());
}

void QuerySession::append_grant(std::string& out, std::uint64_t job, std::string_view what,
                                std::int64_t start) const {
  out += "INFO: JOBID=";
  append_number(out, job);
  out.append("\nINFO: RESOURCES=").append(what).append("\nINFO: SCHEDULED AT=");
  if (start > engine_.options().now) {
    append_number(out, start);
  } else {
    out += "Now";
  }
  out += '\n';
}

void QuerySession::timing_lines(std::string& out, const Timing& timing) const {
  out += fmt::format("INFO: ELAPSE={:f}\n", timing.elapsed_s);
  out += fmt::format("INFO: PREORDER VISIT COUNT={}\nINFO: POSTORDER VISIT COUNT={}\n",
                     timing.visits, timing.visits);
}

void QuerySession::report_remarks(const std::vector<std::string>& remarks) {
  if (remarks.empty()) return;
  std::string text = "match_allocate: ERROR: ";
  for (const std::string& remark : remarks) text += remark + '\n';
  streams_.message(text);
}

// What follows a match that gave nothing.
void QuerySession::report_failure(Operation operation, const Error& error, const Timing& timing) {
  std::string& out = streams_.results();
  if (operation == Operation::satisfiability) {
    out += kRule;
    // Not known: a search ended without an answer.
    const bool unknown = error.code == ErrorCode::insufficient;
    out += unknown ? "INFO: No matching resources found\n" : "INFO: Unsatisfiable request\n";
    out += kRule;
    if (timing_) timing_lines(streams_.standard(), timing);
    return;
  }
  out += kRule;
  out += "INFO: No matching resources found\n";
  if (error.code == ErrorCode::infeasible) out += "INFO: Unsatisfiable request\n";
  out += "INFO: JOBID=";
  append_number(out, next_job_);
  out += '\n';
  if (timing_) {
    out += fmt::format("INFO: ELAPSE={:f}\n", timing.elapsed_s);
    streams_.standard() +=
        fmt::format("INFO: PREORDER VISIT COUNT={}\nINFO: POSTORDER VISIT COUNT={}\n",
                    timing.visits, timing.visits);
  }
  streams_.results() += kRule;
  const bool refused = error.code != ErrorCode::insufficient && error.code != ErrorCode::infeasible;
  if (!only_looks(operation) && !refused) count_on(next_job_ + 1);
}

bool QuerySession::report_match(Operation operation, const MatchResult& matched,
                                std::string_view path, const Timing& timing,
                                std::string_view queue) {
  report_remarks(matched ? (*matched)->remarks : matched.error().remarks);
  if (!matched) {
    if (matched.error().code == ErrorCode::invalid) {
      streams_.message("match_allocate: ERROR: traverser: Invalid argument (" +
                       matched.error().text + ")");
    }
    report_failure(operation, matched.error(), timing);
    return false;
  }
  std::string& out = streams_.results();
  if (operation == Operation::satisfiability) {
    out += kRule;
    out += "INFO: Satisfiable request\n";
    out += kRule;
    if (timing_) timing_lines(streams_.standard(), timing);
    return true;
  }
  const Match& match = **matched;
  const bool reserved = match.start > engine_.options().now;
  write_resources(match, queue);
  out += kRule;
  append_grant(out, next_job_,
               only_looks(operation) ? "MATCHED"
               : reserved            ? "RESERVED"
                                     : "ALLOCATED",
               match.start);
  if (timing_) timing_lines(streams_.standard(), timing);
  streams_.results() += kRule;
  if (only_looks(operation)) return true;
  note_job(next_job_, match, path, timing.elapsed_s);
  count_on(next_job_ + 1);
  return true;
}

// The next job has this number or, if jobs that live have it and what follows, the first after
// them.
void QuerySession::count_on(std::uint64_t job) {
  while (engine_.grant(job) != nullptr) ++job;
  next_job_ = job;
}

void QuerySession::note_job(std::uint64_t id, const Match& match, std::string_view path,
                            double elapsed_s) {
  const bool reserved = match.start > engine_.options().now;
  jobs_.insert_or_assign(jobs_.end(), id,
                         Job{reserved ? Job::State::reserved : Job::State::allocated, match.start,
                             std::string(path), elapsed_s});
  shortest_s_ = matched_ == 0 ? elapsed_s : std::min(shortest_s_, elapsed_s);
  longest_s_ = std::max(longest_s_, elapsed_s);
  total_s_ += elapsed_s;
  ++matched_;
}

bool QuerySession::match_file(std::string_view operation_word, std::string_view path) {
  const auto operation = parse_operation(operation_word);
  if (!operation) {
    streams_.message(fmt::format("ERROR: unknown subcmd {}", operation_word));
    return false;
  }
  if (!read_file(path)) {
    streams_.message(fmt::format("ERROR: can't open {}", path));
    return false;
  }
  const auto begin = std::chrono::steady_clock::now();
  auto prepared = engine_.prepare(text_, path);
  if (!prepared) {
    const Error& error = prepared.error();
    const std::string where = pinned(error) ? "" : " (" + error.place.text() + ")";
    streams_.message(fmt::format("match_allocate: ERROR: Jobspec error for {}: {}{}", next_job_,
                                 error.text, where));
    report_failure(*operation, {ErrorCode::invalid, {}, {}}, {});
    return false;
  }
  auto matched = engine_.match(*operation, **prepared, next_job_);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const std::uint64_t visits = matched ? (*matched)->visits : matched.error().visits;
  const bool good =
      report_match(*operation, matched, path, {elapsed.count(), visits}, (*prepared)->queue());
  streams_.flush_if_large();
  return good;
}

bool QuerySession::match(Words words) {
  if (words.size() != 3) return malformed();
  match_file(words[1], words[2]);
  return true;
}

bool QuerySession::multi_match(Words words) {
  if (words.size() <= 3) return malformed();
  for (std::string_view path : words.subspan(2)) {
    if (!match_file(words[1], path)) break;
  }
  return true;
}

}  // namespace copse
