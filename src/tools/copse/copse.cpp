// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/copse.hpp"

#include <map>
#include <new>

namespace copse {

int unusable(const Error& error) {
  write_error("copse: " + error.message() + "\n");
  return kUnusable;
}

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& examples, Command& chosen, const Command& command) {
  CLI::App* sub = app.add_subcommand(name, description);
  sub->footer(examples);
  sub->callback([&chosen, command] { chosen = command; });
  return sub;
}

void add_machine_options(CLI::App& app, MachineSetup& setup, bool engine) {
  app.add_option("-L,--load-file", setup.machine.path, "the machine")->required();
  app.add_option("-f,--load-format", setup.machine.format,
                 "grug, jgf, jgf_shorthand, rv1exec or hwloc; else told by the text");
  app.add_option("-W,--load-allowlist", setup.machine.allowlist,
                 "of hwloc: what to keep, separated by commas");
  app.add_option("-S,--subsystem", setup.machine.dominant,
                 "the subsystem to match (default: containment)");
  if (!engine) return;
  app.add_option(
      "-P,--match-policy", setup.policy,
      "first (default), low, high, lonode, …, or words: \"policy=low node_centric=true\"");
  static const std::map<std::string, Traverser> traversers{{"simple", Traverser::simple},
                                                           {"flexible", Traverser::flexible},
                                                           {"loop-aware", Traverser::loop_aware}};
  app.add_option("-T,--traverser-policy", setup.traverser,
                 "simple, flexible or loop-aware (default)")
      ->transform(CLI::CheckedTransformer(traversers, CLI::ignore_case).description(""));
  app.add_option("-p,--prune-filters", setup.prune_filters,
                 "what is tracked where (default: ALL:core,ALL:node)");
  app.add_option("--auxiliary", setup.auxiliary,
                 "subsystems along which requests draw, separated by commas: power,pfs1bw")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--running", setup.running,
                 "an R or JGF whose resources are in use; may be given several times")
      ->allow_extra_args(false);
  app.add_option("--down", setup.down, "a path that is down; may be given several times")
      ->allow_extra_args(false);
  app.add_option("--hres", setup.hres, "hierarchical resources: a resources.yaml");
  static const std::map<std::string, LayerOrder> orders{{"count", LayerOrder::count},
                                                        {"file", LayerOrder::file}};
  app.add_option("--hres-layer-order", setup.layer_order,
                 "in mode 1 the layer with the largest count pays first (count, default), or the "
                 "first in the file (file)")
      ->transform(CLI::CheckedTransformer(orders).description(""));
}

int copse_tool(int argc, const char* const* argv) {
  CLI::App app(
      "One engine for hierarchical HPC resources: which cores, GPUs and memory, on which "
      "nodes,\nnow or from when?",
      "copse");
  app.footer(
      "Examples:\n"
      "  copse match -L machine.graphml job.yaml\n"
      "  copse match -L machine.json --explain job.yaml\n"
      "  copse show -L machine.graphml -o machine.svg\n"
      "  copse r decode --short r.json\n"
      "  copse plan -L machine.graphml --gantt plan.svg jobs.jsonl\n"
      "Every command has its own --help.");
  app.set_version_flag("--version", "copse " COPSE_VERSION);
  app.require_subcommand(1);
  Command chosen;
  add_match(app, chosen);
  add_machine(app, chosen);
  add_plan(app, chosen);
  add_jobspec(app, chosen);
  add_r(app, chosen);
  add_session(app, chosen);
  add_supply(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (app.exit(error) != 0) return kUnusable;
    const auto shown = flush_standard_output();  // --help, --version
    return shown ? kDone : unusable(shown.error());
  }
  try {
    return chosen ? chosen() : kUnusable;
  } catch (const std::bad_alloc&) {
    write_error("copse: not enough memory\n");
    return kUnusable;
  }
}

}  // namespace copse
