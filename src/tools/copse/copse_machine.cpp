// SPDX-License-Identifier: Apache-2.0
//
// copse info, convert, show, find: questions about a machine.
#include <sys/resource.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "base/version.hpp"
#include "draw/machine_svg.hpp"
#include "engine/find/find_criteria.hpp"
#include "files/read_file.hpp"
#include "formats/formats.hpp"
#include "formats/graph_dot.hpp"
#include "formats/graphml/graph_graphml.hpp"
#include "formats/jgf/graph_jgf.hpp"
#include "formats/slurm/queues/slurm_queues.hpp"
#include "formats/slurm/slurm_conf.hpp"
#include "host/stopwatch.hpp"
#include "page/machine_document.hpp"
#include "page/page_file.hpp"
#include "page/page_jobs.hpp"
#include "text/json_writer.hpp"
#include "text/printable.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

struct Options {
  MachineSetup setup;
  std::string out, format, expression, page;
  bool json = false;
};

// --- load

struct OfType {
  std::uint64_t pools = 0;
  std::int64_t units = 0;
  std::optional<std::string> unit{};  // of all of them; "": none, or several
};

std::map<std::string, OfType> count_types(const ResourceGraph& graph) {
  std::map<std::string, OfType> out;
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    OfType& of = out[graph.type_name(PoolId{v})];
    ++of.pools;
    const std::string& unit = graph.unit_text(PoolId{v});
    if (!of.unit) of.unit = unit;
    if (*of.unit != unit) of.unit = "";
    if (__builtin_add_overflow(of.units, graph.size(PoolId{v}), &of.units)) of.units = INT64_MAX;
  }
  return out;
}

std::string statistics_json(const ResourceGraph& graph, const ResourceGraph::Statistics& s,
                            double load_s) {
  const std::string out = object_text([&](JsonWriter& json) {
    json.member_json("load_s", fmt::format("{:.6f}", load_s));
    json.member("pools", s.pools);
    json.member("edges", s.edges);
    json.member("names", s.names);
    json.member("paths", s.paths);
    json.member("bytes", graph.bytes());
    json.object("types", [&] {
      for (const auto& [type, of] : count_types(graph)) {
        json.object(type, [&] {
          json.member("pools", of.pools);
          json.member("units", of.units);
          if (!of.unit.value_or("").empty()) json.member("unit", *of.unit);
        });
      }
    });
    json.array("subsystems", std::views::iota(0U, graph.subsystem_count()), [&](std::uint32_t i) {
      json.value(graph.subsystem_name(SubsystemId{static_cast<std::uint8_t>(i)}));
    });
  });
  return out + '\n';
}

std::string statistics_text(const ResourceGraph& graph, const ResourceGraph::Statistics& s,
                            double load_s) {
  std::string out = fmt::format(
      "load time   {:.3f} s\npools       {}\nedges       {}\n"
      "memory      {:.1f} MB, {:.1f} bytes a pool\nsubsystems ",
      load_s, s.pools, s.edges, static_cast<double>(graph.bytes()) / 1e6,
      static_cast<double>(graph.bytes()) / static_cast<double>(s.pools));
  for (std::uint32_t i = 0; i < graph.subsystem_count(); ++i) {
    out += ' ' + graph.subsystem_name(SubsystemId{static_cast<std::uint8_t>(i)});
  }
  out += fmt::format("\n\n{:<16} {:>12} {:>16}\n", "type", "pools", "units");
  for (const auto& [type, of] : count_types(graph)) {
    out += fmt::format("{:<16} {:>12} {:>16}", type, of.pools, of.units);
    const std::string unit = of.unit.value_or("");
    out += (unit.empty() ? "" : ' ' + unit) + '\n';
  }
  return out;
}

int run_load(const Options& o) {
  const Stopwatch watch;
  auto machine = load_machine(o.setup);
  if (!machine) return unusable(machine.error());
  const double took_s = watch.seconds();
  const ResourceGraph& graph = machine->graph;
  const auto s = graph.statistics();
  const std::string out = o.json ? statistics_json(graph, s, took_s)
                                 : printable(statistics_text(graph, s, took_s), LineEnds::keep);
  return write_text(out);
}

// --- convert

constexpr std::array<std::string_view, 13> kMachineOutputs{
    "jgf",           "jgf_shorthand", "r",       "rv1", "rv1_nosched", "rlite", "simple",
    "pretty_simple", "dot",           "graphml", "svg", "queues",      "hres"};

// All of the machine as a set of resources.
std::string whole_machine(const ResourceGraph& graph, Format format) {
  Selection all;
  all.taken.push_back({graph.root(), 1, true, !graph.leaf(graph.root())});
  std::vector<ExpandedPool> pools;
  expand(graph, all, pools);
  std::string out;
  Writer(format).write({.graph = graph, .pools = pools, .complete = true}, out);
  return out;
}

