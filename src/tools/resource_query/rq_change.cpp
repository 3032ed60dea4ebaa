// SPDX-License-Identifier: Apache-2.0
//
// The commands that take resources from a file: update, partial-cancel, attach; and remove.
#include <charconv>
#include <chrono>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "formats/jgf/jgf_set.hpp"
#include "formats/jgf/jgf_subtrees.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "tools/resource_query/rq_session.hpp"

namespace copse {

namespace {

// Digits with an optional sign; nothing else.
std::optional<std::int64_t> parse_number(std::string_view word) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace

// The pools that a file names: for update those that are exclusive.
Result<QuerySession::Wanted> QuerySession::read_wanted(std::string_view format,
                                                       std::string_view path) {
  const ResourceGraph& graph = engine_.graph();
  Wanted out;
  if (format == "rv1exec") {
    auto r = read_r(text_, path);
    if (!r) return std::unexpected(r.error());
    auto pools = pools_of_r(graph, *r);
    if (!pools) return std::unexpected(pools.error());
    return Wanted{std::move(*pools), true};
  }
  auto set = read_jgf_set(text_, path);
  if (!set) return std::unexpected(set.error());
  auto pools = exclusive_pools(graph, *set, format == "jgf_shorthand");
  if (!pools) return std::unexpected(pools.error());
  out.pools = std::move(pools->pools);
  out.rooted = pools->rooted;
  return out;
}

bool QuerySession::update(Words words) {
  if (words.size() != 7) return malformed();
  const std::string_view operation = words[1], format = words[2], path = words[3];
  if (operation != "allocate" && operation != "reserve") {
    streams_.message(fmt::format("ERROR: unknown subcmd {}", operation));
    return true;
  }
  if (format != "jgf" && format != "jgf_shorthand" && format != "rv1exec") {
    streams_.message(fmt::format("ERROR: unsupported reader {}", format));
    return true;
  }
  if (!read_file(path)) {
    streams_.message(fmt::format("ERROR: can't open {}", path));
    return true;
  }
  const auto job = parse_number(words[4]), start = parse_number(words[5]),
             duration_s = parse_number(words[6]);
  if (!job || *job < 0) {
    streams_.message(fmt::format("ERROR: invalid Jobid {}", words[4]));
    return true;
  }
  const auto id = static_cast<std::uint64_t>(*job);
  if (engine_.grant(id) != nullptr) {
    streams_.message("ERROR: existing Jobid ");
    return true;
  }
  if (!start || !duration_s || *start < 0 || *duration_s <= 0 ||
      *start >= engine_.options().horizon) {
    streams_.message(fmt::format("ERROR: invalid time ({}, {})", words[5], words[6]));
    return true;
  }
  const auto begin = std::chrono::steady_clock::now();
  auto wanted = read_wanted(format, path);
  auto matched = wanted ? engine_.update(id, wanted->pools, *start, *duration_s)
                        : Result<const Match*>(std::unexpected(wanted.error()));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  next_job_ = id;
  if (!matched) {
    report_failure(Operation::allocate, {ErrorCode::insufficient, {}, {}}, {elapsed.count(), 0});
    streams_.message("ERROR: traverser run () returned error ");
    streams_.message("ERROR: " + matched.error().message());
    return true;
  }
  const Match& match = **matched;
  // An R of another hierarchy of the same machine has no tree here to be shown as.
  if (wanted->rooted) write_resources(match, {});
  std::string& out = streams_.results();
  out += rule();
  append_grant(out, id, match.start > engine_.options().now ? "RESERVED" : "ALLOCATED",
               match.start);
  if (timing_) timing_lines(streams_.standard(), {elapsed.count(), 0});
  streams_.results() += rule();
  note_job(id, match, path, elapsed.count());
  count_on(id + 1);
  return true;
}

bool QuerySession::partial_cancel(Words words) {
  const bool stats = words.size() == 5 && words[4] == "stats";
  if (words.size() != 4 && !stats) return malformed();
  const std::string_view format = words[2], path = words[3];
  if (format != "jgf" && format != "rv1exec") {
    streams_.message(fmt::format("ERROR: unsupported reader {}", format));
    return true;
  }
  if (!read_file(path)) {
    streams_.message(fmt::format("ERROR: can't open {}", path));
    return true;
  }
  const auto job = parse_number(words[1]);
  const auto id = static_cast<std::uint64_t>(job.value_or(0));
  auto known = jobs_.find(id);
  if (!job || *job < 0 || known == jobs_.end() || engine_.grant(id) == nullptr) {
    streams_.message(fmt::format("ERROR: nonexistent job {}", words[1]));
    return true;
  }
  auto done = [&]() -> Result<bool> {
    if (format == "rv1exec") {
      auto r = read_r(text_, path);
      if (!r) return std::unexpected(r.error());
      auto pools = pools_of_ranks(engine_.graph(), r->ranks());
      return pools ? engine_.cancel_part(id, *pools) : Result<bool>(std::unexpected(pools.error()));
    }
    auto set = read_jgf_set(text_, path);
    if (!set) return std::unexpected(set.error());
    std::vector<PoolId> pools;
    for (const JgfNode& node : set->nodes) {
      if (node.drawn) continue;  // goes back with the pools that draw it
      auto pool = find_pool(engine_.graph(), node);
      if (!pool) return std::unexpected(pool.error());
      pools.push_back(*pool);
    }
    return engine_.cancel_part(id, pools);
  }();
  if (!done && done.error().code == ErrorCode::unsupported) {
    streams_.message("ERROR: " + done.error().text);
    return true;
  }
  if (!done) {
    streams_.message(fmt::format("ERROR: error encountered while removing job {}", id));
    streams_.standard() += "ERROR: " + done.error().message() + '\n';
    return true;
  }
  if (*done) known->second.state = Job::State::canceled;
  if (stats) {
    std::string& out = streams_.results();
    out += rule();
    out +=
        "INFO: PARTIAL CANCEL PREORDER COUNT=\"0\"\nINFO: PARTIAL CANCEL POSTORDER COUNT=\"0\"\n";
    out += rule();
  }
  return true;
}

bool QuerySession::attach(Words words) {
  if (words.size() != 2) return malformed();
  if (!read_file(words[1])) {
    streams_.message(fmt::format("ERROR: can't open {}", words[1]));
    return true;
  }
  auto set = read_jgf_set(text_, words[1]);
  auto subtrees = set ? subtrees_of(engine_.graph(), engine_.names(), *set)
                      : Result<std::vector<NewSubtree>>(std::unexpected(set.error()));
  auto done =
      subtrees ? engine_.attach(*subtrees) : Result<void>(std::unexpected(subtrees.error()));
  if (!done) {
    const char* kind = done.error().code == ErrorCode::exists ? "File exists" : "Invalid argument";
    streams_.message("ERROR: can't attach JGF subgraph ");
    streams_.message(fmt::format("ERROR: add_subgraph: ERROR: add subgraph error: {}", kind));
    streams_.message(
        fmt::format("add_subgraph: ERROR: reader returned error: {}\n", done.error().message()));
  }
  return true;
}

// Jobs whose last resources were removed are over.
void QuerySession::note_lost_jobs() {
  for (auto& [id, job] : jobs_) {
    if (job.state != Job::State::canceled && engine_.grant(id) == nullptr) {
      job.state = Job::State::canceled;
    }
  }
}

bool QuerySession::remove(Words words) {
  if (words.size() != 3) return malformed();
  const bool by_path = words[2] == "true";
  if (!by_path && words[2] != "false") {
    streams_.message("ERROR: invalid path boolean input ");
    return true;
  }
  std::vector<PoolId> tops;
  if (by_path) {
    tops = engine_.graph().at_path(words[1]);
    if (tops.empty()) {
      streams_.message("ERROR: can't remove subgraph ");
      streams_.message(fmt::format("ERROR: remove: no pool has the path {}", words[1]));
      return true;
    }
  } else {
    auto ranks = Idset::parse(words[1]);
    if (!ranks) {
      streams_.message("ERROR: failed to decode ranks.");
      return true;
    }
    auto pools = tops_of_ranks(engine_.graph(), *ranks);
    if (!pools) {
      streams_.message("ERROR: can't partial cancel subgraph ");
      streams_.message("ERROR: remove: " + pools.error().text);
      return true;
    }
    tops = std::move(*pools);
  }
  if (auto removed = engine_.remove(tops); !removed) {
    streams_.message("ERROR: can't remove subgraph ");
    streams_.message("ERROR: remove: " + removed.error().message());
    return true;
  }
  note_lost_jobs();
  return true;
}

}  // namespace copse
