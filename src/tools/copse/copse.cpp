// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/copse.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/version.hpp"
#include "copse/policy.hpp"
#include "formats/formats.hpp"
#include "formats/hwloc/hwloc_read.hpp"
#include "formats/machine_formats.hpp"
#include "match/option_names.hpp"
#include "match/shared/scores.hpp"
#include "text/printable.hpp"
#include "tools/copse/client/client_commands.hpp"
#include "tools/copse/command_line/parse_line.hpp"
#include "tools/copse/command_line/value_check.hpp"
#include "tools/copse/serve/serve_config.hpp"

namespace copse {

int unusable(const Error& error) {
  write_error("copse: " + printable(error.message(), LineEnds::escape) + "\n");
  return kUnusable;
}

int write_text(std::string_view text, const std::string& path, int status) {
  const auto written = write_out(path, text);
  return written ? status : unusable(written.error());
}

int write_words(std::string_view text) { return write_text(printable(text, LineEnds::keep)); }

Error unknown_format(const std::string& option, const std::string& name, std::string_view more) {
  return {ErrorCode::invalid, unknown_among("format", name, result_formats(more)), {option}};
}

std::vector<std::string> result_formats(std::string_view more) {
  std::vector<std::string> out;
  if (!more.empty()) out.emplace_back(more);
  out.insert(out.end(), kFormatNames.begin(), kFormatNames.end());
  return out;
}

namespace {

std::vector<std::string> policy_words() {
  std::vector<std::string> out;
  for (const Policy& policy : bundled_policies()) out.push_back(policy.name);
  out.insert(out.end(), {"policy=high", "policy=low"});
  return out;
}

void add_engine_options(CommandLine& line, MachineSetup& setup) {
  line.option("-P,--match-policy", setup.policy,
              "which resources are preferred: compact, few-racks, first, low, high, …; words: "
              "\"policy=low node_centric=true\"; or your own plugin: ./coolest.so (default: " +
                  setup.policy + (setup.policy_by_levels ? "; on several racks few-racks)" : ")"))
      .unit("POLICY")
      .suggests(policy_words())
      .when_given([&setup] { setup.policy_given = true; });
  line.choice("-T,--traverser-policy", setup.traverser,
              {{word(Traverser::simple), Traverser::simple},
               {word(Traverser::flexible), Traverser::flexible},
               {word(Traverser::loop_aware), Traverser::loop_aware},
               {word(Traverser::treepool), Traverser::treepool}},
              fmt::format("simple, flexible, loop-aware or treepool (default: {}; an R of TreePool "
                          "has its own)",
                          word(setup.traverser)))
      .unit("NAME")
      .when_given([&setup] { setup.traverser_given = true; });
  line.option("-p,--prune-filters", setup.prune_filters,
              "the types to count, and at which pools (default: ALL:core,ALL:node)")
      .unit("FILTERS");
  line.list("--auxiliary", setup.auxiliary,
            "subsystems whose capacities requests use, separated by commas: power,pfs1bw")
      .unit("NAMES");
  line.option("--running", setup.running,
              "the running jobs: an R or JGF, JSON lines with \"id\" and \"R\", the output of "
              "squeue --json or flux jobs --json, or a directory of such files; - is standard "
              "input; may be repeated")
      .one_at_a_time()
      .reads_file();
  line.flag("--strict", setup.strict,
            "refuse a job of --running that does not fit the machine (default: a warning, and the "
            "rest of the job is used)")
      .needs(line.added("--running"));
  line.time("--now", setup.now_s,
            "the time on the clock of the jobs of --running, such as now or 2026-11-22T12:00 "
            "(default: they all start at 0)")
      .of_a_day();
  line.option("--down", setup.down,
              "pools that are down, with everything below them: a hostlist, ranks or a path; may "
              "be repeated")
      .one_at_a_time()
      .unit("WHERE");
  const auto hres =
      line.option("--hres", setup.hres,
                  "hierarchical resources: a resources.yaml, or slurm.conf for its licences")
          .reads_file();
  line.choice("--hres-layer-order", setup.layer_order,
              {{"count", LayerOrder::count}, {"file", LayerOrder::file}},
              "the layer to charge first in mode 1: the one with the largest count (count, "
              "default), or the first in the file (file)")
      .unit("ORDER")
      .needs(hres);
}

}  // namespace

void add_machine_options(CommandLine& line, MachineSetup& setup, bool engine) {
  line.heading("Machine");
  line.option("-L,--load-file", setup.machine.path, "the machine, or - for standard input")
      .reads_file()
      .required();
  const auto formats = machine_format_names(FormatUser::copse);
  line.option("-f,--load-format", setup.machine.format,
              fmt::format("{} or {} (default: detected from the text)",
                          fmt::join(formats.begin(), formats.end() - 1, ", "), formats.back()))
      .unit("FORMAT")
      .suggests({formats.begin(), formats.end()});
  line.option("-W,--load-allowlist", setup.machine.allowlist,
              "for hwloc: the types to keep, separated by commas")
      .list_of({kHwlocWords.begin(), kHwlocWords.end()})
      .unit("TYPES");
  line.option("--divisible", setup.machine.divisible,
              "types whose pools several jobs share, each with the units that it requests, "
              "separated by commas: memory,ssd (Slurm's memory always)")
      .unit("TYPES");
  line.option("-S,--subsystem", setup.machine.dominant,
              "the subsystem to match and show (default: containment)")
      .unit("NAME")
      .suggests({"containment", "ibnet", "ibnetbw", "power", "pfs1bw", "virtual1"});
  if (engine) add_engine_options(line, setup);
  line.flag("-q,--quiet", setup.quiet, "write no warnings, no progress and no summary of a plan");
  line.heading("Options");
}

static void add_commands(CommandLine& line) {
  add_match(line);
  add_machine(line);
  add_status(line);
  add_plan(line);
  add_jobspec(line);
  add_r(line);
  add_session(line);
  add_serve(line);
  add_state(line);
  add_token(line);
  add_client_commands(line);
  add_flux(line);
  add_replay(line);
  add_hres(line);
}

namespace {

ProgramParts copse_parts() {
  return collect(
      {.name = "copse",
       .about = "One engine for hierarchical HPC resources: which cores, GPUs and memory, on which "
                "nodes, now or from when?",
       .details = "Examples:\n"
                  "  copse match -L machine.graphml job.yaml\n"
                  "  copse match -L machine.json --explain job.yaml\n"
                  "  copse show -L machine.graphml -o machine.svg\n"
                  "  copse r decode --short r.json\n"
                  "  copse plan -L machine.graphml --gantt plan.svg jobs.jsonl\n"
                  "Every command has its own --help.",
       .version = std::string("copse ") + version()},
      add_commands);
}

}  // namespace

OptionTable copse_option_table() { return copse_parts().table(); }

int copse_tool(int argc, const char* const* argv) {
  try {
    const ProgramParts parts = copse_parts();
    std::vector<std::string> words(argv, argv + argc);
    if (std::ranges::any_of(words, [](auto& word) { return word.starts_with("--config"); })) {
      auto all = words_with_config(std::move(words), parts.table());
      if (!all) return unusable(all.error());
      words = std::move(*all);
    }
    std::vector<const char*> texts;
    texts.reserve(words.size());
    for (const std::string& word : words) texts.push_back(word.c_str());
    return run_command_line(static_cast<int>(texts.size()), texts.data(), parts);
  } catch (const std::bad_alloc&) {
    write_error("copse: not enough memory\n");
    return kUnusable;
  } catch (const PolicyFailure& failure) {
    return unusable({ErrorCode::invalid, failure.what(), {}});
  }
}

}  // namespace copse
