// SPDX-License-Identifier: Apache-2.0
//
// copse plan: a stream of jobs through a queue on a machine.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/duration.hpp"
#include "base/nearest_word.hpp"
#include "draw/gantt.hpp"
#include "formats/slurm/slurm_machine.hpp"
#include "plan/record.hpp"
#include "plan/streams/cluster_stream.hpp"
#include "plan/streams/job_reader.hpp"
#include "plan/trace.hpp"
#include "plan/workload.hpp"
#include "request/hres.hpp"
#include "tools/cluster_list.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/plan/plan_table.hpp"
#include "tools/progress.hpp"
#include "tools/read_file.hpp"

namespace copse {

namespace {

struct PlanOptions {
  MachineSetup setup;
  std::string jobs, out, gantt, trace, write_jobs, hres;
  std::string discipline = "easy";
  std::int64_t processors_per_node = 0;
  plan::Workload workload{.jobs = 0, .nodes = 0};
  std::vector<std::string> trace_fields;
  bool summary = false, table = false;

  [[nodiscard]] bool uses(std::string_view field) const {
    return std::ranges::find(trace_fields, field) != trace_fields.end();
  }
};

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

Result<plan::Jobs> read_stream_of_jobs(const PlanOptions& o, const ResourceGraph& graph,
                                       const plan::Lanes& lanes, std::int64_t clock_end_s) {
  if (o.workload.jobs > 0) {
    plan::Workload workload = o.workload;
    workload.nodes = lanes.are_nodes() ? lanes.count() : 0;
    workload.clock_end_s = clock_end_s;
    return plan::generate(workload);
  }
  auto text = read_input(o.jobs);
  if (!text) return std::unexpected(text.error());
  if (looks_like_cluster_list(*text)) {
    const auto list = read_cluster_list(*text, input_name(o.jobs));
    if (!list) return std::unexpected(list.error());
    return plan::waiting_jobs(*list, graph,
                              {.threads = threads_of(graph), .clock_end_s = clock_end_s});
  }
  if (plan::looks_like_job_lines(*text) && (o.processors_per_node > 0 || !o.trace_fields.empty())) {
    warn(o.setup,
         fmt::format("{} is no trace: {} is of no use", input_name(o.jobs),
                     o.processors_per_node > 0 ? "--processors-per-node" : "--trace-fields"));
  }
  return plan::read_jobs(*text, input_name(o.jobs),
                         {.processors_per_node = o.processors_per_node,
                          .trace_user = o.uses("user"),
                          .trace_queue = o.uses("queue"),
                          .trace_partition = o.uses("partition"),
                          .clock_end_s = clock_end_s,
                          .read_file = read_file,
                          .find_node = node_finder(lanes)});
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

Result<plan::Jobs> read_jobs(const PlanOptions& o, const Engine& engine, const plan::Lanes& lanes) {
  const auto asked = read_hres_request(o, engine);
  if (!asked) return std::unexpected(asked.error());
  const HresRequest& hres = *asked;
  auto jobs = read_stream_of_jobs(o, engine.graph(), lanes, engine.options().horizon);
  if (jobs && !hres.empty()) jobs->requests.also_all(hres);
  return jobs;
}

// A file that is written at the end, and opened before anything is run.
struct Picture {
  explicit Picture(const std::string& path) : wanted(!path.empty()) {
    if (wanted) opened = out.open(path);
  }
  Result<void> write(const std::function<Result<void>(const TextSink&)>& draw) {
    if (!wanted) return {};
    auto drawn = draw([&](std::string_view piece) { return out.write(piece); });
    if (auto closed = out.close(); !closed) return closed;  // says which file, and why
    return drawn;
  }

  bool wanted;
  Output out{};
  Result<void> opened{};
};

int run_plan(const PlanOptions& o) {
  const auto discipline = choose_discipline(o.discipline);
  if (!discipline) return unusable(discipline.error());
  auto engine = set_up(o.setup);
  if (!engine) return unusable(engine.error());
  const plan::Lanes lanes((*engine)->graph());
  auto jobs = read_jobs(o, **engine, lanes);
  if (!jobs) return unusable(jobs.error());
  if (!o.write_jobs.empty()) {
    std::string text;
    plan::append_swf(text, *jobs);
    if (auto written = write_out(o.write_jobs, text); !written) return unusable(written.error());
  }
  Output out;
  if (auto ok = out.open(o.out); !ok) return unusable(ok.error());
  Picture gantt(o.gantt), trace(o.trace);
  for (const Picture* picture : {&gantt, &trace}) {
    if (!picture->opened) return unusable(picture->opened.error());
  }
  if (jobs->jobs.empty()) {
    warn(o.setup, "there is no job to run in " + input_name(o.jobs));
  }

  if (const auto few = lanes.with_fewer_cores(o.processors_per_node);
      o.processors_per_node > 0 && lanes.are_nodes() && few > 0) {
    warn(o.setup,
         fmt::format("{} of {} nodes have fewer than {} cores: jobs of this trace may get fewer "
                     "than they ask for",
                     few, lanes.count(), o.processors_per_node));
  }
  const auto begin = std::chrono::steady_clock::now();
  plan::Record record(
      *jobs, lanes, !o.gantt.empty() || !o.trace.empty() || o.table,
      o.summary || o.table ? std::function<void(std::string_view)>()
                           : [&](std::string_view line) { (void)out.write(line); });
  plan::Watch watch = record.watch();
  std::string refused;  // for the table
  if (o.table) {
    watch.refused = [&, record_it = watch.refused](std::uint32_t job, std::int64_t time_s,
                                                   const Error& error) {
      record_it(job, time_s, error);
      refused += fmt::format("{} refused: {}\n", jobs->jobs[job].name, error.text);
    };
    watch.withdrawn = [&, record_it = watch.withdrawn](std::uint32_t job, std::int64_t time_s,
                                                       bool deadline) {
      record_it(job, time_s, deadline);
      refused += fmt::format("{} {} at {}\n", jobs->jobs[job].name,
                             deadline ? "passed its deadline" : "cancelled", duration_text(time_s));
    };
  }
  {
    Progress progress("scheduling", terminal_of(o.setup));
    std::uint64_t done = 0;
    watch.ended = [&, record_end = watch.ended](std::uint32_t job, std::int64_t time_s) {
      record_end(job, time_s);
      progress.at(++done, jobs->jobs.size());
    };
    if (auto ok = plan::schedule(**engine, *jobs, *discipline, watch); !ok) {
      return unusable(ok.error());
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const plan::Summary summary = record.summary();
  if (o.table) {
    std::string table;
    append_plan_table(table, record);
    (void)out.write(table + refused);
  } else {
    plan::Provenance made_with{
        .version = COPSE_VERSION, .machine = o.setup.machine.path, .policy = o.setup.policy};
    if (o.workload.jobs > 0) {
      made_with.offered_load = o.workload.load;
      made_with.seed = o.workload.seed;
    }
    (void)out.write(plan::summary_json(summary, *discipline, made_with));
  }
  if (auto ok = out.close(); !ok) return unusable(ok.error());
  auto drawn = gantt.write(
      [&](const TextSink& sink) { return plan::write_gantt_svg(record, discipline->name, sink); });
  if (drawn) {
    drawn = trace.write([&](const TextSink& sink) { return plan::write_trace_json(record, sink); });
  }
  if (!drawn) return unusable(drawn.error());
  write_error(plan::summary_text(summary, *discipline));
  if (jobs->passed_over > 0) {
    write_error(fmt::format("passed over       {} {}\n", jobs->passed_over, jobs->passed_over_why));
  }
  write_error(fmt::format("time              {:.3f} s, {:.0f} jobs a second\n", took.count(),
                          static_cast<double>(summary.jobs) / std::max(took.count(), 1e-6)));
  return summary.refused > 0 ? kNo : kDone;
}

}  // namespace

void add_plan(CommandLine& line) {
  auto o = std::make_shared<PlanOptions>();
  o->setup.traverser = Traverser::simple;  // a queue asks often
  o->setup.from_zero = true;               // as the times of streams do
  o->setup.policy = "compact";
  CommandLine sub = line.command(
      "plan", "Run a stream of jobs through a queue: when does each start, and where?",
      "Exit status: 0 all jobs ran, 1 the machine can never serve some, 2 input that cannot be "
      "used.\n"
      "Examples:\n"
      "  copse plan -L examples/machines/desk.graphml examples/jobs/desk.jsonl\n"
      "  copse plan -L machine.json --discipline conservative --gantt plan.svg jobs.jsonl\n"
      "  copse plan -L machine.json --processors-per-node 16 -o plan.jsonl trace.swf\n"
      "  copse plan -L examples/machines/flat32.graphml --generate 10000 --offered-load 0.9 "
      "--summary",
      [o] { return run_plan(*o); });
  add_machine_options(sub, o->setup, true);
  sub.added("--traverser-policy").described("simple (default), flexible or loop-aware");
  const auto file = sub.option("jobs", o->jobs,
                               "JSON lines, a trace in the Standard Workload Format, or the "
                               "waiting jobs of squeue --json or flux jobs --json; - for standard "
                               "input")
                        .reads_file();
  auto generate = sub.option("--generate", o->workload.jobs,
                             "in place of a file: so many jobs of the model of Lublin and "
                             "Feitelson, each of whole nodes");
  generate.excludes(file).between(std::uint64_t{1}, std::uint64_t{plan::kJobsMax}).unit("NUMBER");
  sub.option("--offered-load,--load", o->workload.load,
             "of --generate: the offered load (default: 0.7)")
      .needs(generate)
      .unit("NUMBER");
  sub.option("--seed", o->workload.seed, "of --generate: its seed (default: 1)")
      .needs(generate)
      .unit("NUMBER");
  sub.option("--write-jobs", o->write_jobs, "of --generate: a file to write its trace to")
      .needs(generate)
      .writes_file();
  sub.option("-d,--discipline", o->discipline,
             "fcfs, easy (default), hybrid, conservative, or a plugin of your own: ./own.so")
      .unit("DISCIPLINE");
  sub.option("--processors-per-node", o->processors_per_node,
             "of a trace: its jobs take whole nodes of so many processors (default: cores, "
             "wherever they are)")
      .between(1, std::int64_t{1} << 32)
      .unit("NUMBER");
  sub.option(
         "--trace-fields", o->trace_fields,
         "of a trace, separated by commas: user, queue, and partition, whose jobs take nodes with "
         "the property partition1, partition2, …")
      .unit("FIELDS")
      .separated_by(',')
      .one_at_a_time()
      .one_of({"user", "queue", "partition"});
  sub.option("--hres-request", o->hres,
             "hierarchical resources that each job asks for, unless it says so itself: "
             "\"flat:2,natural:1\"")
      .unit("HRES");
  sub.option("-o,--output", o->out, "the file to write (default: standard output)").writes_file();
  const auto summary = sub.flag("--summary", o->summary, "write the figures of the whole only");
  sub.flag("--table", o->table, "write a table for readers, not JSON lines").excludes(summary);
  sub.option("--gantt", o->gantt, "a file to draw the schedule to, as SVG").writes_file();
  sub.option("--trace", o->trace, "a file to write the schedule to, for ui.perfetto.dev")
      .writes_file();
  sub.needs_one_of(file, generate, "jobs or --generate");
}

}  // namespace copse