Result<std::string> converted(const ResourceGraph& graph, const std::string& format) {
  std::string out;
  Result<void> done{};
  std::vector<SubsystemId> all;
  all.reserve(graph.subsystem_count());
  for (std::uint32_t i = 0; i < graph.subsystem_count(); ++i) {
    all.push_back(SubsystemId{static_cast<std::uint8_t>(i)});
  }
  if (format == "jgf") {
    done = write_jgf(graph, out);
  } else if (format == "dot") {
    done = write_dot(graph, all, out);
  } else if (format == "graphml") {
    done = write_graphml(graph, all, out);
  } else if (format == "svg") {
    done = draw::write_machine_svg({graph}, out);
  } else if (format == "r" || format == "rv1_nosched") {
    out = whole_machine(graph, Format::rv1_nosched);
  } else if (const auto known = parse_format(format)) {
    out = whole_machine(graph, *known);
  } else {
    return fail(ErrorCode::invalid, unknown_word("format", format, kMachineOutputs), {"--to"});
  }
  if (!done) return std::unexpected(done.error());
  if (out.empty()) {
    return fail(ErrorCode::invalid,
                "the machine has no cores and no gpus, so no R can describe it");
  }
  return out;
}

// What slurm.conf says in addition to the machine: its queues as TOML, or its licences as YAML.
Result<std::string> converted_site(const Options& o) {
  const std::string& path = o.setup.machine.path;
  const auto text = read_input(path);
  if (!text) return std::unexpected(text.error());
  if (!looks_like_slurm_conf(*text)) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} are written of a slurm.conf only",
                            o.format == "queues" ? "queues" : "hierarchical resources"),
                {input_name(path)});
  }
  return (o.format == "queues" ? slurm_queues_toml : slurm_licences_yaml)(*text, input_name(path),
                                                                          files_in_folder_of(path));
}

int run_convert(const Options& o) {
  if (o.format == "queues" || o.format == "hres") {
    const auto text = converted_site(o);
    return text ? write_text(*text, o.out) : unusable(text.error());
  }
  auto machine = load_machine(o.setup);
  if (!machine) return unusable(machine.error());
  auto text = converted(machine->graph, o.format);
  if (!text) return unusable(text.error());
  return write_text(*text, o.out);
}

// --- show, find

// The machine as it is now, as a page of its own.
Result<void> write_machine_page(const Options& o, const Engine& engine, Output& out) {
  const NodeRows rows(engine.graph());
  page::PageJobs jobs;
  if (auto ok = page::add_grants(jobs, engine, rows); !ok) return ok;
  const std::string& path = o.setup.machine.path;
  page::About about{.kind = "machine", .title = path.substr(path.rfind('/') + 1)};
  about.version = version();
  about.at_s = engine.now();
  std::vector<page::Document> documents{
      {"about", {}}, {"machine", {}}, {"jobs", {}}, {"status", {}}, {"layers", {}}};
  page::append_about_document(documents[0].second, about);
  page::append_machine_document(documents[1].second, engine.graph(), rows);
  page::append_jobs_document(documents[2].second, jobs);
  page::append_status_document(documents[3].second, engine, rows);
  page::append_layers_document(documents[4].second, engine, engine.now());
  auto written = page::write_page_file(about.title, documents,
                                       [&](std::string_view piece) { return out.write(piece); });
  if (auto closed = out.close(); !closed) return closed;  // its error names the file
  return written;
}

int run_show(const Options& o) {
  auto engine = make_engine(o.setup);
  if (!engine) return unusable(engine.error());
  const bool draws = o.page.empty() || !o.out.empty();
  Output svg_out, page_out;  // both are there before anything is written
  if (draws) {
    if (auto ok = svg_out.open(o.out); !ok) return unusable(ok.error());
  }
  if (!o.page.empty()) {
    if (auto ok = page_out.open(o.page); !ok) return unusable(ok.error());
    if (auto ok = write_machine_page(o, **engine, page_out); !ok) return unusable(ok.error());
  }
  if (!draws) return kDone;
  std::string svg;
  if (auto ok = draw::write_machine_svg({(*engine)->graph(), engine->get()}, svg); !ok) {
    return unusable(ok.error());
  }
  (void)svg_out.write(svg);
  if (auto ok = svg_out.close(); !ok) return unusable(ok.error());
  return kDone;
}

// An R has the cores and gpus of the nodes that are found. A node that is listed only because a pool
// below it was found, which precedes it, does not count.
void list_found(const ResourceGraph& graph, std::vector<ExpandedPool>& pools) {
  for (std::size_t i = 1; i < pools.size(); ++i) {
    if (pools[i - 1].depth > pools[i].depth) pools[i].exclusive = false;
  }
  list_contents(graph, pools);
}

// As a machine, which commands read with -L.
int write_found_graph(const Options& o, const Engine& engine, std::span<const ExpandedPool> found) {
  std::vector<PoolId> pools;
  for (const ExpandedPool& f : found) pools.push_back(f.pool);
  std::string out;
  if (!pools.empty()) {
    if (auto ok = write_jgf(engine.graph(), pools, sink_into(out)); !ok)
      return unusable(ok.error());
  }
  return write_text(out, o.out, pools.empty() ? kNo : kDone);
}

