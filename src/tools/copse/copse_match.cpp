// SPDX-License-Identifier: Apache-2.0
//
// copse match: one machine, one request, one answer.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/hostlist.hpp"
#include "base/job_id.hpp"
#include "base/saturating.hpp"
#include "copse/engine.hpp"
#include "explain/explain.hpp"
#include "explain/explanation.hpp"
#include "files/read_file.hpp"
#include "formats/grant_writer.hpp"
#include "request/hres.hpp"
#include "request/jobspec/jobspec_words.hpp"
#include "request/jobspec/start_conditions.hpp"
#include "request/request_checks.hpp"
#include "request/shape.hpp"
#include "text/counted.hpp"
#include "text/printable.hpp"
#include "tools/copse/client/request_words.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/plan/reservation_file.hpp"

namespace copse {

namespace {

// Units of leaves and cores by type and unit, in the order in which they were found.
using Amounts = std::vector<std::pair<std::pair<std::string, std::string>, std::int64_t>>;

void add(Amounts& amounts, const ResourceGraph& graph, PoolId pool) {
  // Pools of one unit are counted.
  const std::string& unit = graph.unit_text(pool);
  const bool counted = unit.empty() && graph.size(pool) == 1;
  const std::pair<std::string, std::string> key(graph.type_name(pool),
                                                unit.empty() && !counted ? "units" : unit);
  auto at = std::ranges::find(amounts, key, &Amounts::value_type::first);
  if (at == amounts.end()) at = amounts.insert(at, {key, 0});
  at->second = saturating_sum(at->second, graph.size(pool));
}

std::string text_of(Amounts amounts) {
  std::ranges::sort(amounts);
  std::string out;
  for (const auto& [key, units] : amounts) {
    const auto& [type, unit] = key;
    out += out.empty() ? "" : ", ";
    out += unit.empty() ? counted(units, type) : fmt::format("{} {} of {}", units, unit, type);
  }
  return out;
}

PoolId node_of(const ResourceGraph& graph, PoolId pool, TypeId node) {
  while (pool != kNoPool && graph.type(pool) != node) pool = graph.parent(pool);
  return pool;
}

std::string times(const Engine& engine, const Match& match) {
  std::string out;
  if (match.start > engine.now()) out += ", from " + readable_time(match.start);
  if (match.end < engine.options().horizon) out += ", until " + readable_time(match.end);
  return out;
}

// Appends a match in words: "node[0-3] 8 cores, 2 gpus each, until 3,600 s".
// A line for each set of nodes with equal contents, in the order of the machine; then one for the pools
// outside nodes. Leaves are counted: cores, gpus, units of memory. O(pools of the match).
void append_summary(std::string& out, const Engine& engine, const Match& match) {
  const ResourceGraph& graph = engine.graph();
  const TypeId node = graph.find_type("node"), core = graph.find_type("core");
  std::vector<ExpandedPool> pools;
  expand(graph, match.selection, pools);
  list_contents(graph, pools);
  std::map<PoolId, Amounts> by_node;
  Amounts elsewhere;
  for (const ExpandedPool& e : pools) {
    if (!e.exclusive) continue;
    const PoolId at = node_of(graph, e.pool, node);
    if (e.pool == at) {
      by_node[at];  // a node without leaves is granted, too
    } else if (graph.leaf(e.pool) || graph.type(e.pool) == core) {
      add(at == kNoPool ? elsewhere : by_node[at], graph, e.pool);
    }
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const auto& [at, amounts] : by_node) {
    const std::string text = text_of(amounts);
    auto group = std::ranges::find(groups, text, [](const auto& g) { return g.first; });
    if (group == groups.end()) group = groups.insert(group, {text, {}});
    group->second.push_back(graph.name(at));
  }
  const std::string when = times(engine, match);
  for (const auto& [text, names] : groups) {
    out += compress_hostlist(names);
    if (!text.empty()) out += ' ' + text + (names.size() > 1 ? " each" : "");
    out += when + '\n';
  }
  if (!elsewhere.empty()) out += text_of(elsewhere) + when + '\n';
}

constexpr std::string_view kSummary = "short";

struct MatchOptions {
  MachineSetup setup;
  std::string request, shape, constraint, hres, reservations, format = "pretty_simple";
  std::int64_t duration_s = 0;
  bool reserve = false, satisfiability = false, explain = false, json = false;
};

// Explains on standard output, because the reason is the answer.
int say_why(Engine& engine, PreparedRequest& request, bool json, const JobNames& names) {
  auto why = engine.explain(request);
  if (!why) return unusable(why.error());
  std::string out;
  if (json) {
    append_explanation_json(out, *why, names);
  } else {
    append_explanation_text(out, *why, names);
    out = printable(out, LineEnds::keep);
  }
  return write_text(out, {}, why->verdict == Verdict::fits ? kDone : kNo);
}

int say_fits(const Match& match) {
  std::string out;
  append_explanation_json(
      out, {.verdict = Verdict::fits, .at = match.start, .until = match.end, .findings = {}});
  return write_text(out);
}

Result<Request> parsed(const MatchOptions& o) {
  if (!o.shape.empty()) {
    auto request = parse_shape(o.shape, "--shape");
    if (!request) return request;
    request->duration_s = o.duration_s;
    if (o.constraint.empty()) return request;
    auto constraint = constraint_of_words(o.constraint);
    if (!constraint) return std::unexpected(constraint.error());
    request->constraint = std::move(*constraint);
    return request;
  }
  const auto text = read_input(o.request, JobspecLimits{}.text_bytes_max);
  if (!text) return std::unexpected(text.error());
  auto request = parse_jobspec(*text, input_name(o.request), JobspecWords::own);
  if (!request) return request;
  if (const auto keys = keys_without_effect(request->start_conditions); !keys.empty()) {
    warn(o.setup, fmt::format("{}: {} {} no effect here", input_name(o.request), list_of_keys(keys),
                              keys.size() == 1 ? "has" : "have"));
  }
  return request;
}

Result<Request> request_of(const MatchOptions& o) {
  auto request = parsed(o);
  if (!request || o.hres.empty()) return request;
  auto hres = parse_hres_request(o.hres, {"--hres-request", 1, 1});
  if (!hres) return std::unexpected(hres.error());
  request->hres = std::move(*hres);
  return request;
}

Result<PreparedRequest> prepared(Engine& engine, const MatchOptions& o, Request request) {
  if (auto wrong = fit_units(engine.graph(), request)) {
    if (wrong->place.file.empty() && o.shape.empty()) wrong->place.file = input_name(o.request);
    return std::unexpected(std::move(*wrong));
  }
  auto unknown = unknown_type(engine.graph(), request);
  auto made = engine.prepare(std::move(request));
  if (!made && made.error().code == ErrorCode::not_found && unknown) {
    made.error() = std::move(*unknown);
  }
  if (!made && made.error().place.file.empty() && o.shape.empty() && o.request != "-") {
    made.error().place.file = o.request;
  }
  return made;
}

// Seconds, or the date of a real clock.
std::string shown(std::int64_t time_s) {
  return time_s < kRealTime_s ? fmt::format("{} s", time_s) : readable_time(time_s);
}

// The charges of layers of hierarchical resources: the formats of results have no place for them.
void say_draw(const Engine& engine, const GrantCharges& draw) {
  if (draw.empty()) return;
  write_error("copse: hres " + engine.charges_text(draw) + "\n");
}

// Of no job that runs.
JobId free_id(const Engine& engine) {
  std::vector<JobId> jobs = engine.jobs();
  std::erase_if(jobs, [](JobId id) { return is_reservation(id); });
  return jobs.empty() ? 1 : jobs.back() + 1;
}

// "; node[1,3] are down", or "".
std::string down_nodes(const Engine& engine) {
  const ResourceGraph& graph = engine.graph();
  std::vector<std::string> names;
  for (const PoolId p : graph.of_type(graph.find_type("node"))) {
    if (!usable(engine.status(p))) names.push_back(graph.name(p));
  }
  if (names.empty()) return {};
  const ShortHostlist shown = compress_first_hosts(names, Finding::kDownBytesMax);
  return fmt::format("; {}{} {} down", shown.text,
                     shown.left > 0 ? fmt::format(" and {} more", shown.left) : "",
                     names.size() == 1 ? "is" : "are");
}

// One line: the refusal and its causes, as far as they are known without an explanation.
int say_refused(Engine& engine, const PreparedRequest& request, const NoMatch& error,
                bool reserve) {
  const bool waited = reserve && error.code == ErrorCode::insufficient;
  std::string text =
      fmt::format("copse: {}: {}", word(error.code),
                  waited ? "no matching resources now or at any later time" : error.text);
  std::vector<std::string> causes = error.remarks;
  for (std::string& missing : engine.missing_properties(request)) {
    causes.push_back(std::move(missing));
  }
  for (const std::string& cause : causes) {
    text += "; " + cause.substr(0, cause.find_last_not_of('.') + 1);
  }
  if (waited) text += down_nodes(engine);
  if (causes.empty()) text += "; --explain says why";
  write_error(text + "\n");
  return kNo;
}

// Fluxion's satisfiability accepts a request that takes nothing, though no match grants it.
int say_satisfiable(Engine& engine, PreparedRequest& request, const MatchOptions& o, bool nothing,
                    const JobNames& names) {
  if (!nothing) {
    const auto written = write_out({}, "satisfiable\n");
    return written ? kDone : unusable(written.error());
  }
  if (o.explain) return say_why(engine, request, o.json, names);
  NoMatch error(Error{ErrorCode::insufficient, "the request takes nothing", {}});
  error.remarks.push_back(
      sentence(nothing_exclusive(), Verdict::insufficient, engine.options().now));
  return say_refused(engine, request, error, false);
}

int run_match(const MatchOptions& o) {
  const auto format = parse_format(o.format);
  if (!format && o.format != kSummary) {
    return unusable(unknown_format("--match-format", o.format, kSummary));
  }
  MachineSetup setup = o.setup;
  setup.clock_alone = !o.reservations.empty();  // they have dates
  auto made = engine_of_machine(setup);
  if (!made) return unusable(made.error());
  const std::unique_ptr<Engine>& engine = made->engine;
  const auto names = reserve_from_file(*engine, o.setup, o.reservations);
  if (!names) return unusable(names.error());
  auto wanted = request_of(o);
  if (!wanted) return unusable(wanted.error());
  const bool nothing = takes_nothing(*wanted, engine->options().policy.whole_nodes);
  auto request = prepared(*engine, o, std::move(*wanted));
  if (!request) return unusable(request.error());
  const Operation operation = o.satisfiability ? Operation::satisfiability
                              : o.reserve      ? Operation::allocate_orelse_reserve
                                               : Operation::allocate_with_satisfiability;
  auto match = engine->match(operation, *request, free_id(*engine));
  if (!match) {
    if (match.error().code != ErrorCode::insufficient &&
        match.error().code != ErrorCode::infeasible) {
      return unusable(match.error());
    }
    if (o.explain) return say_why(*engine, *request, o.json, *names);
    return say_refused(*engine, *request, match.error(), o.reserve);
  }
  if (operation == Operation::satisfiability) {
    return say_satisfiable(*engine, *request, o, nothing, *names);
  }
  if (o.json) return say_fits(**match);
  std::string out;
  if (format) {
    GrantView view = GrantView::of(**match, request->request().queue);
    view.nslots = (*match)->nslots;
    if (made->scheduling) view.scheduling = &*made->scheduling;
    if (view.end >= engine->options().horizon) view.end = 0;  // RFC 20: no expiration
    GrantWriter(*format, GrantWriter::WholePools::filled).write(engine->graph(), view, out);
  } else {
    append_summary(out, *engine, **match);
  }
  if (!format || *format == Format::simple || *format == Format::pretty_simple) {
    out = printable(out, LineEnds::keep);
  }
  if (out.empty()) {
    return unusable(
        {ErrorCode::invalid,
         "the match has no core and no gpu, so no R can describe it; use -F pretty_simple",
         {}});
  }
  if (auto written = write_out({}, out); !written) return unusable(written.error());
  say_draw(*engine, (*match)->charges);
  if (engine->options().traverser == Traverser::treepool) {
    for (const std::string& remark : (*match)->remarks) warn(setup, remark);
  }
  if ((*match)->start > engine->options().now) {
    const bool endless = (*match)->end >= engine->options().horizon;
    write_error(fmt::format("copse: reserved from {} {}\n", shown((*match)->start),
                            endless ? "on, without end" : "to " + shown((*match)->end)));
  }
  return kDone;
}

}  // namespace

void add_match(CommandLine& line) {
  auto o = std::make_shared<MatchOptions>();
  o->setup.policy = "compact";
  CommandLine sub =
      line.command("match", "Match one request on a machine, and print what it gets",
                   "Exit status: 0 granted, 1 not now or never, 2 the input cannot be used.\n"
                   "Examples:\n"
                   "  copse match -L examples/machines/desk.graphml "
                   "examples/jobspecs/desk-moldable.yaml\n"
                   "  copse match -L machine.json -F rv1_nosched job.yaml | jq .execution.R_lite\n"
                   "  copse match -L examples/machines/desk.graphml --shape 'slot=2/core=4'\n"
                   "  copse match -L machine.json --running job1.json --reserve job2.yaml\n"
                   "  copse match -L machine.json --explain --json job.yaml",
                   [o] { return run_match(*o); });
  add_machine_options(sub, o->setup, true);
  const auto file =
      sub.option("request", o->request, "a jobspec (YAML or JSON), or - for standard input")
          .reads_file();
  const auto shape = sub.option("--shape", o->shape,
                                "the request as an RFC 46 shape, such as \"slot=4/node/core=8\"")
                         .unit("SHAPE");
  sub.added("--shape").excludes(file);
  sub.duration("--duration", o->duration_s, 0,
               "for a shape: 90, 10m, 1.5h, 2d, 01:00:00, 1-12:00:00 (default: without end)")
      .needs(shape);
  sub.option("--constraint", o->constraint,
             "for a shape: properties that its nodes must have or, after ^, must not have, such as "
             "\"h100,^debug\", or an RFC 31 constraint: '{hostlist: [\"node[0-3]\"]}'")
      .unit("CONSTRAINT")
      .needs(shape);
  sub.option("--hres-request", o->hres,
             "hierarchical resources, such as \"flat:2,natural:1\" (all of them) or "
             "\"flat:2|natural:1\" (the first that has enough); replaces those of the jobspec")
      .unit("HRES");
  add_reservations_option(sub, o->reservations);
  sub.needs_one_of(file, shape, "request or --shape");
  sub.option("-F,--match-format", o->format,
             "the format of the result: short (a line or a few), simple, pretty_simple (default), "
             "jgf, jgf_shorthand, rlite, "
             "rv1, rv1_nosched, "
             "rv1_shorthand")
      .unit("FORMAT")
      .suggests(result_formats(kSummary));
  sub.flag("--reserve", o->reserve, "if it does not fit now, match it at the earliest time");
  sub.flag("--satisfiability", o->satisfiability, "only check whether it fits the empty machine");
  const auto explain =
      sub.flag("--explain", o->explain, "if it gets nothing, explain why on standard output");
  sub.flag("--json", o->json, "with --explain: one line of JSON, even if the request fits")
      .needs(explain);
}

}  // namespace copse
