// SPDX-License-Identifier: Apache-2.0
//
// copse flux: questions to sched-copse about the jobs of a Flux instance. It runs Flux's own command,
// `flux copse` (packaging/flux/flux-copse.py), which speaks Flux's protocols.
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/job_id.hpp"
#include "tools/copse/copse.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX requires the declaration

namespace copse {

namespace {

constexpr std::size_t kNodesMax = 1'000'000;

struct FluxWords {
  std::string job, resource, nodes, service = "sched-copse";
  std::int64_t count = 0;
  bool json = false, whole = false;
};

int run_flux(std::vector<std::string> words, const FluxWords& more) {
  words.insert(words.begin(), {"flux", "copse"});
  if (more.json) words.emplace_back("--json");
  if (more.whole) words.emplace_back("--long");
  words.push_back("--service=" + more.service);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "flux", nullptr, nullptr, argv.data(), environ);
  if (failed != 0) {
    return unusable(
        {ErrorCode::io,
         fmt::format("can't run flux: {} (is Flux installed, and in PATH?)", std::strerror(failed)),
         {}});
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? kDone : kUnusable;
}

int run_on_job(const std::string& command, const FluxWords& words) {
  const auto id = parse_job_id(words.job);
  if (id) return run_flux({command, f58_text(*id)}, words);
  return unusable({ErrorCode::invalid,
                   fmt::format("\"{}\" is not a job id, such as ƒ8DQnJuV or 1234", words.job),
                   {}});
}

int run_why(const FluxWords& words) { return run_on_job("why", words); }
int run_when(const FluxWords& words) { return run_on_job("when", words); }
int run_layers(const FluxWords& words) { return run_flux({"layers"}, words); }
int run_set_layer(const FluxWords& words) {
  if (auto hosts = expand_hostlist(words.nodes, kNodesMax); !hosts) return unusable(hosts.error());
  return run_flux({"set-layer", words.resource, words.nodes, std::to_string(words.count)}, words);
}

struct FluxCommand {
  CommandLine line;
  std::shared_ptr<FluxWords> words = std::make_shared<FluxWords>();
};

FluxCommand flux_command(CommandLine& group, const std::string& name, const std::string& about,
                         const std::string& example, int (*run)(const FluxWords&)) {
  const auto words = std::make_shared<FluxWords>();
  FluxCommand out{
      group.command(name, about, "Examples:\n  " + example, [words, run] { return run(*words); }),
      words};
  out.line.streams({}, "the answer");
  out.line.option("--service", words->service, "the name of the module (default: sched-copse)")
      .unit("NAME");
  return out;
}

}  // namespace

void add_flux(CommandLine& line) {
  CommandLine group = line.group("flux", "Ask the scheduler of a Flux instance, sched-copse",
                                 "Examples:\n  copse flux why ƒ8DQnJuV");
  FluxCommand why = flux_command(group, "why", "Explain why a job waits, and what would help",
                                 "copse flux why ƒ8DQnJuV", run_why);
  FluxCommand when = flux_command(group, "when", "Show when a job starts, if nothing else happens",
                                  "copse flux when ƒ8DQnJuV", run_when);
  for (FluxCommand* of : {&why, &when}) {
    of->line.option("job", of->words->job, "the id of the job, as Flux prints it")
        .unit("JOBID")
        .required();
  }
  why.line.flag("--long", why.words->whole,
                "the whole sentence: all numbers, and the jobs that have the rest");
  FluxCommand layers = flux_command(group, "layers", "Show hierarchical resources and their use",
                                    "copse flux layers", run_layers);
  for (FluxCommand* of : {&why, &when, &layers}) {
    of->line.flag("--json", of->words->json, "print one JSON object");
  }
  FluxCommand set = flux_command(group, "set-layer", "Change the count of a layer, while jobs run",
                                 "copse flux set-layer license root[0-99] 20", run_set_layer);
  set.line.option("resource", set.words->resource, "the resource").unit("NAME").required();
  set.line.option("nodes", set.words->nodes, "the nodes of the layer, as `layers` shows them")
      .unit("HOSTLIST")
      .required();
  set.line.option("count", set.words->count, "the new count").unit("N").required();
}

}  // namespace copse
