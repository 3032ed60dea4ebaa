// SPDX-License-Identifier: Apache-2.0
#include "tools/resource_query/resource_query.hpp"

#include <new>

#include <fmt/format.h>

#include "copse/engine.hpp"
#include "fluxion/option_words.hpp"
#include "formats/graph_dot.hpp"
#include "formats/graphml/graph_graphml.hpp"
#include "host/load_machine.hpp"
#include "host/output.hpp"
#include "host/plugins.hpp"
#include "host/stopwatch.hpp"
#include "match/shared/scores.hpp"
#include "tools/resource_query/rq_options.hpp"
#include "tools/resource_query/rq_session.hpp"
#include "tools/resource_query/rq_streams.hpp"

namespace copse {

namespace {

int runtime_error(QueryStreams& streams, std::string_view text) {
  streams.message(fmt::format(": Runtime error: {}", text));
  return 1;
}

void print_statistics(const Engine& engine, double load_s, QueryStreams& streams) {
  const auto s = engine.graph().statistics();
  std::string& out = streams.standard();
  out += fmt::format("INFO: Graph Load Time: {:g}\n", load_s);
  out += fmt::format("INFO: Vertex Count: {}\nINFO: Edge Count: {}\n", s.pools, s.edges);
  out += fmt::format("INFO: by_type Key-Value Pairs: {}\n", s.types);
  out += fmt::format("INFO: by_name Key-Value Pairs: {}\n", s.names);
  out += fmt::format("INFO: by_path Key-Value Pairs: {}\n", s.paths);
  for (const auto& [rank, pools] : s.pools_by_rank) {
    out += fmt::format("INFO: number of vertices with rank {}: {}\n", rank, pools);
  }
}

Result<ResourceGraph> load(const QueryOptions& o, const std::string& dominant) {
  auto machine = load_machine({.path = o.load_file,
                               .format = o.load_format,
                               .allowlist = o.load_allowlist,
                               .dominant = dominant,
                               .divisible = o.divisible,
                               .beyond_fluxion = false,
                               .dash_is_input = false},
                              stderr);
  if (!machine) return std::unexpected(machine.error());
  return std::move(machine->graph);
}

// The first of the matcher's subsystems without a root in the graph; empty if all have one.
std::string missing_subsystem(const ResourceGraph& graph,
                              const std::vector<std::string>& subsystems) {
  for (const std::string& name : subsystems) {
    const std::uint32_t s = graph.names().subsystems.find(name);
    if (s == Interner::kNone ||
        graph.subsystem_root(SubsystemId{static_cast<std::uint8_t>(s)}) == kNoPool) {
      return name;
    }
  }
  return {};
}

// The engine on the machine of the options. The errors have the texts of the reference.
Result<std::unique_ptr<Engine>> load_engine(const QueryOptions& o, EngineOptions options,
                                            const std::vector<std::string>& subsystems) {
  const auto no_traverser = [](const std::string& why) {
    return fail(ErrorCode::not_found,
                fmt::format("initialize_matchers_and_traversers: ERROR: can't "
                            "initialize traverser: {}\n",
                            why));
  };
  auto graph = load(o, subsystems[0]);
  if (!graph && graph.error().code == ErrorCode::not_found) return no_traverser(graph.error().text);
  if (!graph) {
    return fail(graph.error().code,
                fmt::format("resource_query_t: ERROR: error in reading {} string; {}\n"
                            "ERROR: error generating resources\n",
                            o.load_format, graph.error().message()));
  }
  if (const std::string name = missing_subsystem(*graph, subsystems); !name.empty()) {
    return no_traverser("no subsystem named " + name + " with a root in this graph");
  }
  if (!o.prune_filters.empty()) options.prune_filters = o.prune_filters;
  options.auxiliary.assign(subsystems.begin() + 1, subsystems.end());
  auto engine = Engine::create(std::move(*graph), std::move(options));
  if (engine) return engine;
  return fail(engine.error().code,
              fmt::format("initialize_matchers_and_traversers: ERROR: can't set "
                          "pruning filters: {}\n",
                          engine.error().text));
}

// Writes the matcher's graph to BASE.dot or BASE.graphml.
Result<void> write_graph(const QueryOptions& o, const ResourceGraph& graph,
                         const std::vector<std::string>& subsystems) {
  const std::string path = o.graph_output + (o.graph_graphml ? ".graphml" : ".dot");
  Output out;
  if (!out.open(path)) return fail(ErrorCode::io, "can't open " + path + " for --graph-output");
  std::vector<SubsystemId> chosen;
  for (const std::string& name : subsystems) {
    const std::uint32_t s = graph.names().subsystems.find(name);
    if (s != Interner::kNone) chosen.push_back(SubsystemId{static_cast<std::uint8_t>(s)});
  }
  auto sink = [&](std::string_view piece) { return out.write(piece); };
  auto written =
      o.graph_graphml ? write_graphml(graph, chosen, sink) : write_dot(graph, chosen, sink);
  if (!written) return written;
  return out.close();
}

int run(const QueryOptions& o, std::span<const Policy> own, QueryStreams& streams) {
  const std::vector<std::string> subsystems = fluxion::matcher_subsystems(o.match_subsystems);
  if (subsystems.empty()) {
    return runtime_error(streams,
                         "resource_query_t: ERROR: unknown matcher for --match-subsystems: " +
                             o.match_subsystems + " (see --help)");
  }
  const auto traverser = fluxion::parse_traverser(o.traverser);
  if (!traverser) {
    return runtime_error(streams,
                         fmt::format("resource_query_t: ERROR: --traverser-policy={} is not known; "
                                     "use simple, flexible or loop-aware",
                                     o.traverser));
  }
  auto chosen = choose_policy(o.match_policy, own);
  if (!chosen) {
    return runtime_error(streams,
                         "resource_query_t: ERROR: can't create matcher: " + chosen.error().text);
  }
  if (!o.test_output.empty()) {
    if (auto opened = streams.results_to(o.test_output); !opened) {
      return runtime_error(streams, opened.error().text);
    }
  }
  const Stopwatch watch;
  auto engine = load_engine(
      o, {.policy = std::move(chosen->policy), .traverser = *traverser, .growth_waits = true},
      subsystems);
  if (!engine) return runtime_error(streams, engine.error().text);
  const double elapsed_s = watch.seconds();
  if (o.elapse_time) print_statistics(**engine, elapsed_s, streams);

  QuerySession session(**engine, o.match_format, o.elapse_time, streams);
  QueryInput input(!o.disable_prompt, streams);
  std::string line;
  while (streams.good() && input.next(line) && session.run(line)) {
  }
  if (auto written = streams.close(); !written) {
    return runtime_error(streams, written.error().text);
  }
  if (o.graph_output.empty()) return 0;
  if (auto written = write_graph(o, (*engine)->graph(), subsystems); !written) {
    return runtime_error(streams, written.error().text);
  }
  return 0;
}

}  // namespace

int resource_query(int argc, char** argv, std::span<const Policy> own) {
  const ParsedOptions parsed = parse_query_options(argc, argv, own);
  if (parsed.exit) return *parsed.exit;
  QueryStreams streams(stdout, stderr);
  try {
    return run(parsed.options, own, streams);
  } catch (const std::bad_alloc&) {
    streams.message("Memory error");  // the text of the reference
    return 1;
  } catch (const PolicyFailure& failure) {
    return runtime_error(streams, failure.what());
  }
}

}  // namespace copse
