// SPDX-License-Identifier: Apache-2.0
//
// What the commands of resource-query work on, and what several of them do.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "formats/formats.hpp"
#include "tools/resource_query/rq_jobs.hpp"
#include "tools/resource_query/rq_streams.hpp"

namespace copse::query {

using Words = std::span<const std::string_view>;  // of a command line, the command first

inline constexpr std::string_view kRule = "INFO: =============================\n";

struct Context {
  Engine& engine;
  QueryStreams& streams;
  Writer writer;
  bool timing;
  Jobs jobs{engine};
  std::vector<ExpandedPool> expanded{};  // scratch

  // Each ends the command that returns it.
  void error(std::string_view text) { streams.message("ERROR: " + std::string(text)); }
  void malformed() { error("malformed command"); }

  // The text of a regular file of at most 64 MiB; nothing, and a message, if there is none.
  [[nodiscard]] std::optional<std::string> read(std::string_view path);
  // The text between two rules, among the results.
  void write_ruled(std::string_view text);
  void write_resources(const Match& match, std::string_view queue);
};

}  // namespace copse::query
