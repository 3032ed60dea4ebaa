// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/plan/plan_input.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "formats/flux/flux_jobs.hpp"
#include "formats/slurm/slurm_accounting.hpp"
#include "formats/slurm/slurm_machine.hpp"
#include "plan/streams/cluster_stream.hpp"
#include "plan/streams/job_reader.hpp"
#include "plan/streams/reservation_lines.hpp"
#include "request/hres.hpp"
#include "tools/cluster_list.hpp"
#include "tools/output.hpp"
#include "tools/plugins.hpp"
#include "tools/read_file.hpp"
#include "tools/real_clock.hpp"

namespace copse {

namespace {

// Hardware threads of a core, where a machine says so.
std::int64_t threads_of(const ResourceGraph& graph) {
  const auto* tags = graph.tags(graph.root());
  if (tags == nullptr) return 1;
  const auto tag = tags->find(std::string(kThreadsTag));
  std::int64_t threads = 1;
  if (tag != tags->end()) {
    std::from_chars(tag->second.data(), tag->second.data() + tag->second.size(), threads);
  }
  return std::max<std::int64_t>(threads, 1);
}

// Finds nodes by their names, which are looked at when the first one is asked for.
std::function<std::optional<PoolId>(std::string_view)> node_finder(const plan::Lanes& lanes) {
  return [&lanes, nodes = std::unordered_map<std::string_view, PoolId>()](
             std::string_view name) mutable -> std::optional<PoolId> {
    const std::uint32_t unknown = nodes.empty() ? lanes.count() : 0;
    for (std::uint32_t lane = 0; lane < unknown; ++lane) {
      nodes.emplace(lanes.name(lane), lanes.pool(lane));
    }
    const auto at = nodes.find(name);
    return at == nodes.end() ? std::nullopt : std::optional(at->second);
  };
}

// Those that wait now; or, if none waits or runs, or it is asked for, all that there were.
Result<plan::Jobs> read_cluster_stream(const PlanOptions& o, std::string_view text,
                                       const ResourceGraph& graph,
                                       const plan::ClusterStreamOptions& how) {
  const std::string file = input_name(o.jobs);
  if (o.from.empty()) {
    const auto list = read_cluster_list(text, file);
    if (!list) return std::unexpected(list.error());
    if (!list->jobs.empty() || text.contains("\"job_id\"")) {
      return plan::waiting_jobs(*list, graph, how);
    }
  }
  const auto past = read_flux_history(text, file);
  if (!past) return std::unexpected(past.error());
  return plan::past_jobs(*past, graph, how);
}

Result<plan::Jobs> read_stream_of_jobs(const PlanOptions& o, const ResourceGraph& graph,
                                       const plan::Lanes& lanes, std::int64_t clock_end_s,
                                       const std::string& more) {
  if (o.workload.jobs > 0) {
    plan::Workload workload = o.workload;
    workload.nodes = lanes.are_nodes() ? lanes.count() : 0;
    workload.clock_end_s = clock_end_s;
    auto jobs = plan::generate(workload);
    return jobs ? std::move(jobs) : in_file(jobs.error(), "--generate");
  }
  auto text = read_input(o.jobs);
  if (!text) return std::unexpected(text.error());
  const std::string file = input_name(o.jobs);
  const bool of_lines =
      o.from.empty() && !looks_like_slurm_accounting(*text) && !looks_like_cluster_list(*text);
  if (!more.empty() && !of_lines) {
    return fail(ErrorCode::invalid,
                "--what-if adds lines to a stream of JSON lines, which this is not", {file, 0, 0});
  }
  const plan::ClusterStreamOptions cluster{.threads = threads_of(graph),
                                           .clock_end_s = clock_end_s};
  if (o.from == "sacct" || (o.from.empty() && looks_like_slurm_accounting(*text))) {
    const auto list = read_slurm_accounting(*text, file);
    if (!list) return std::unexpected(list.error());
    return plan::past_jobs(*list, graph, cluster);
  }
  if (o.from == "flux" || (o.from.empty() && looks_like_cluster_list(*text))) {
    return read_cluster_stream(o, *text, graph, cluster);
  }
  const plan::ReadOptions how{.processors_per_node = o.processors_per_node,
                              .trace_user = o.uses("user"),
                              .trace_queue = o.uses("queue"),
                              .trace_partition = o.uses("partition"),
                              .clock_end_s = clock_end_s,
                              .read_file = read_file,
                              .find_node = node_finder(lanes)};
  if (o.from == "swf") return plan::read_swf(*text, file, how);
  if (plan::looks_like_job_lines(*text) && (o.processors_per_node > 0 || !o.trace_fields.empty())) {
    warn(o.setup,
         fmt::format("{} is no trace: {} is of no use", input_name(o.jobs),
                     o.processors_per_node > 0 ? "--processors-per-node" : "--trace-fields"));
  }
  const auto own_lines = static_cast<std::uint32_t>(std::ranges::count(*text, '\n') + 1);
  if (!more.empty()) {
    const auto further = read_input(more);
    if (!further) return std::unexpected(further.error());
    if (further->find_first_not_of(" \t\r\n") == std::string::npos) {
      return fail(ErrorCode::invalid, "there is no line in it", {input_name(more), 0, 0});
    }
    *text += '\n';
    *text += *further;
  }
  auto jobs = plan::read_jobs(*text, file, how);
  if (!jobs && jobs.error().place.line > own_lines) {
    Error error = jobs.error();
    error.place.file = input_name(more);
    error.place.line -= own_lines;
    return std::unexpected(std::move(error));
  }
  return jobs;
}

// What all jobs ask for. A resource that is not there is said here, not by each of them.
Result<HresRequest> read_hres_request(const PlanOptions& o, const Engine& engine) {
  if (o.hres.empty()) return HresRequest{};
  const Place place{"--hres-request", 1, 1};
  auto asked = parse_hres_request(o.hres, place);
  if (!asked) return asked;
  const std::vector<LayerView> layers = engine.layers(engine.now());
  std::vector<std::string_view> known;
  for (const LayerView& layer : layers) {
    if (known.empty() || known.back() != layer.resource) known.emplace_back(layer.resource);
  }
  for (const HresItem& item : asked->items) {
    if (std::ranges::find(known, item.name) != known.end()) continue;
    return fail(ErrorCode::invalid,
                known.empty() ? "no hierarchical resources are loaded (--hres)"
                              : unknown_word("resource", item.name, known),
                place);
  }
  return asked;
}

Result<std::vector<queue::ReservationSpec>> read_reservation_file(const PlanOptions& o,
                                                                  const plan::Lanes& lanes,
                                                                  std::int64_t clock_end_s) {
  if (o.reservations.empty()) return std::vector<queue::ReservationSpec>();
  auto text = read_input(o.reservations);
  if (!text) return std::unexpected(text.error());
  const auto find = node_finder(lanes);
  return plan::read_reservations(
      *text, input_name(o.reservations),
      {.local_time = utc_of_local_time,
       .clock_end_s = clock_end_s,
       .has_node = [&](std::string_view name) { return find(name).has_value(); }});
}

// A job names one that is there.
Result<void> check_names(const plan::Jobs& jobs, const PlanOptions& o) {
  std::vector<std::string_view> known;
  known.reserve(jobs.reservations.size());
  for (const queue::ReservationSpec& spec : jobs.reservations) known.emplace_back(spec.name);
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

}  // namespace

Result<plan::Jobs> read_plan_input(const PlanOptions& o, const Engine& engine,
                                   const plan::Lanes& lanes, const std::string& more) {
  const auto asked = read_hres_request(o, engine);
  if (!asked) return std::unexpected(asked.error());
  const HresRequest& hres = *asked;
  auto jobs = read_stream_of_jobs(o, engine.graph(), lanes, engine.options().horizon, more);
  if (!jobs) return jobs;
  if (!hres.empty()) jobs->requests.also_all(hres);
  auto reservations = read_reservation_file(o, lanes, engine.options().horizon);
  if (!reservations) return std::unexpected(reservations.error());
  jobs->reservations = std::move(*reservations);
  if (auto ok = check_names(*jobs, o); !ok) return std::unexpected(ok.error());
  return jobs;
}

Result<queue::QueueConfig> queues_of_plan(const PlanOptions& o) {
  if (!o.queues.empty()) {
    const auto text = read_input(o.queues);
    if (!text) return std::unexpected(text.error());
    auto config = queue::read_queue_config(*text, input_name(o.queues));
    if (!config || config->stated) return config;
    return fail(ErrorCode::invalid, "there is neither a table queues nor sched-copse in it",
                {input_name(o.queues), 0, 0});
  }
  auto discipline = choose_discipline(o.discipline);
  if (!discipline) return std::unexpected(discipline.error());
  queue::QueueConfig out{.lines = {{.discipline = std::move(*discipline)}}};
  if (o.priority.empty()) return out;
  auto rule = queue::find_priority_rule(o.priority);
  if (!rule) return std::unexpected(rule.error());
  out.rule = std::move(*rule);
  return out;
}

Result<void> write_plan_jobs(const PlanOptions& o, const plan::Jobs& jobs) {
  if (o.write_jobs.empty()) return {};
  std::string text;
  plan::append_swf(text, jobs);
  return write_out(o.write_jobs, text);
}

void warn_of_plan_input(const PlanOptions& o, const plan::Jobs& jobs, const plan::Lanes& lanes) {
  if (jobs.jobs.empty()) warn(o.setup, "there is no job to run in " + input_name(o.jobs));
  if (o.processors_per_node == 0 || !lanes.are_nodes()) return;
  const auto few = lanes.with_fewer_cores(o.processors_per_node);
  if (few == 0) return;
  warn(o.setup,
       fmt::format("{} of {} nodes have fewer than {} cores: jobs of this trace may get fewer "
                   "than they ask for",
                   few, lanes.count(), o.processors_per_node));
}

void write_passed_over(const plan::Jobs& jobs) {
  if (jobs.passed_over == 0) return;
  write_error(fmt::format("passed over       {} {}\n", jobs.passed_over, jobs.passed_over_why));
}

}  // namespace copse
