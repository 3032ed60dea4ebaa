// SPDX-License-Identifier: Apache-2.0
#include "base/scan_text.hpp"
#include "tools/resource_query/rq_commands.hpp"

#include <fmt/format.h>

#include "base/idset.hpp"
#include "formats/allocation_file.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "host/stopwatch.hpp"

namespace copse::query {

void update(Context& context, Words words) {
  if (words.size() != 7) return context.malformed();
  const std::string_view operation = words[1], format = words[2], path = words[3];
  if (operation != "allocate" && operation != "reserve") {
    return context.error(fmt::format("unknown subcmd {}", operation));
  }
  if (format != "jgf" && format != "jgf_shorthand" && format != "rv1exec") {
    return context.error(fmt::format("unsupported reader {}", format));
  }
  const auto text = context.read(path);
  if (!text) return;
  Engine& engine = context.engine();
  const auto number = parse_number<std::int64_t>(words[4]),
             start = parse_number<std::int64_t>(words[5]),
             duration_s = parse_number<std::int64_t>(words[6]);
  if (!number || *number < 0) return context.error(fmt::format("invalid Jobid {}", words[4]));
  const auto job = static_cast<JobId>(*number);
  if (engine.grant(job) != nullptr) return context.error("existing Jobid ");
  if (!start || !duration_s || *start < 0 || *duration_s <= 0 ||
      *start >= engine.options().horizon) {
    return context.error(fmt::format("invalid time ({}, {})", words[5], words[6]));
  }
  const Stopwatch watch;
  const auto file = read_allocation(engine.graph(), *text, path, format);
  const auto matched = file ? engine.update(job, file->taken, *start, *duration_s)
                            : Result<const Match*>(std::unexpected(file.error()));
  const MatchTiming timing{.elapsed_s = watch.seconds()};
  if (!matched) {
    report_failure(context, Operation::allocate, job, ErrorCode::insufficient, timing);
    context.error("traverser run () returned error ");
    return context.error(matched.error().message());
  }
  const Match& match = **matched;
  // An R of another hierarchy of the same machine has no tree here, so it cannot be written.
  if (file->taken.rooted) context.resource.write(match, {}, context.streams.results());
  report_grant(context, job, match.start > engine.options().now ? "RESERVED" : "ALLOCATED",
               match.start, timing);
  context.add_job(job, match, path, timing.elapsed_s);
}

void cancel(Context& context, Words words) {
  const bool stats = words.size() == 3 && words[2] == "stats";
  if (words.size() != 2 && !stats) return context.malformed();
  auto refuse = [&](std::string_view why) {
    context.streams.message(fmt::format("cancel: ERROR: {}", why));
  };
  const JobId job = parse_job(words[1]);
  if (context.jobs.holding(job) == nullptr) return refuse(fmt::format("nonexistent job {}", job));
  const std::size_t visited = context.engine().grant(job)->selection.taken.size();
  if (auto done = context.engine().cancel(job); !done) return refuse(done.error().text);
  context.jobs.cancel(job);
  if (!stats) return;
  context.write_ruled(
      fmt::format("INFO: CANCEL PREORDER COUNT=\"{}\"\nINFO: CANCEL POSTORDER COUNT=\"{}\"\n",
                  visited, visited));
}

void partial_cancel(Context& context, Words words) {
  const bool stats = words.size() == 5 && words[4] == "stats";
  if (words.size() != 4 && !stats) return context.malformed();
  const std::string_view format = words[2], path = words[3];
  if (format != "jgf" && format != "rv1exec") {
    return context.error(fmt::format("unsupported reader {}", format));
  }
  const auto text = context.read(path);
  if (!text) return;
  const auto number = parse_number<std::int64_t>(words[1]);
  const auto job = static_cast<JobId>(number.value_or(0));
  if (!number || *number < 0 || context.jobs.holding(job) == nullptr) {
    return context.error(fmt::format("nonexistent job {}", words[1]));
  }
  const auto pools = read_given_back(context.resource.graph(), format, *text, path);
  const auto done = pools ? context.engine().cancel_part(job, *pools)
                          : Result<bool>(std::unexpected(pools.error()));
  if (!done && done.error().code == ErrorCode::unsupported) {
    return context.error(done.error().text);
  }
  if (!done) {
    context.error(fmt::format("error encountered while removing job {}", job));
    context.streams.standard() += "ERROR: " + done.error().message() + '\n';
    return;
  }
  if (*done) context.jobs.cancel(job);
  if (!stats) return;
  context.write_ruled(
      "INFO: PARTIAL CANCEL PREORDER COUNT=\"0\"\nINFO: PARTIAL CANCEL POSTORDER COUNT=\"0\"\n");
}

void attach(Context& context, Words words) {
  if (words.size() != 2) return context.malformed();
  const auto text = context.read(words[1]);
  if (!text) return;
  const auto done = context.resource.add_subgraph(*text, words[1]);
  if (done) return;
  const char* kind = done.error().code == ErrorCode::exists ? "File exists" : "Invalid argument";
  context.error("can't attach JGF subgraph ");
  context.error(fmt::format("add_subgraph: ERROR: add subgraph error: {}", kind));
  context.streams.message(
      fmt::format("add_subgraph: ERROR: reader returned error: {}\n", done.error().message()));
}

void remove(Context& context, Words words) {
  if (words.size() != 3) return context.malformed();
  const bool by_path = words[2] == "true";
  if (!by_path && words[2] != "false") return context.error("invalid path boolean input ");
  auto refuse = [&](const char* what, std::string_view why) {
    context.error(what);
    context.error(fmt::format("remove: {}", why));
  };
  const ResourceGraph& graph = context.resource.graph();
  std::vector<PoolId> tops;
  if (by_path) {
    tops = graph.at_path(words[1]);
    if (tops.empty()) {
      return refuse("can't remove subgraph ", fmt::format("no pool has the path {}", words[1]));
    }
  } else {
    auto ranks = Idset::parse(words[1]);
    if (!ranks) return context.error("failed to decode ranks.");
    auto pools = tops_of_ranks(graph, *ranks);
    if (!pools) return refuse("can't partial cancel subgraph ", pools.error().text);
    tops = std::move(*pools);
  }
  if (auto removed = context.resource.remove(tops); !removed) {
    return refuse("can't remove subgraph ", removed.error().message());
  }
  context.jobs.cancel_lost(context.engine());
}

}  // namespace copse::query
