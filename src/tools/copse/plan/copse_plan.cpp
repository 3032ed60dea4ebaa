// SPDX-License-Identifier: Apache-2.0
//
// copse plan: a stream of jobs through a queue on a machine.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/duration.hpp"
#include "base/hostlist.hpp"
#include "base/version.hpp"
#include "copse/engine.hpp"
#include "draw/gantt.hpp"
#include "host/output.hpp"
#include "host/progress.hpp"
#include "host/stopwatch.hpp"
#include "match/option_names.hpp"
#include "plan/job.hpp"
#include "plan/output/jobs_csv.hpp"
#include "plan/output/summary_text.hpp"
#include "plan/output/trace.hpp"
#include "plan/record.hpp"
#include "plan/schedule.hpp"
#include "rset/rset_scheduling.hpp"
#include "session/grant_text.hpp"
#include "text/json_writer.hpp"
#include "text/printable.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/plan/plan_file.hpp"
#include "tools/copse/plan/plan_input.hpp"
#include "tools/copse/plan/plan_options.hpp"
#include "tools/copse/plan/plan_page.hpp"

namespace copse {

namespace {

// The grants of a plan as JSON lines, {"id", "R"} for each start, which --running reads again.
class PlanGrants {
 public:
  // The arguments must outlive it. `path` "": nothing is written. `scheduling`: TreePool's key, if its
  // traverser is used.
  PlanGrants(const std::string& path, const plan::Jobs& jobs, const Engine& engine,
             const std::optional<RScheduling>& scheduling)
      : path_(path),
        jobs_(jobs),
        engine_(engine),
        text_(Format::rv1_nosched, scheduling ? &*scheduling : nullptr) {}

  // Errors: io (the file cannot be opened).
  [[nodiscard]] Result<void> open() { return wanted() ? out_.open(path_) : Result<void>(); }
  // Forwards to `next`, and writes each start. O(resources of the grant) for each.
  [[nodiscard]] plan::ScheduleObserver observer(plan::ScheduleObserver next) {
    if (!wanted()) return next;
    next.started = [this, record_it = next.started](std::uint32_t job, std::int64_t start_s,
                                                    std::int64_t end_s, plan::Ending ending,
                                                    const Grant& grant) {
      if (record_it) record_it(job, start_s, end_s, ending, grant);
      write(job, start_s, grant);
    };
    return next;
  }
  // Errors: io.
  [[nodiscard]] Result<void> close() { return wanted() ? out_.close() : Result<void>(); }

 private:
  [[nodiscard]] bool wanted() const { return !path_.empty(); }
  // The times of an R are those of the request: until the limit, whatever the job does then.
  void write(std::uint32_t job, std::int64_t start_s, const Grant& grant) {
    const plan::Job& row = jobs_.jobs[job];
    const std::string line = object_text([&](JsonWriter& json) {
      json.member("id", row.name);
      json.key("R");
      AllocationView view = AllocationView::of(grant);
      view.start = start_s;
      text_.append_r(engine_, view, jobs_.words[row.queue], json.begin());
    });
    (void)out_.write(line + '\n');
  }

