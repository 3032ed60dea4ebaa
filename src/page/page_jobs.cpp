// SPDX-License-Identifier: Apache-2.0
#include "page/page_jobs.hpp"

#include <ranges>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "copse/engine.hpp"
#include "page/exact.hpp"

namespace copse::page {

namespace {

const char* ending_word(RunEnd ending) {
  switch (ending) {
    case RunEnd::open: return "open";
    case RunEnd::done: return "done";
    case RunEnd::limit: return "limit";
    case RunEnd::cancelled: return "cancelled";
    case RunEnd::failed: return "failed";
    case RunEnd::requeued: break;
  }
  return "requeued";
}
constexpr int kRunEnds = 6;

}  // namespace

std::uint32_t WordTable::number(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(words_.size());
  numbers_.emplace(text, number);
  words_.emplace_back(text);
  return number;
}

void add_draws(PageJobs& to, std::uint32_t run, std::span<const LayerCharge> charges) {
  for (const LayerCharge& charge : charges) {
    if (to.draws.size() == kPageDrawsMax) return;
    to.draws.push_back({run, charge.layer, charge.amount});
  }
}

Result<void> PlacementFinder::add(PageJobs& to, PageRun run, const Grant& grant) {
  const Selection& selection = grant.selection;
  const NodeUse use = rows_.taken(selection, runs_);
  if (to.places.size() + runs_.size() > kPagePlacementsMax) {
    return fail(ErrorCode::limit,
                fmt::format("the jobs are on more than {} runs of nodes, which is the most that "
                            "the page shows; show fewer jobs, or draw them with --gantt",
                            kPagePlacementsMax));
  }
  run.nodes = use.nodes;
  run.cores = use.cores;
  const auto number = static_cast<std::uint32_t>(to.runs.size());
  to.runs.push_back(run);
  add_draws(to, number, grant.charges.layers);
  std::size_t entry = 0;
  for (const NodeRange& place : runs_) {
    to.places.push_back({number, place.first, place.count, place.share});
    if (place.share == NodeRange::kWhole) continue;
    for (std::uint32_t n = 0; n < place.count; ++n) {
      add_part(to, number, place.first + n, selection, entry);
    }
  }
  return {};
}

// Entries and rows ascend alike, so `entry` only advances.
void PlacementFinder::add_part(PageJobs& to, std::uint32_t run, std::uint32_t row,
                               const Selection& selection, std::size_t& entry) {
  const PoolId node = rows_.pool(row);
  const std::vector<SelectedPools>& taken = selection.taken;
  while (entry < taken.size() && !graph_.below(taken[entry].first, node)) ++entry;
  Idset positions;
  std::uint32_t covered = 0;
  for (; entry < taken.size() && graph_.below(taken[entry].first, node); ++entry) {
    const SelectedPools& t = taken[entry];
    if (t.hidden || (!t.exclusive && !t.whole) || t.first.v <= node.v || t.first.v < covered) {
      continue;
    }
    covered = graph_.leaf(t.first) ? t.first.v + t.count : graph_.end(t.first).v;
    positions.add_range(t.first.v - node.v - 1, covered - node.v - 2);
  }
  to.parts.push_back({run, row, to.words.number(positions.text())});
}

Result<void> add_grants(PageJobs& to, const Engine& engine, const NodeRows& rows) {
  PlacementFinder finder(engine.graph(), rows);
  for (const JobId id : engine.jobs()) {
    const Grant* const grant = engine.grant(id);
    if (to.jobs.size() == kPageJobsMax) {
      return fail(ErrorCode::limit,
                  fmt::format("the page shows at most {} jobs, and there are more", kPageJobsMax));
    }
    const bool ends = grant->end < kTimeMax_s;
    PageJob job{.id = std::to_string(id)};
    job.submit_s = grant->start;
    job.limit_s = ends ? grant->end - grant->start : 0;
    to.jobs.push_back(job);
    PageRun run{.job = static_cast<std::uint32_t>(to.jobs.size() - 1)};
    run.start_s = grant->start;
    if (ends) run.end_s = grant->end;
    if (auto ok = finder.add(to, run, *grant); !ok) return ok;
  }
  return {};
}

void append_jobs_document(std::string& out, const PageJobs& all) {
  // About as long as it becomes: a text that grows is copied.
  out.reserve(out.size() + 80 * all.jobs.size() + 40 * all.runs.size() + 20 * all.places.size());
  JsonWriter json(out);
  const auto column = [&](const char* name, const auto& rows, auto value) {
    json.array(name, rows, [&](const auto& row) { append_exact(json, value(row)); });
  };
  json.object([&] {
    json.member("format", 1);
    json.array("words", all.words.words(), [&](const std::string& word) { json.value(word); });
    json.array("endings", std::views::iota(0, kRunEnds),
               [&](int i) { json.value(ending_word(static_cast<RunEnd>(i))); });
    json.object("jobs", [&] {
      json.array("id", all.jobs, [&](const PageJob& job) { json.value(job.id); });
      json.array("name", all.jobs, [&](const PageJob& job) { json.value(job.name); });
      column("user", all.jobs, [](const PageJob& job) { return job.user; });
      column("queue", all.jobs, [](const PageJob& job) { return job.queue; });
      column("request", all.jobs, [](const PageJob& job) { return job.request; });
      column("submit", all.jobs, [](const PageJob& job) { return job.submit_s; });
      column("limit", all.jobs, [](const PageJob& job) { return job.limit_s; });
      column("priority", all.jobs, [](const PageJob& job) { return job.priority; });
      column("promised", all.jobs, [](const PageJob& job) { return job.promised_s; });
      column("never", all.jobs, [](const PageJob& job) { return static_cast<int>(job.never); });
      column("left", all.jobs, [](const PageJob& job) { return job.left_s; });
      column("remark", all.jobs, [](const PageJob& job) { return job.remark; });
    });
    json.object("runs", [&] {
      column("job", all.runs, [](const PageRun& run) { return run.job; });
      column("start", all.runs, [](const PageRun& run) { return run.start_s; });
      column("end", all.runs, [](const PageRun& run) { return run.end_s; });
      column("ending", all.runs, [](const PageRun& run) { return static_cast<int>(run.ending); });
      column("nodes", all.runs, [](const PageRun& run) { return run.nodes; });
      column("cores", all.runs, [](const PageRun& run) { return run.cores; });
    });
    json.object("places", [&] {
      column("run", all.places, [](const PagePlacement& place) { return place.run; });
      column("first", all.places, [](const PagePlacement& place) { return place.first; });
      column("count", all.places, [](const PagePlacement& place) { return place.count; });
      column("share", all.places, [](const PagePlacement& place) { return place.share; });
    });
    json.object("parts", [&] {
      column("run", all.parts, [](const PagePart& part) { return part.run; });
      column("node", all.parts, [](const PagePart& part) { return part.node; });
      column("pools", all.parts, [](const PagePart& part) { return part.pools; });
    });
    json.object("draws", [&] {
      column("run", all.draws, [](const PageDraw& draw) { return draw.run; });
      column("layer", all.draws, [](const PageDraw& draw) { return draw.layer; });
      column("amount", all.draws, [](const PageDraw& draw) { return draw.amount; });
    });
  });
}

}  // namespace copse::page
