// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/plan/plan_options.hpp"

#include "tools/copse/command_line/option_spec.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

constexpr ValueKind kRead = ValueKind::input_file, kWritten = ValueKind::output_file;
constexpr const char* kDisciplines = "fcfs easy hybrid conservative";
constexpr const char* kOfStream = "how long after the beginning, such as 8h";

constexpr OptionSpec<PlanOptions> kOptions[] = {
    {member<&PlanOptions::jobs>,
     {.names = "jobs",
      .about = "JSON lines, a trace in the Standard Workload Format, the waiting jobs of squeue "
               "--json or flux jobs --json, or the past jobs of sacct -P or flux jobs -a --json; - "
               "for standard input",
      .kind = kRead}},
    {member<&PlanOptions::from>,
     {.names = "--from",
      .unit = "FORMAT",
      .about = "the format of the file, if its text does not show it: swf, or the past jobs of "
               "sacct or flux",
      .words = "sacct flux swf"}},
    {member<&PlanOptions::workload, &plan::Workload::jobs>,
     {.names = "--generate",
      .unit = "NUMBER",
      .about = "instead of a file: this many jobs of the model of Lublin and Feitelson, each of "
               "whole nodes",
      .least = 1,
      .most = plan::kJobsMax,
      .excludes = "jobs --from --processors-per-node --trace-fields"}},
    {member<&PlanOptions::workload, &plan::Workload::load>,
     {.names = "--offered-load,--load",
      .unit = "NUMBER",
      .about = "for --generate: the offered load (default: 0.7)",
      .needs = "--generate"}},
    {member<&PlanOptions::workload, &plan::Workload::seed>,
     {.names = "--seed",
      .unit = "NUMBER",
      .about = "for --generate: the seed; another seed gives another stream (default: 1)",
      .needs = "--generate"}},
    {member<&PlanOptions::workload, &plan::Workload::users>,
     {.names = "--generated-users",
      .unit = "NUMBER",
      .about = "for --generate: the number of users, named 1, 2, 3, …; user 1 submits the most "
               "jobs",
      .least = 1,
      .most = plan::kUsersMax,
      .needs = "--generate"}},
    {member<&PlanOptions::workload, &plan::Workload::queues>,
     {.names = "--generated-queues",
      .unit = "QUEUES",
      .about = "for --generate: the queues to which jobs are submitted, separated by commas",
      .list = true,
      .needs = "--generate"}},
    {member<&PlanOptions::write_jobs>,
     {.names = "--write-jobs",
      .about = "for --generate: write the jobs to this file, as a trace",
      .kind = kWritten,
      .needs = "--generate"}},
    {member<&PlanOptions::discipline>,
     {.names = "-d,--discipline",
      .unit = "DISCIPLINE",
      .about = "fcfs, easy (default), hybrid, conservative, or your own plugin: ./own.so",
      .suggested = kDisciplines}},
    {member<&PlanOptions::compare>,
     {.names = "--compare",
      .unit = "DISCIPLINES",
      .about = "compare several disciplines, separated by commas, each for all queues: prints the "
               "figures of each; --gantt draws all in one picture",
      .list = true,
      .suggested = kDisciplines,
      .excludes = "--discipline --trace --summary --page --grants"}},
    {member<&PlanOptions::queues>,
     {.names = "--queues",
      .about = "a file of queues with their disciplines, nodes and priorities, as Flux and Fluxion "
               "have them (TOML), or slurm.conf",
      .kind = kRead,
      .excludes = "--discipline --priority"}},
    {member<&PlanOptions::priority>,
     {.names = "--priority",
      .unit = "RULE",
      .about = "the order of the queue: fifo (default), smallest, largest, age, fair-share or "
               "multifactor",
      .suggested = "fifo smallest largest age fair-share multifactor"}},
    {member<&PlanOptions::what_if>,
     {.names = "--what-if",
      .about = "a file of further lines of the stream: list the jobs that would start at another "
               "time. The stream must be a file, not a pipe",
      .kind = kRead,
      .excludes = "--generate --compare --summary --gantt --page --trace --grants --jobs-csv"}},
    {member<&PlanOptions::why>,
     {.names = "--why",
      .about = "for each job that waits at this time: why, when it starts, and what would help",
      .relative = kOfStream,
      .excludes = "--compare --what-if --summary --gantt --page --trace --grants --jobs-csv"}},
    {member<&PlanOptions::processors_per_node>,
     {.names = "--processors-per-node",
      .unit = "NUMBER",
      .about = "for a trace: its jobs take whole nodes with this many processors (default: those "
               "of its header; without one, jobs take cores on any nodes)",
      .least = 1,
      .most = std::uint64_t{1} << 32}},
    {member<&PlanOptions::trace_fields>,
     {.names = "--trace-fields",
      .unit = "FIELDS",
      .about = "for a trace: the fields to use, separated by commas: user, queue, memory, "
               "think-time, whose jobs are submitted that long after the job that they follow, and "
               "partition, whose jobs take nodes with the property partition1, partition2, …",
      .list = true,
      .words = "user queue partition memory think-time"}},
    {member<&PlanOptions::hres>,
     {.names = "--hres-request",
      .unit = "HRES",
      .about = "hierarchical resources for each job that does not name its own: "
               "\"flat:2,natural:1\""}},
    {member<&PlanOptions::reservations>,
     {.names = "--reservations",
      .about = "a file of reservations: nodes that jobs must avoid, or that only some may use",
      .kind = kRead}},
    {member<&PlanOptions::events>,
     {.names = "--events",
      .about = "a file of events, as JSON lines, for a stream of any kind: nodes that fail or "
               "return, jobs that are cancelled, held or released",
      .kind = kRead}},
    {member<&PlanOptions::out>,
     {.names = "-o,--output",
      .about = "the file for the JSON lines or the table (default: standard output)",
      .kind = kWritten,
      .otherwise = "-"}},
    {member<&PlanOptions::summary>, {.names = "--summary", .about = "write only the summary"}},
    {member<&PlanOptions::table>,
     {.names = "--table",
      .about = "write a table for people instead of JSON lines",
      .excludes = "--summary"}},
    {member<&PlanOptions::whole_reasons>,
     {.names = "--long",
      .about = "with --why and --table: the whole sentences, with all numbers",
      .needs = "--why --table"}},
    {member<&PlanOptions::gantt>,
     {.names = "--gantt", .about = "draw the schedule to this file, as SVG", .kind = kWritten}},
    {member<&PlanOptions::page>,
     {.names = "--page",
      .about = "write the plan to this file as a page for browsers: the machine, the schedule and "
               "the queue",
      .kind = kWritten}},
    {member<&PlanOptions::page_at>,
     {.names = "--page-at",
      .about = "for --page: the time that it shows first (default: when the most jobs wait)",
      .relative = kOfStream,
      .needs = "--page"}},
    {member<&PlanOptions::trace>,
     {.names = "--trace",
      .about = "write the schedule to this file, for ui.perfetto.dev",
      .kind = kWritten}},
    {member<&PlanOptions::grants>,
     {.names = "--grants",
      .about =
          "write each start to this file as a line of JSON with id and R, which --running reads",
      .kind = kWritten}},
    {member<&PlanOptions::jobs_csv>,
     {.names = "--jobs-csv",
      .about = "write a table of all jobs to this file, with the columns of Batsim and evalys",
      .kind = kWritten}},
};

}  // namespace

void add_plan_options(CommandLine& line, PlanOptions& options) {
  add_machine_options(line, options.setup, true);
  line.added("--traverser-policy").described("simple (default), flexible or loop-aware");
  add_options(line, options, kOptions);
  line.needs_one_of(line.added("jobs"), line.added("--generate"), "jobs or --generate");
}

}  // namespace copse
