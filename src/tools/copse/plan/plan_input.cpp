// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/plan/plan_input.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/nearest_word.hpp"
#include "files/read_file.hpp"
#include "formats/flux/flux_jobs.hpp"
#include "formats/slurm/slurm_accounting.hpp"
#include "formats/slurm/slurm_machine.hpp"
#include "graph/node_names.hpp"
#include "plan/streams/cluster_stream.hpp"
#include "plan/streams/event_lines.hpp"
#include "plan/streams/job_reader.hpp"
#include "request/hres.hpp"
#include "request/known_types.hpp"
#include "tools/cluster_list.hpp"
#include "tools/copse/plan/queue_choice.hpp"
#include "tools/copse/plan/reservation_file.hpp"
#include "tools/output.hpp"
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

// A file of lines behind those of the stream.
struct MoreLines {
  std::string path, text;
};

// Those of --events, then those of --what-if; of each that is named. Errors: io; invalid (one has
// no line).
Result<std::vector<MoreLines>> read_more_lines(const PlanOptions& o, const std::string& what_if) {
  std::vector<MoreLines> out;
  for (const std::string& path : {o.events, what_if}) {
    if (path.empty()) continue;
    auto text = read_input(path);
    if (!text) return std::unexpected(text.error());
    if (text->find_first_not_of(" \t\r\n") == std::string::npos) {
      return fail(ErrorCode::invalid, "there is no line in it", {input_name(path), 0, 0});
    }
    out.push_back({path, std::move(*text)});
  }
  return out;
}

// A stream whose text can have all lines behind its own.
Result<plan::Jobs> read_with_more(std::string text, const std::string& file,
                                  const std::vector<MoreLines>& more,
                                  const plan::ReadOptions& how) {
  struct From {
    std::string file;
    std::uint32_t before;  // lines of those in front
  };
  std::vector<From> from{{file, 0}};
  for (const MoreLines& each : more) {
    text += '\n';
    from.push_back(
        {input_name(each.path), static_cast<std::uint32_t>(std::ranges::count(text, '\n'))});
    text += each.text;
  }
  auto jobs = plan::read_jobs(text, file, how);
  if (jobs || jobs.error().place.file != file) return jobs;
  Error error = jobs.error();
  const auto of = std::ranges::find_if(from.rbegin(), from.rend(), [&](const From& each) {
    return each.before == 0 || error.place.line > each.before;
  });
  error.place.file = of->file;
  if (error.place.line > 0) error.place.line -= of->before;
  return std::unexpected(std::move(error));
}

// Traces and lists have no events of their own: lines beside them have nothing else.
Result<void> add_events(plan::Jobs& jobs, const std::vector<MoreLines>& more,
                        const plan::ReadOptions& how) {
  if (more.empty()) return {};
  std::string text;
  for (const MoreLines& each : more) text += each.text + '\n';
  const auto first = static_cast<std::uint32_t>(std::ranges::count(more.front().text, '\n') + 1);
  const std::string file = input_name(more.front().path);
  auto ok = plan::read_events(text, file, how, jobs);
  if (ok || more.size() == 1 || ok.error().place.line <= first) return ok;
  Error error = ok.error();
  error.place.file = input_name(more.back().path);
  error.place.line -= first;
  return std::unexpected(std::move(error));
}

// The names of hierarchical resources, each once.
std::vector<std::string> resources_of(const Engine& engine) {
  std::vector<std::string> out;
  for (const LayerView& layer : engine.layers(engine.now())) {
    if (out.empty() || out.back() != layer.resource) out.push_back(layer.resource);
  }
  return out;
}

Result<plan::Jobs> read_one_stream(const PlanOptions& o, const Engine& engine,
                                   const std::vector<MoreLines>& more,
                                   const plan::ReadOptions& how) {
  auto text = read_input(o.jobs);
  if (!text) return std::unexpected(text.error());
  const std::string file = input_name(o.jobs);
  if (looks_like_table_of_jobs(*text)) return table_of_jobs(file);
  const ResourceGraph& graph = engine.graph();
  const plan::ClusterStreamOptions cluster{.threads = threads_of(graph),
                                           .several_slots = o.setup.traverser != Traverser::simple,
                                           .resources = resources_of(engine),
                                           .reservations = !o.reservations.empty(),
                                           .running = !o.setup.running.empty(),
                                           .queues = !o.queues.empty(),
                                           .clock_end_s = how.clock_end_s};
  const auto with_events = [&](Result<plan::Jobs> jobs) -> Result<plan::Jobs> {
    if (!jobs) return jobs;
    if (auto ok = add_events(*jobs, more, how); !ok) return std::unexpected(ok.error());
    return jobs;
  };
  if (o.from == "sacct" || (o.from.empty() && looks_like_slurm_accounting(*text))) {
    const auto list = read_slurm_accounting(*text, file);
    if (!list) return std::unexpected(list.error());
    auto jobs = plan::past_jobs(*list, graph, cluster);
    if (jobs && jobs->zero_s) jobs->zero_s = utc_of_local_time(*jobs->zero_s);  // it has no zones
    return with_events(std::move(jobs));
  }
  if (o.from == "flux" || (o.from.empty() && looks_like_cluster_list(*text))) {
    return with_events(read_cluster_stream(o, *text, graph, cluster));
  }
  const bool of_lines = o.from.empty() && plan::looks_like_job_lines(*text);
  const bool events_only = std::ranges::all_of(
      more, [](const MoreLines& m) { return plan::looks_like_job_lines(m.text); });
  if (o.from == "swf") return with_events(plan::read_swf(*text, file, how));
  if (!of_lines && events_only) return with_events(plan::read_jobs(*text, file, how));
  if (of_lines && (o.processors_per_node > 0 || !o.trace_fields.empty())) {
    warn(o.setup,
         fmt::format("{} is not a trace: {} is of no use", input_name(o.jobs),
                     o.processors_per_node > 0 ? "--processors-per-node" : "--trace-fields"));
  }
  return read_with_more(std::move(*text), file, more, how);
}

