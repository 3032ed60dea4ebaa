// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/plan/plan_input.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/nearest_word.hpp"
#include "files/read_file.hpp"
#include "graph/node_names.hpp"
#include "host/job_list.hpp"
#include "host/job_stream.hpp"
#include "host/output.hpp"
#include "host/queue_choice.hpp"
#include "plan/streams/job_reader.hpp"
#include "queue/config/queue_order.hpp"
#include "request/hres.hpp"
#include "request/request_checks.hpp"
#include "text/counted.hpp"
#include "tools/copse/plan/reservation_file.hpp"

namespace copse {

namespace {

// The lines of --events, then those of --what-if, where they are given. Errors: io; invalid (a file has
// no line).
Result<std::vector<MoreLines>> read_more_lines(const PlanOptions& o, const std::string& what_if) {
  std::vector<MoreLines> out;
  for (const auto& [path, jobs] : {std::pair{o.events, false}, {what_if, true}}) {
    if (path.empty()) continue;
    auto text = read_input(path);
    if (!text) return std::unexpected(text.error());
    if (text->find_first_not_of(" \t\r\n") == std::string::npos) {
      return fail(ErrorCode::invalid, "it has no lines", {input_name(path), 0, 0});
    }
    out.push_back({input_name(path), std::move(*text), jobs});
  }
  return out;
}

// The names of hierarchical resources, each once.
std::vector<std::string> resources_of(const Engine& engine) {
  std::vector<std::string> out;
  for (const LayerView& layer : engine.layers(engine.now())) {
    if (out.empty() || out.back() != layer.resource) out.push_back(layer.resource);
  }
  return out;
}

std::int64_t units_of(const ResourceGraph& graph, std::string_view type) {
  const TypeId of = graph.find_type(type);
  std::int64_t out = 0;
  if (of == kNoType) return out;
  for (const PoolId p : graph.of_type(of)) {
    if (graph.in_tree(p)) out += graph.size(p);
  }
  return out;
}

bool has_memory_in_mb(const ResourceGraph& graph) {
  const TypeId memory = graph.find_type("memory");
  return memory != kNoType && graph.divisible(memory) &&
         std::ranges::any_of(graph.of_type(memory),
                             [&](PoolId p) { return graph.unit_text(p) == "MB"; });
}

Result<plan::Jobs> read_one_stream(const PlanOptions& o, const Engine& engine,
                                   const queue::JobDefaults& defaults,
                                   const std::vector<MoreLines>& more,
                                   const plan::ReadOptions& how) {
  auto text = read_input(o.jobs);
  if (!text) return std::unexpected(text.error());
  const bool of_lines =
      o.from.empty() && plan::looks_like_job_lines(*text) && !is_job_list(text_format(*text));
  if (of_lines && (o.processors_per_node > 0 || !o.trace_fields.empty())) {
    warn(o.setup,
         fmt::format("{} is not a trace: {} has no effect", input_name(o.jobs),
                     o.processors_per_node > 0 ? "--processors-per-node" : "--trace-fields"));
  }
  return read_job_stream(
      std::move(*text), input_name(o.jobs), engine.graph(), more,
      {.from = o.from,
       .lines = how,
       .cluster = {.several_slots = engine.options().traverser != Traverser::simple,
                   .resources = resources_of(engine),
                   .reservations = !o.reservations.empty(),
                   .running = !o.setup.running.empty(),
                   .queues = !o.queues.empty(),
                   .defaults = defaults}});
}

Result<plan::Jobs> read_stream_of_jobs(const PlanOptions& o, const Engine& engine,
                                       const NodeRows& rows, const queue::JobDefaults& defaults,
                                       const std::string& what_if) {
  const std::int64_t clock_end_s = engine.options().horizon;
  const auto more = read_more_lines(o, what_if);
  if (!more) return std::unexpected(more.error());
  const plan::ReadOptions how{
      .processors_per_node = o.processors_per_node,
      .trace_user = o.uses("user"),
      .trace_queue = o.uses("queue"),
      .trace_partition = o.uses("partition"),
      .trace_memory = o.uses("memory"),
      .trace_think_time = o.uses("think-time"),
      .memory_in_mb = has_memory_in_mb(engine.graph()),
      .machine_nodes = rows.are_nodes() ? rows.count() : 0,
      .machine_cores = units_of(engine.graph(), "core"),
      .clock_end_s = clock_end_s,
      .read_file = read_file,
      .find_node = node_finder(rows),
      .no_node = [&engine](std::string_view name) { return no_such_node(engine.graph(), name); }};
  if (o.workload.jobs == 0) return read_one_stream(o, engine, defaults, *more, how);
  plan::Workload workload = o.workload;
  for (auto queue = workload.queues.begin(); queue != workload.queues.end(); ++queue) {
    if (std::find(workload.queues.begin(), queue, *queue) == queue) continue;
    return fail(ErrorCode::invalid,
                fmt::format("--generated-queues: the queue {} is named twice", shown_word(*queue)));
  }
  workload.nodes = rows.are_nodes() ? rows.count() : 0;
  workload.clock_end_s = clock_end_s;
  auto jobs = plan::generate(workload);
  if (!jobs) return in_file(jobs.error(), "--generate");
  if (auto ok = add_events(*jobs, *more, how); !ok) return std::unexpected(ok.error());
  return jobs;
}

// The request of --hres-request, for all jobs. An unknown resource is one error here, not one per job.
Result<HresRequest> read_hres_request(const PlanOptions& o, const Engine& engine) {
  if (o.hres.empty()) return HresRequest{};
  const SourceLocation place{"--hres-request", 1, 1};
  auto request = parse_hres_request(o.hres, place);
  if (!request) return request;
  const std::vector<std::string> resources = resources_of(engine);
  const std::vector<std::string_view> known(resources.begin(), resources.end());
  for (const HresItem& item : request->items) {
    if (std::ranges::find(known, item.name) != known.end()) continue;
    return fail(ErrorCode::invalid,
                known.empty() ? "no hierarchical resources are loaded (--hres)"
                              : unknown_word("resource", item.name, known),
                place);
  }
  return request;
}

constexpr const char* kNoZero =
    "the stream has no date for its time 0: give one with --now, such as --now 2026-11-23T08:00";

// The real time at time 0 of the stream.
std::optional<std::int64_t> zero_of(const PlanOptions& o, const plan::Jobs& jobs) {
  const bool placed = o.setup.now_s && *o.setup.now_s >= kRealTime_s;
  return placed ? o.setup.now_s : jobs.zero_s;
}

// Each reservation that a job names must exist.
Result<void> check_names(const plan::Jobs& jobs, const PlanOptions& o) {
  std::vector<std::string_view> known;
  for (const auto* specs : {&jobs.reservations, &jobs.later_reservations}) {
    for (const queue::ReservationSpec& spec : *specs) known.emplace_back(spec.name);
  }
  for (const plan::Job& job : jobs.jobs) {
    const std::string& name = jobs.words[job.reservation];
    if (job.reservation == 0 || std::ranges::find(known, name) != known.end()) continue;
    return fail(ErrorCode::invalid,
                fmt::format("job \"{}\": {}", job.name,
                            known.empty() ? "there are no reservations (--reservations)"
                                          : unknown_word("reservation", name, known)),
                {input_name(o.jobs)});
  }
  return {};
}

// The offered load of a generated stream. The daily cycle moves the last jobs of a short stream.
double load_of(const plan::Jobs& jobs, std::uint32_t nodes) {
  double work = 0;
  for (const plan::Job& job : jobs.jobs) {
    const std::int64_t taken = jobs.requests[job.request].resources.front().count.min;
    work += static_cast<double>(taken) * static_cast<double>(job.run_s);
  }
  const std::int64_t last_s = jobs.jobs.empty() ? 0 : jobs.jobs.back().submit_s;
  return work / nodes / static_cast<double>(std::max<std::int64_t>(last_s, 1));
}

}  // namespace

Result<plan::Jobs> read_plan_input(const PlanOptions& o, const Engine& engine, const NodeRows& rows,
                                   const queue::JobDefaults& defaults, const std::string& more) {
  const auto request = read_hres_request(o, engine);
  if (!request) return std::unexpected(request.error());
  const HresRequest& hres = *request;
  auto jobs = read_stream_of_jobs(o, engine, rows, defaults, more);
  if (!jobs) return jobs;
  if (!hres.empty()) jobs->requests.also_all(hres);
  if (!o.reservations.empty()) {
    auto reservations = read_reservation_file(o.reservations, engine, rows,
                                              {.zero_s = zero_of(o, *jobs), .no_dates = kNoZero},
                                              &jobs->reservation_places);
    if (!reservations) return std::unexpected(reservations.error());
    jobs->reservations = std::move(*reservations);
  }
  if (auto ok = check_names(*jobs, o); !ok) return std::unexpected(ok.error());
  for (std::uint32_t r = 0; r < jobs->requests.size(); ++r) {
    const auto wrong = fit_units(engine.graph(), jobs->requests[r]);
    if (!wrong) continue;
    const bool own_file = !wrong->place.file.empty();
    return fail(wrong->code, wrong->text,
                own_file ? wrong->place : SourceLocation{input_name(o.jobs)});
  }
  return jobs;
}

Result<std::int64_t> time_of_stream(const PlanOptions& o, const plan::Jobs& jobs,
                                    const char* option, std::int64_t time_s) {
  if (time_s < kRealTime_s) return time_s;
  const auto zero_s = zero_of(o, jobs);
  if (!zero_s) {
    // Its own times may be of a real clock.
    const bool real = std::ranges::any_of(
        jobs.jobs, [](const plan::Job& job) { return job.submit_s >= kRealTime_s; });
    if (real) return time_s;
    return fail(ErrorCode::invalid,
                fmt::format("{}: {} is a date, and {}", option, readable_time(time_s), kNoZero));
  }
  if (time_s >= *zero_s) return time_s - *zero_s;
  return fail(ErrorCode::invalid,
              fmt::format("{}: {} is before time 0 of the stream, which is {}", option,
                          readable_time(time_s), readable_time(*zero_s)));
}

Result<queue::QueueConfig> queues_of_plan(const PlanOptions& o) {
  auto out = chosen_queues({.file = o.queues, .discipline = o.discipline, .priority = o.priority});
  for (std::size_t i = 0; out && i < out->of_the_machine.size(); ++i) {
    warn(o.setup, fmt::format("{}: {} is ignored: plan takes options, such as -P, -T and --hres",
                              input_name(o.queues), out->of_the_machine[i]));
  }
  return out;
}

Result<void> write_plan_jobs(const PlanOptions& o, const plan::Jobs& jobs, std::uint32_t nodes) {
  if (o.write_jobs.empty()) return {};
  std::string text;
  const std::string note = fmt::format(
      "model of Lublin and Feitelson (2003): {} for {}, offered load {}, seed {}",
      counted(o.workload.jobs, "job"), counted(nodes, "node"), o.workload.load, o.workload.seed);
  plan::append_swf(text, jobs, {&note, 1});
  return write_out(o.write_jobs, text);
}

void warn_of_plan_input(const PlanOptions& o, const plan::Jobs& jobs, const NodeRows& rows,
                        const queue::QueueConfig& queues, const ResourceGraph& graph) {
  if (const auto by_names = queue::order_by_names(queues, graph)) {
    warn(o.setup, fmt::format("{}: {}", input_name(o.queues), *by_names));
  }
  for (const std::string& remark : jobs.remarks) {
    warn(o.setup, fmt::format("{}: {}", input_name(o.jobs), remark));
  }
  if (jobs.jobs.empty()) warn(o.setup, "no job to run in " + input_name(o.jobs));
  if (o.workload.jobs > 0 && !jobs.jobs.empty()) {
    const double offered = load_of(jobs, rows.count()), wanted = o.workload.load;
    if (std::abs(offered - wanted) > 0.05 * wanted) {
      warn(o.setup,
           fmt::format("--offered-load: {} a load of {:.2f}, not {}: generate more jobs, over many "
                       "days, or choose another load",
                       counted(jobs.jobs.size(), "job offers", "jobs offer"), offered, wanted));
    }
  }
  if (o.processors_per_node == 0 || !rows.are_nodes()) return;
  const auto few = rows.with_fewer_cores(o.processors_per_node);
  if (few == 0) return;
  warn(o.setup, fmt::format("{} of {} nodes have fewer than {} cores: jobs of this trace may get "
                            "fewer than they request",
                            few, rows.count(), o.processors_per_node));
}

void warn_of_clock_end(const PlanOptions& o, const plan::Summary& summary, const Engine& engine,
                       const std::string& discipline) {
  if (summary.cut == 0) return;
  warn(o.setup, fmt::format("{}{} ended by the end of the clock, at {} s, and counted as killed",
                            discipline.empty() ? "" : discipline + ": ",
                            counted(summary.cut, "job is", "jobs are"), engine.options().horizon));
}

// "3 jobs: 2 without a limit, 1 with features that are not read"; of one reason "2 jobs without a limit".
void write_skipped(const plan::Jobs& jobs) {
  if (jobs.skipped.empty()) return;
  const std::string all = counted(jobs.skipped.count(), jobs.skipped.what());
  const auto& reasons = jobs.skipped.reasons();
  std::string text = all + (reasons.size() == 1 ? " " + std::string(reasons.front().why) : ":");
  for (std::size_t i = 0; i < reasons.size() && reasons.size() > 1; ++i) {
    text += fmt::format("{} {} {}", i == 0 ? "" : ",", reasons[i].count, reasons[i].why);
  }
  write_error(fmt::format("skipped           {}\n", text));
}

}  // namespace copse
