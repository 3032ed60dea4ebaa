// SPDX-License-Identifier: Apache-2.0
//
// copse status: what of a machine is free, allocated and down.
#include <memory>

#include "session/machine_status.hpp"
#include "text/printable.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

struct StatusOptions {
  MachineSetup setup;
  bool json = false;
};

int run_status(const StatusOptions& o) {
  auto engine = set_up(o.setup);
  if (!engine) return unusable(engine.error());
  const MachineStatus status = status_of(**engine);
  std::string out;
  if (o.json) {
    append_status_json(out, status);
    out += '\n';
  } else {
    append_status_text(out, status);
    out = printable(out, LineEnds::keep);
  }
  const auto written = write_out({}, out);
  return written ? kDone : unusable(written.error());
}

}  // namespace

void add_status(CommandLine& line) {
  auto o = std::make_shared<StatusOptions>();
  CommandLine sub = line.command(
      "status", "Show what of a machine is free, allocated and down",
      "Examples:\n"
      "  copse status -L machine.json --running running.jsonl --now now\n"
      "  copse status -L machine.graphml --down /cluster0/rack0/node3 --json | jq .free.nodelist",
      [o] { return run_status(*o); });
  add_machine_options(sub, o->setup, true);
  sub.flag("--json", o->json, "as one line of JSON");
}

}  // namespace copse