Result<plan::Jobs> read_stream_of_jobs(const PlanOptions& o, const Engine& engine,
                                       const plan::Lanes& lanes, const std::string& what_if) {
  const std::int64_t clock_end_s = engine.options().horizon;
  const auto more = read_more_lines(o, what_if);
  if (!more) return std::unexpected(more.error());
  const plan::ReadOptions how{
      .processors_per_node = o.processors_per_node,
      .trace_user = o.uses("user"),
      .trace_queue = o.uses("queue"),
      .trace_partition = o.uses("partition"),
      .clock_end_s = clock_end_s,
      .read_file = read_file,
      .find_node = node_finder(lanes),
      .no_node = [&engine](std::string_view name) { return no_such_node(engine.graph(), name); }};
  if (o.workload.jobs == 0) return read_one_stream(o, engine, *more, how);
  plan::Workload workload = o.workload;
  workload.nodes = lanes.are_nodes() ? lanes.count() : 0;
  workload.clock_end_s = clock_end_s;
  auto jobs = plan::generate(workload);
  if (!jobs) return in_file(jobs.error(), "--generate");
  if (auto ok = add_events(*jobs, *more, how); !ok) return std::unexpected(ok.error());
  return jobs;
}

// What all jobs ask for. A resource that is not there is said here, not by each of them.
Result<HresRequest> read_hres_request(const PlanOptions& o, const Engine& engine) {
  if (o.hres.empty()) return HresRequest{};
  const Place place{"--hres-request", 1, 1};
  auto asked = parse_hres_request(o.hres, place);
  if (!asked) return asked;
  const std::vector<std::string> resources = resources_of(engine);
  const std::vector<std::string_view> known(resources.begin(), resources.end());
  for (const HresItem& item : asked->items) {
    if (std::ranges::find(known, item.name) != known.end()) continue;
    return fail(ErrorCode::invalid,
                known.empty() ? "no hierarchical resources are loaded (--hres)"
                              : unknown_word("resource", item.name, known),
                place);
  }
  return asked;
}

// A job names one that is there.
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

}  // namespace

Result<plan::Jobs> read_plan_input(const PlanOptions& o, const Engine& engine,
                                   const plan::Lanes& lanes, const std::string& more) {
  const auto asked = read_hres_request(o, engine);
  if (!asked) return std::unexpected(asked.error());
  const HresRequest& hres = *asked;
  auto jobs = read_stream_of_jobs(o, engine, lanes, more);
  if (!jobs) return jobs;
  if (!hres.empty()) jobs->requests.also_all(hres);
  if (!o.reservations.empty()) {
    const bool placed = o.setup.now_s && *o.setup.now_s >= kRealTime_s;
    auto reservations = read_reservation_file(
        o.reservations, engine, lanes,
        {.zero_s = placed ? o.setup.now_s : jobs->zero_s,
         .no_dates = "the stream does not say when its time 0 is: say it with --now, such as "
                     "--now 2026-11-23T08:00"},
        &jobs->reservation_places);
    if (!reservations) return std::unexpected(reservations.error());
    jobs->reservations = std::move(*reservations);
  }
  if (auto ok = check_names(*jobs, o); !ok) return std::unexpected(ok.error());
  for (std::uint32_t r = 0; r < jobs->requests.size(); ++r) {
    const auto wrong = wrong_unit(engine.graph(), jobs->requests[r]);
    if (!wrong) continue;
    const bool own_file = !wrong->place.file.empty();
    return fail(wrong->code, wrong->text, own_file ? wrong->place : Place{input_name(o.jobs)});
  }
  return jobs;
}

Result<queue::QueueConfig> queues_of_plan(const PlanOptions& o) {
  auto out = chosen_queues({.file = o.queues, .discipline = o.discipline, .priority = o.priority});
  for (std::size_t i = 0; out && i < out->of_the_machine.size(); ++i) {
    warn(o.setup, fmt::format("{}: {} is ignored: plan takes options, such as -P, -T and --hres",
                              input_name(o.queues), out->of_the_machine[i]));
  }
  return out;
}

Result<void> write_plan_jobs(const PlanOptions& o, const plan::Jobs& jobs) {
  if (o.write_jobs.empty()) return {};
  std::string text;
  plan::append_swf(text, jobs);
  return write_out(o.write_jobs, text);
}

void warn_of_plan_input(const PlanOptions& o, const plan::Jobs& jobs, const plan::Lanes& lanes) {
  for (const std::string& remark : jobs.remarks) {
    warn(o.setup, fmt::format("{}: {}", input_name(o.jobs), remark));
  }
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