int run_find(const Options& o) {
  const bool graph = o.format == "graph";
  const auto format = graph ? Format::jgf : parse_format(o.format);
  if (!format) return unusable(unknown_format("--match-format", o.format));
  auto engine = make_engine(o.setup);
  if (!engine) return unusable(engine.error());
  auto found = (*engine)->find(o.expression);
  if (!found) {
    const std::string why = criteria_error(o.expression);
    return unusable(why.empty() ? found.error()
                                : Error{ErrorCode::invalid, "expression: " + why, {}});
  }
  if (graph) return write_found_graph(o, **engine, found->pools);
  std::string out;
  if (is_r(*format)) list_found((*engine)->graph(), found->pools);
  Writer(*format).write({.graph = (*engine)->graph(), .pools = found->pools, .complete = true},
                        out);
  if (*format == Format::simple || *format == Format::pretty_simple) {
    out = printable(out, LineEnds::keep);
  }
  if (out.empty() && !found->pools.empty()) {
    return unusable(
        {ErrorCode::invalid,
         "the pools found have no core and no gpu, so no R can describe them; use -F simple",
         {}});
  }
  return write_text(out, {}, found->pools.empty() ? kNo : kDone);
}

void add_info(CommandLine& line) {
  auto load = std::make_shared<Options>();
  CommandLine sub = line.command("info", "Show what a machine has",
                                 "Examples:\n  copse info -L examples/machines/desk.graphml\n"
                                 "  copse info -L machine.json --json | jq .types.core.units",
                                 [load] { return run_load(*load); });
  sub.formerly("load");
  add_machine_options(sub, load->setup, false);
  sub.flag("--json", load->json, "print one line of JSON");
}

void add_convert(CommandLine& line) {
  auto convert = std::make_shared<Options>();
  CommandLine sub =
      line.command("convert", "Write a machine in another format",
                   "Examples:\n  copse convert -L machine.graphml -t jgf -o machine.json\n"
                   "  copse convert -L machine.xml -f hwloc -t r\n"
                   "  copse convert -L machine.graphml -t dot | dot -Tsvg > machine.svg",
                   [convert] { return run_convert(*convert); });
  add_machine_options(sub, convert->setup, false);
  sub.option(
         "-t,--to", convert->format,
         "the format to write: jgf, r, rv1, rlite, simple, pretty_simple, dot, graphml or svg; of "
         "slurm.conf also queues (TOML) or hres (its licences)")
      .unit("FORMAT")
      .suggests({kMachineOutputs.begin(), kMachineOutputs.end()})
      .required();
  sub.option("-o,--output", convert->out, "the file to write (default: standard output)")
      .writes_file();
}

void add_show(CommandLine& line) {
  auto show = std::make_shared<Options>();
  CommandLine sub =
      line.command("show", "Draw a machine, and how much of it is used, as SVG",
                   "Examples:\n  copse show -L examples/machines/desk.graphml -o desk.svg\n"
                   "  copse show -L machine.json --running job1.json --down /cluster0/rack0/node3 "
                   "-o now.svg\n"
                   "  copse show -L machine.json --running job1.json --page now.html",
                   [show] { return run_show(*show); });
  add_machine_options(sub, show->setup, true);
  sub.option("-o,--output", show->out, "the file to write (default: standard output)")
      .writes_file();
  sub.option("--page", show->page,
             "write a page for browsers to this file; then the SVG is written only with -o")
      .writes_file();
}

void add_find(CommandLine& line) {
  auto find = std::make_shared<Options>();
  find->format = "simple";
  CommandLine sub =
      line.command("find", "Show the pools that match an expression",
                   "Exit status 1: no pool matches.\n"
                   "Examples:\n"
                   "  copse find -L machine.json property=fast\n"
                   "  copse find -L machine.json 'type=node best=3:free-core' -F graph\n"
                   "  copse find -L machine.json --running job1.json 'sched-now=free and "
                   "names=node[1-4]'",
                   [find] { return run_find(*find); });
  add_machine_options(sub, find->setup, true);
  sub.option("expression", find->expression,
             "the expression, such as status=down or names=node[0-3]")
      .unit("EXPRESSION")
      .suggests({"status=up", "status=down", "sched-now=allocated", "sched-now=free",
                 "sched-future=reserved", "sched-future=free", "names=", "property=", "tag=",
                 "uuid=", "type=", "best=", "jobid-alloc=", "jobid-reserved=", "jobid-tag="})
      .required();
  sub.option(
         "-F,--match-format", find->format,
         "the format of results: simple (default), jgf, rv1_nosched, …; graph: a machine in JGF")
      .unit("FORMAT")
      .suggests(result_formats());
}

}  // namespace

void add_machine(CommandLine& line) {
  add_info(line);
  add_convert(line);
  add_show(line);
  add_find(line);
}

}  // namespace copse