  const std::string& path_;
  const plan::Jobs& jobs_;
  const Engine& engine_;
  GrantText text_;
  Output out_;
};

// The id of a job on one line.
std::string shown_name(const plan::Job& job) { return printable(job.name, LineEnds::escape); }

// REQUIRES a record that keeps places. O(jobs + places).
void append_plan_table(std::string& out, const plan::Record& record) {
  constexpr std::size_t kNameBytesMin = 8, kNameBytesMax = 32;  // of the column, not of the names
  std::size_t width = kNameBytesMin;
  for (const plan::Record::Run& run : record.runs()) {
    width = std::max(width, shown_name(record.jobs().jobs[run.job]).size());
  }
  width = std::min(width, kNameBytesMax);
  out += fmt::format("{:<{}} {:>12} {:>12} {:>12} {:>12} NODES\n", "ID", width, "SUBMIT", "WAIT",
                     "START", "RUN");
  for (const plan::Record::Run& run : record.runs()) {
    const plan::Job& job = record.jobs().jobs[run.job];
    const std::int64_t submit_s = record.submit_s(run.job);
    const NodeRange* const first = record.ranges(run);
    std::string nodes;
    record.node_rows().append_names(nodes, {first, first + run.ranges});
    if (run.draw > 0) nodes += " " + record.draws()[run.draw];
    if (const char* const how = plan::word(run.ending)) nodes += fmt::format(" ({})", how);
    out += fmt::format("{:<{}} {:>12} {:>12} {:>12} {:>12} {}\n", shown_name(job), width,
                       duration_text(submit_s), duration_text(run.start_s - submit_s),
                       duration_text(run.start_s), duration_text(run.end_s - run.start_s), nodes);
  }
}

plan::Provenance provenance(const PlanOptions& o, Traverser traverser) {
  plan::Provenance out{.version = version(),
                       .machine = o.setup.machine.path,
                       .policy = o.setup.policy,
                       .traverser = word(traverser),
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

// The files that are written at the end, opened before anything runs.
struct Drawings {
  explicit Drawings(const PlanOptions& o) : gantt(o.gantt), trace(o.trace), csv(o.jobs_csv) {}

  [[nodiscard]] Result<void> opened() const {
    for (const PlanFile* file : {&gantt, &trace, &csv}) {
      if (!file->opened) return file->opened;
    }
    return {};
  }
  [[nodiscard]] bool wanted() const { return gantt.wanted || trace.wanted || csv.wanted; }

  [[nodiscard]] Result<void> write(const plan::Record& record, const std::string& disciplines) {
    auto drawn = gantt.write(
        [&](const TextSink& sink) { return draw::write_gantt_svg(record, disciplines, sink); });
    if (!drawn) return drawn;
    drawn = trace.write([&](const TextSink& sink) { return plan::write_trace_json(record, sink); });
    if (!drawn) return drawn;
    return csv.write([&](const TextSink& sink) {
      const plan::CsvPart part{record};
      return plan::write_jobs_csv({&part, 1}, sink);
    });
  }

  PlanFile gantt, trace, csv;
};

// Adds to `refused` the jobs that a table lists below its rows.
void note_refusals(plan::ScheduleObserver& observer, const plan::Jobs& jobs, std::string& refused) {
  observer.refused = [&, record_it = observer.refused](std::uint32_t job, std::int64_t time_s,
                                                       const Error& error) {
    record_it(job, time_s, error);
    refused += fmt::format("{} refused: {}\n", shown_name(jobs.jobs[job]), error.text);
  };
  observer.withdrawn = [&, record_it = observer.withdrawn](std::uint32_t job, std::int64_t time_s,
                                                           bool deadline) {
    record_it(job, time_s, deadline);
    refused += fmt::format("{} {} at {}\n", shown_name(jobs.jobs[job]),
                           deadline ? "passed its deadline" : "cancelled", duration_text(time_s));
  };
}

// Warns of each job that keeps nodes of a reservation.
void warn_of_losses(plan::ScheduleObserver& observer, const PlanOptions& o,
                    const ResourceGraph& graph) {
  observer.lost = [&](const std::string& name, const queue::ReservationLoss& loss,
                      const std::string& job) {
    std::vector<std::string> nodes;
    nodes.reserve(loss.nodes.size());
    for (const PoolId node : loss.nodes) nodes.push_back(graph.name(node));
    warn(o.setup, fmt::format("reservation \"{}\": job {} overlaps it, and keeps {} for {}", name,
                              printable(job, LineEnds::escape), compress_hostlist(nodes),
                              duration_text(loss.seconds())));
  };
}

Result<void> run_schedule(const PlanOptions& o, Engine& engine, const plan::Jobs& jobs,
                          const queue::QueueConfig& queues, PlanPage& page,
                          plan::ScheduleObserver observer) {
  Progress progress("scheduling", terminal_of(o.setup));
  std::uint64_t done = 0;
  observer.ended = [&, record_end = observer.ended](std::uint32_t job, std::int64_t time_s) {
    record_end(job, time_s);
    progress.at(++done, jobs.jobs.size());
  };
  return plan::schedule(engine, jobs, queues, page.observer(std::move(observer)));
}

void warn_of_page_time(const PlanOptions& o, const plan::Jobs& jobs, const plan::Summary& summary) {
  if (!o.page_at || summary.jobs == 0) return;
  const auto page_at_s = time_of_stream(o, jobs, "--page-at", *o.page_at);
  if (page_at_s && *page_at_s > summary.last_end_s) {
    warn(o.setup, fmt::format("--page-at {} is after the end of the schedule, at {}",
                              readable_time(*page_at_s), readable_time(summary.last_end_s)));
  }
}

Result<void> check_page_time(const PlanOptions& o, const plan::Jobs& jobs) {
  if (!o.page_at) return {};
  const auto page_at_s = time_of_stream(o, jobs, "--page-at", *o.page_at);
  return page_at_s ? Result<void>{} : std::unexpected(page_at_s.error());
}

// The stream on the engine: JSON lines or a table, the drawings, the page and the summary.
int run_stream(const PlanOptions& o, const queue::QueueConfig& queues, EngineOfMachine& made,
               const NodeRows& rows, const plan::Jobs& jobs) {
  Engine& engine = *made.engine;
  if (auto ok = check_page_time(o, jobs); !ok) return unusable(ok.error());
  Output out;
  if (auto ok = out.open(o.out); !ok) return unusable(ok.error());
  Drawings drawings(o);
  if (auto ok = drawings.opened(); !ok) return unusable(ok.error());
  PlanGrants grants(o.grants, jobs, engine, made.scheduling);
  if (auto ok = grants.open(); !ok) return unusable(ok.error());
  const auto page = PlanPage::begin(o, jobs, engine, rows);
  if (!page) return unusable(page.error());
  if (auto ok = write_plan_jobs(o, jobs, rows.count()); !ok) return unusable(ok.error());
  warn_of_plan_input(o, jobs, rows, queues, engine.graph());

  const Stopwatch stopwatch;
  plan::Record record(
      jobs, rows, drawings.wanted() || o.table,
      o.summary || o.table ? std::function<void(std::string_view)>()
                           : [&](std::string_view line) { (void)out.write(line); });
  record.add_outside_jobs(engine);
  plan::ScheduleObserver observer = grants.observer(record.observer());
  std::string refused;
  if (o.table) note_refusals(observer, jobs, refused);
  warn_of_losses(observer, o, engine.graph());
  if (auto ok = run_schedule(o, engine, jobs, queues, **page, observer); !ok) {
    return unusable(ok.error());
  }
  const double took_s = stopwatch.seconds();

  plan::Summary summary = record.summary();
  if (!o.summary) summary.levels.clear();
  const std::string disciplines = disciplines_of(queues);
  const plan::Provenance made_with = provenance(o, engine.options().traverser);
  if (o.table) {
    std::string table;
    append_plan_table(table, record);
    (void)out.write(printable(table + refused, LineEnds::keep));
  } else {
    (void)out.write(plan::summary_json(summary, disciplines, made_with));
  }
  if (auto ok = out.close(); !ok) return unusable(ok.error());
  if (auto ok = grants.close(); !ok) return unusable(ok.error());
  if (auto ok = drawings.write(record, disciplines); !ok) return unusable(ok.error());
  warn_of_page_time(o, jobs, summary);
  if (auto ok = (*page)->write(queues, disciplines, made_with); !ok) {
    return unusable(ok.error());
  }
  warn_of_clock_end(o, summary, engine);
  if (!o.setup.quiet) {
    write_error(plan::summary_text(summary, disciplines));
    write_skipped(jobs);
    write_error(fmt::format("time              {:.3f} s, {:.0f} jobs a second\n", took_s,
                            static_cast<double>(summary.jobs) / std::max(took_s, 1e-6)));
  }
  return summary.refused > 0 ? kNo : kDone;
}

int run_plan(const PlanOptions& o) {
  if (!o.compare.empty()) return run_comparison(o, provenance(o, o.setup.traverser));
  if (!o.what_if.empty()) return run_what_if(o);
  if (o.why) return run_why(o);
  const auto queues = queues_of_plan(o);
  if (!queues) return unusable(queues.error());
  auto made = engine_of_machine(o.setup);
  if (!made) return unusable(made.error());
  const NodeRows rows(made->engine->graph());
  const auto jobs = read_plan_input(o, *made->engine, rows, queues->defaults);
  if (!jobs) return unusable(jobs.error());
  return run_stream(o, *queues, *made, rows, *jobs);
}

}  // namespace

void add_plan(CommandLine& line) {
  auto o = std::make_shared<PlanOptions>();
  o->setup.traverser = Traverser::simple;  // a queue matches often
  o->setup.from_zero = true;               // as the times of streams
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
                   [o] {
                     o->setup.has_queues = !o->queues.empty();
                     return run_plan(*o);
                   });
  add_plan_options(sub, *o);
}

}  // namespace copse
