// SPDX-License-Identifier: Apache-2.0
//
// Events of jobs, as a service sends them, in words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "request/tree/yaml_tree.hpp"

namespace copse {

struct JobEvent {
  std::string text;  // as it came
  Tree tree;
  std::string event;  // "submit", "start", "end", …
  std::int64_t job = 0;
  [[nodiscard]] TreeView top() const { return TreeView(tree); }
};
// Nothing: the line is not an event of a job, but for instance an effect of the engine.
[[nodiscard]] std::optional<JobEvent> read_job_event(std::string_view line);

// A line: "2026-11-22T12:00:00Z job 7 starts on node[0-3]".
[[nodiscard]] std::string event_words(const JobEvent& event);
// How a job ended, of a job or an event: "done", "failed with status 3", "lost: …".
[[nodiscard]] std::string ending_words(TreeView job);
// Whether it succeeded.
[[nodiscard]] bool ended_well(TreeView job);
// "node[0-3]" of an R; "": it names none.
[[nodiscard]] std::string nodelist_of_r(TreeView r);

}  // namespace copse
