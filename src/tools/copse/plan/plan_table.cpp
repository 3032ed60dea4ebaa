// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/plan/plan_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/duration.hpp"
#include "text/printable.hpp"

namespace copse {

std::string shown_name(const plan::Job& job) { return printable(job.name, LineEnds::escape); }

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
    const plan::NodeRange* const first = record.ranges(run);
    std::string nodes;
    record.node_rows().append_names(nodes, {first, first + run.ranges});
    if (run.draw > 0) nodes += " " + record.draws()[run.draw];
    if (const char* const how = plan::word(run.ending)) nodes += fmt::format(" ({})", how);
    out += fmt::format("{:<{}} {:>12} {:>12} {:>12} {:>12} {}\n", shown_name(job), width,
                       duration_text(job.submit_s), duration_text(run.start_s - job.submit_s),
                       duration_text(run.start_s), duration_text(run.end_s - run.start_s), nodes);
  }
}

}  // namespace copse
