// SPDX-License-Identifier: Apache-2.0
//
// copse status: the free, allocated and down parts of a machine.
#include <memory>

#include "session/status/machine_status_text.hpp"
#include "text/printable.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/plan/reservation_file.hpp"

namespace copse {

namespace {

struct StatusOptions {
  MachineSetup setup;
  std::string reservations;
  bool json = false, levels = false;
};

int run_status(const StatusOptions& o) {
  MachineSetup setup = o.setup;
  setup.clock_alone = !o.reservations.empty();  // they have dates
  auto engine = make_engine(setup);
  if (!engine) return unusable(engine.error());
  if (const auto names = reserve_from_file(**engine, o.setup, o.reservations); !names) {
    return unusable(names.error());
  }
  const MachineStatus status = status_of(**engine);
  const auto levels = o.levels ? StatusLevels::with : StatusLevels::without;
  std::string out;
  if (o.json) {
    append_status_json(out, status, levels);
    out += '\n';
  } else {
    append_status_text(out, status, levels);
    out = printable(out, LineEnds::keep);
  }
  return write_text(out);
}

}  // namespace

void add_status(CommandLine& line) {
  auto o = std::make_shared<StatusOptions>();
  CommandLine sub = line.command(
      "status", "Show how much of a machine is free, allocated and down",
      "Examples:\n"
      "  copse status -L machine.json --running running.jsonl --now now\n"
      "  copse status -L slurm.conf --levels\n"
      "  copse status -L machine.graphml --down /cluster0/rack0/node3 --json | jq .free.nodelist",
      [o] { return run_status(*o); });
  add_machine_options(sub, o->setup, true);
  add_reservations_option(sub, o->reservations);
  sub.flag("--json", o->json, "print one line of JSON");
  sub.flag(
      "--levels", o->levels,
      "also print, for each level of racks or switches, the largest job that starts now in one "
      "of them, and the fragmentation");
}

}  // namespace copse
