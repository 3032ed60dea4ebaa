// SPDX-License-Identifier: Apache-2.0
//
// copse plan: a stream of jobs through a queue on a machine.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/duration.hpp"
#include "base/hostlist.hpp"
#include "base/version.hpp"
#include "draw/gantt.hpp"
#include "host/progress.hpp"
#include "plan/jobs_csv.hpp"
#include "plan/summary_text.hpp"
#include "plan/trace.hpp"
#include "plan/workload.hpp"
#include "text/printable.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/plan/plan_file.hpp"
#include "tools/copse/plan/plan_input.hpp"
#include "tools/copse/plan/plan_options.hpp"
#include "tools/copse/plan/plan_page.hpp"
#include "tools/copse/plan/plan_table.hpp"

namespace copse {

namespace {

const char* traverser_word(Traverser traverser) {
  switch (traverser) {
    case Traverser::simple: return "simple";
    case Traverser::flexible: return "flexible";
    case Traverser::loop_aware: return "loop-aware";
    default: return "treepool";
  }
}

plan::Provenance provenance(const PlanOptions& o) {
  plan::Provenance out{.version = version(),
                       .machine = o.setup.machine.path,
                       .policy = o.setup.policy,
                       .traverser = traverser_word(o.setup.traverser),
                       .stream = o.jobs,
                       .hres = o.setup.hres,
                       .running = o.setup.running,
                       .priority = o.priority,
                       .queues = o.queues,
                       .reservations = o.reservations,
                       .events = o.events,
                       .down = o.setup.down,
                       .now_s = o.setup.now_s,
                       .processors_per_node = o.processors_per_node,
                       .hres_request = o.hres};
  if (o.workload.jobs > 0) {
    out.offered_load = o.workload.load;
    out.seed = o.workload.seed;
    out.generated_users = o.workload.users;
    out.generated_queues = o.workload.queues;
  }
  return out;
}

// "easy"; of several queues "batch:easy debug:fcfs", as Fluxion writes it.
std::string disciplines_of(const queue::QueueConfig& queues) {
  std::string out;
  for (const queue::QueueSpec& spec : queues.queues) {
    if (spec.parent) continue;
    if (!out.empty()) out += ' ';
    if (!spec.name.empty()) out += spec.name + ":";
    out += spec.discipline.name;
  }
  return out;
}

// Options that do not go together: each with those that have no effect, or another one, beside it.
const std::vector<std::pair<const char*, std::vector<const char*>>> kExclusions{
    {"--generate", {"jobs", "--from", "--processors-per-node", "--trace-fields"}},
    {"--queues", {"--discipline", "--priority"}},
    {"--compare", {"--discipline", "--trace", "--summary", "--page"}},
    {"--what-if",
     {"--generate", "--compare", "--summary", "--gantt", "--page", "--trace", "--jobs-csv"}},
    {"--why",
     {"--compare", "--what-if", "--summary", "--gantt", "--page", "--trace", "--jobs-csv"}},
    {"--table", {"--summary"}}};

constexpr const char* kOfStream = "how long after the beginning, such as 8h";

int run_plan(const PlanOptions& o) {
  if (!o.compare.empty()) return run_comparison(o, provenance(o));
  if (!o.what_if.empty()) return run_what_if(o);
  if (o.why) return run_why(o);
  const auto queues = queues_of_plan(o);
  if (!queues) return unusable(queues.error());
  auto engine = make_engine(o.setup);
  if (!engine) return unusable(engine.error());
  const plan::NodeRows rows((*engine)->graph());
  const auto jobs = read_plan_input(o, **engine, rows);
  if (!jobs) return unusable(jobs.error());
  if (o.page_at) {
    const auto page_at_s = time_of_stream(o, *jobs, "--page-at", *o.page_at);
    if (!page_at_s) return unusable(page_at_s.error());
  }
  Output out;
  if (auto ok = out.open(o.out); !ok) return unusable(ok.error());
  PlanFile gantt(o.gantt), trace(o.trace), csv(o.jobs_csv);
  for (const PlanFile* picture : {&gantt, &trace, &csv}) {
    if (!picture->opened) return unusable(picture->opened.error());
  }
  const auto page = PlanPage::begin(o, *jobs, **engine, rows);
  if (!page) return unusable(page.error());
  if (auto ok = write_plan_jobs(o, *jobs, rows.count()); !ok) return unusable(ok.error());
  warn_of_plan_input(o, *jobs, rows);

  const auto begin = std::chrono::steady_clock::now();
  plan::Record record(
      *jobs, rows, gantt.wanted || trace.wanted || csv.wanted || o.table,
      o.summary || o.table ? std::function<void(std::string_view)>()
                           : [&](std::string_view line) { (void)out.write(line); });
  record.add_outside_jobs(**engine);
  plan::ScheduleObserver observer = record.observer();
  std::string refused;  // for the table
  if (o.table) {
    observer.refused = [&, record_it = observer.refused](std::uint32_t job, std::int64_t time_s,
                                                         const Error& error) {
      record_it(job, time_s, error);
      refused += fmt::format("{} refused: {}\n", shown_name(jobs->jobs[job]), error.text);
    };
    observer.withdrawn = [&, record_it = observer.withdrawn](std::uint32_t job, std::int64_t time_s,
                                                             bool deadline) {
      record_it(job, time_s, deadline);
      refused += fmt::format("{} {} at {}\n", shown_name(jobs->jobs[job]),
                             deadline ? "passed its deadline" : "cancelled", duration_text(time_s));
    };
  }
  observer.lost = [&](const std::string& name, const queue::ReservationLoss& loss,
                      const std::string& job) {
    std::vector<std::string> nodes;
    nodes.reserve(loss.nodes.size());
    for (const PoolId node : loss.nodes) nodes.push_back((*engine)->graph().name(node));
    warn(o.setup, fmt::format("reservation \"{}\": job {} runs into it, and keeps {} for {} of it",
                              name, printable(job, LineEnds::escape), compress_hostlist(nodes),
                              duration_text(loss.seconds())));
  };
  {
    Progress progress("scheduling", terminal_of(o.setup));
    std::uint64_t done = 0;
    observer.ended = [&, record_end = observer.ended](std::uint32_t job, std::int64_t time_s) {
      record_end(job, time_s);
      progress.at(++done, jobs->jobs.size());
    };
    if (auto ok = plan::schedule(**engine, *jobs, *queues, (*page)->observer(observer)); !ok) {
      return unusable(ok.error());
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const plan::Summary summary = record.summary();
  if (o.table) {
    std::string table;
    append_plan_table(table, record);
    (void)out.write(printable(table + refused, LineEnds::keep));
  } else {
    (void)out.write(plan::summary_json(summary, disciplines_of(*queues), provenance(o)));
  }
  if (auto ok = out.close(); !ok) return unusable(ok.error());
  auto drawn = gantt.write([&](const TextSink& sink) {
    return draw::write_gantt_svg(record, disciplines_of(*queues), sink);
  });
  if (drawn) {
    drawn = trace.write([&](const TextSink& sink) { return plan::write_trace_json(record, sink); });
  }
  if (drawn) {
    drawn = csv.write([&](const TextSink& sink) {
      const plan::CsvPart part{record};
      return plan::write_jobs_csv({&part, 1}, sink);
    });
  }
  if (o.page_at && summary.jobs > 0) {
    const auto page_at_s = time_of_stream(o, *jobs, "--page-at", *o.page_at);
    if (page_at_s && *page_at_s > summary.last_end_s) {
      warn(o.setup, fmt::format("--page-at {} is after the end of the schedule, which is at {}",
                                readable_time(*page_at_s), readable_time(summary.last_end_s)));
    }
  }
  if (drawn) drawn = (*page)->write(*queues, disciplines_of(*queues), provenance(o));
  if (!drawn) return unusable(drawn.error());
  warn_of_clock_end(o, summary, **engine);
  if (!o.setup.quiet) {
    write_error(plan::summary_text(summary, disciplines_of(*queues)));
    write_skipped(*jobs);
    write_error(fmt::format("time              {:.3f} s, {:.0f} jobs a second\n", took.count(),
                            static_cast<double>(summary.jobs) / std::max(took.count(), 1e-6)));
  }
  return summary.refused > 0 ? kNo : kDone;
}

}  // namespace

void add_plan(CommandLine& line) {
  auto o = std::make_shared<PlanOptions>();
  o->setup.traverser = Traverser::simple;  // a queue asks often
  o->setup.from_zero = true;               // as the times of streams do
  o->setup.clock_alone = true;             // reservations have dates
  o->setup.policy = "compact";
  CommandLine sub =
      line.command("plan", "Run a stream of jobs through a queue: when does each start, and where?",
                   "Exit status: 0 all jobs ran, 1 the machine can never serve some, 2 the input "
                   "cannot be used.\n"
                   "Examples:\n"
                   "  copse plan -L examples/machines/desk.graphml examples/jobs/desk.jsonl\n"
                   "  copse plan -L machine.json --discipline conservative --gantt plan.svg "
                   "jobs.jsonl\n"
                   "  copse plan -L machine.json --processors-per-node 16 -o plan.jsonl trace.swf\n"
                   "  copse plan -L examples/machines/flat32.graphml --generate 10000 "
                   "--offered-load 0.9 --summary",
                   [o] { return run_plan(*o); });
  add_machine_options(sub, o->setup, true);
  sub.added("--traverser-policy").described("simple (default), flexible or loop-aware");
  const auto file =
      sub.option("jobs", o->jobs,
                 "JSON lines, a trace in the Standard Workload Format, the waiting jobs of "
                 "squeue --json or flux jobs --json, or the past ones of sacct -P or "
                 "flux jobs -a --json; - for standard input")
          .reads_file();
  sub.option("--from", o->from,
             "what the file is, if its text does not show it: swf, or the past jobs of sacct "
             "or flux")
      .unit("FORMAT")
      .one_of({"sacct", "flux", "swf"});
  const auto generate =
      sub.option("--generate", o->workload.jobs,
                 "instead of a file: this many jobs of the model of Lublin and Feitelson, each of "
                 "whole nodes")
          .between(std::uint64_t{1}, std::uint64_t{plan::kJobsMax})
          .unit("NUMBER");
  sub.option("--offered-load,--load", o->workload.load,
             "for --generate: the offered load (default: 0.7)")
      .needs(generate)
      .unit("NUMBER");
  sub.option("--seed", o->workload.seed, "for --generate: the seed (default: 1)")
      .needs(generate)
      .unit("NUMBER");
  sub.option("--generated-users", o->workload.users,
             "for --generate: the number of users, who are called 1, 2, 3, …")
      .needs(generate)
      .between(std::uint64_t{1}, plan::kUsersMax)
      .unit("NUMBER");
  sub.list("--generated-queues", o->workload.queues,
           "for --generate: the queues to which jobs are submitted, separated by commas")
      .needs(generate)
      .unit("QUEUES");
  sub.option("--write-jobs", o->write_jobs,
             "for --generate: a file to write the jobs to, as a trace")
      .needs(generate)
      .writes_file();
  sub.option("-d,--discipline", o->discipline,
             "fcfs, easy (default), hybrid, conservative, or a plugin of your own: ./own.so")
      .unit("DISCIPLINE");
  sub.list("--compare", o->compare,
           "compare several disciplines, separated by commas, each for all queues: prints "
           "the figures of each; --gantt draws all in one picture")
      .unit("DISCIPLINES");
  sub.option("--queues", o->queues,
             "a file of queues with their disciplines, nodes and priorities, as Flux and Fluxion "
             "have them (TOML)")
      .reads_file();
  sub.option("--priority", o->priority,
             "fifo (default), smallest, largest, age, fair-share or multifactor")
      .unit("RULE");
  sub.option("--what-if", o->what_if,
             "a file of further lines of the stream: which jobs would then start at another "
             "time?")
      .reads_file();
  sub.time("--why", o->why,
           "why each job that waits at that time waits, when it starts, and what would help")
      .of_a_day(kOfStream);
  sub.option("--processors-per-node", o->processors_per_node,
             "for a trace: its jobs take whole nodes with this many processors (default: "
             "cores, wherever they are)")
      .between(1, std::int64_t{1} << 32)
      .unit("NUMBER");
  sub.list("--trace-fields", o->trace_fields,
           "for a trace, separated by commas: user, queue, and partition, whose jobs take "
           "nodes with the property partition1, partition2, …")
      .unit("FIELDS")
      .list_of({"user", "queue", "partition"});
  sub.option("--hres-request", o->hres,
             "hierarchical resources for each job that does not name its own: "
             "\"flat:2,natural:1\"")
      .unit("HRES");
  sub.option("--reservations", o->reservations,
             "a file of reservations: nodes that jobs must avoid, or that only some may use")
      .reads_file();
  sub.option(
         "--events", o->events,
         "a file of events, as JSON lines: nodes that fail or come back, jobs that are cancelled, "
         "held or released; for streams of any kind")
      .reads_file();
  sub.option("-o,--output", o->out, "the file to write (default: standard output)")
      .writes_file("-");
  sub.flag("--summary", o->summary, "print only the summary");
  sub.flag("--table", o->table, "write a table for people, not JSON lines");
  sub.option("--gantt", o->gantt, "a file to draw the schedule to, as SVG").writes_file();
  const auto page =
      sub.option("--page", o->page,
                 "a file to write the plan to as a page for browsers, with the machine, "
                 "the schedule and the queue")
          .writes_file();
  sub.time("--page-at", o->page_at,
           "of --page: the time that it shows first (default: when the most jobs wait)")
      .of_a_day(kOfStream)
      .needs(page);
  sub.option("--trace", o->trace, "a file to write the schedule to, for ui.perfetto.dev")
      .writes_file();
  sub.option("--jobs-csv", o->jobs_csv,
             "a file to write a table of all jobs to, with the columns of Batsim and evalys")
      .writes_file();
  for (const auto& [name, others] : kExclusions) {
    CommandOption option = sub.added(name);
    for (const char* const other : others) option.excludes(sub.added(other));
  }
  sub.needs_one_of(file, generate, "jobs or --generate");
}

}  // namespace copse
