// SPDX-License-Identifier: Apache-2.0
//
// A session of resource-query: its commands, and the list of jobs that it remembers (the engine
// knows only those that hold something).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "formats/formats.hpp"
#include "tools/resource_query/rq_streams.hpp"

namespace copse {

class QuerySession {
 public:
  using Words = std::span<const std::string_view>;  // of a command line, the command first

  QuerySession(Engine& engine, Format format, bool timing, QueryStreams& streams);

  // Runs one line. Unknown commands and empty lines do nothing (scripts have comments that way).
  // False after `quit`.
  bool run(std::string_view line);

  // What `help` and the manual page list.
  struct Command {
    const char *name, *abbreviation, *note;
    bool (QuerySession::*run)(Words);
  };
  [[nodiscard]] static std::span<const Command> commands();

 private:
  struct Job {
    enum class State : std::uint8_t { allocated, reserved, canceled } state;
    std::int64_t start;
    std::string file;
    double elapsed_s;
  };
  struct Timing {
    double elapsed_s;
    std::uint64_t visits;
  };

  bool match(Words words);
  bool multi_match(Words words);
  bool explain(Words words);
  bool update(Words words);
  bool attach(Words words);
  bool remove(Words words);
  bool find(Words words);
  bool cancel(Words words);
  bool partial_cancel(Words words);
  bool set_property(Words words);
  bool get_property(Words words);
  bool set_status(Words words);
  bool get_status(Words words);
  bool list(Words words);
  bool info(Words words);
  bool stat(Words words);
  bool cat(Words words);
  bool help(Words words);
  bool quit(Words words);

  bool malformed();
  // --- rq_change.cpp
  struct Wanted {  // pools, and whether they are of this hierarchy
    std::vector<PoolId> pools;
    bool rooted = false;
  };
  [[nodiscard]] Result<Wanted> read_wanted(std::string_view format, std::string_view path);
  void note_lost_jobs();
  bool match_file(std::string_view operation, std::string_view path);
  bool report_match(Operation operation, const MatchResult& matched, std::string_view path,
                    const Timing& timing, std::string_view queue);
  void report_failure(Operation operation, const Error& error, const Timing& timing);
  void report_remarks(const std::vector<std::string>& remarks);
  void timing_lines(std::string& out, const Timing& timing) const;
  void write_resources(const Match& match, std::string_view queue);
  void append_grant(std::string& out, std::uint64_t job, std::string_view what,
                    std::int64_t start) const;
  void count_on(std::uint64_t job);
  void note_job(std::uint64_t id, const Match& match, std::string_view path, double elapsed_s);
  [[nodiscard]] std::string_view rule() const;
  bool read_file(std::string_view path);  // into text_
  void job_line(std::uint64_t id, const Job& job);
  [[nodiscard]] std::vector<PoolId> pools_at(std::string_view path, const char* unknown);

  Engine& engine_;
  Writer writer_;
  bool timing_;
  QueryStreams& streams_;
  std::uint64_t next_job_ = 1;
  std::map<std::uint64_t, Job> jobs_;
  std::uint64_t matched_ = 0;
  double shortest_s_ = 0, longest_s_ = 0, total_s_ = 0;
  std::string text_, path_;  // scratch: a file and its name
  std::vector<Emitted> emitted_;
  std::vector<std::string_view> words_;
};

}  // namespace copse
