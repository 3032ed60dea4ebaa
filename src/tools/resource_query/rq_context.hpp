// SPDX-License-Identifier: Apache-2.0
//
// The state of a resource-query session, and what several of its commands share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fluxion/job_table.hpp"
#include "fluxion/match_statistics.hpp"
#include "fluxion/resource.hpp"
#include "tools/resource_query/rq_streams.hpp"

namespace copse::query {

using Words = std::span<const std::string_view>;  // of a command line, the command first

inline constexpr std::string_view kRule = "INFO: =============================\n";

// Digits, else 0, as the reference reads job ids.
[[nodiscard]] JobId parse_job(std::string_view word);

struct Context {
  fluxion::Resource resource;
  QueryStreams& streams;
  bool timing;
  fluxion::JobTable jobs{};
  fluxion::MatchStatistics statistics{};
  JobId next_job = 1;

  [[nodiscard]] Engine& engine() { return resource.engine(); }

  // Each of these two ends the command that returns it.
  void error(std::string_view text) { streams.message("ERROR: " + std::string(text)); }
  void malformed() { error("malformed command"); }

  // The text of a regular file of at most 64 MiB. Writes a message if there is none.
  [[nodiscard]] std::optional<std::string> read(std::string_view path);
  // Writes a text between two rules to the results.
  void write_ruled(std::string_view text);
  // Sets next_job to the first number from `job` on that no job has.
  void count_on(JobId job);
  // Records a job that was matched; `path` is that of its jobspec.
  void add_job(JobId job, const Match& match, std::string_view path, double elapsed_s);
};

}  // namespace copse::query
