// SPDX-License-Identifier: Apache-2.0
#include "plan/output/summary_text.hpp"

#include <utility>

#include <fmt/format.h>

#include "text/counted.hpp"
#include "text/json_text.hpp"

namespace copse::plan {

std::string summary_json(const Summary& s, std::string_view discipline,
                         const Provenance& made_with) {
  std::string out = R"({"summary": {"discipline": )";
  append_json(out, discipline);
  out += fmt::format(R"(, "jobs": {}, "started": {}, "refused": {})", s.jobs, s.started, s.refused);
  if (s.skipped > 0) out += fmt::format(", \"skipped\": {}", s.skipped);
  for (const auto& [key, count] : {std::pair{"cancelled", s.cancelled},
                                   {"deadline", s.past_deadline},
                                   {"failed", s.failed},
                                   {"requeued", s.requeues},
                                   {"killed", s.killed},
                                   {"cut", s.cut}}) {
    if (count > 0) out += fmt::format(", \"{}\": {}", key, count);
  }
  const auto& waits = s.of_started;
  const auto figure = [&](std::string_view key, const std::string& value) {
    out += fmt::format(", \"{}\": {}", key, waits ? value : "null");
  };
  out += ", \"makespan\": " + (s.any_ran ? fmt::format("{}", s.makespan_s()) : "null");
  const StartFigures of = waits.value_or(StartFigures());
  figure("mean_wait", fmt::format("{:.2f}", of.mean_wait_s));
  figure("median_wait", fmt::format("{}", of.median_wait_s));
  figure("p90_wait", fmt::format("{}", of.p90_wait_s));
  figure("longest_wait", fmt::format("{}", of.longest_wait_s));
  figure("mean_slowdown", fmt::format("{:.2f}", of.mean_slowdown));
  out += fmt::format(
      ", \"promised\": {}, \"broken\": {}, \"nodes_used\": {:.4f}, \"cores_used\": {:.4f}, "
      "\"longest_queue\": {}",
      s.promised, s.broken, s.nodes_used, s.cores_used, s.longest_queue);
  for (const LevelFigures& level : s.levels) {
    append_json(out += &level == s.levels.data() ? ", \"levels\": {" : ", ", level.level);
    out += fmt::format(
        ": {{\"mean_pools\": {:.3f}, \"least_at_start\": {:.3f}, \"least\": {:.3f}, "
        "\"fragmentation\": {:.4f}}}",
        level.mean_pools, level.least_at_start, level.least, level.fragmentation);
  }
  if (!s.levels.empty()) out += '}';
  if (s.commonest_refusal) {
    append_json(out += ", \"commonest_refusal\": {\"reason\": ", s.commonest_refusal->reason);
    out += fmt::format(", \"jobs\": {}}}", s.commonest_refusal->jobs);
  }
  append_json(out += ", \"machine\": ", made_with.machine);
  const auto file = [&](std::string_view key, const std::string& path) {
    if (!path.empty()) append_json(out += fmt::format(", \"{}\": ", key), path);
  };
  file("stream", made_with.stream);
  const auto list = [&](std::string_view key, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      append_json(out += &word == words.data() ? fmt::format(", \"{}\": [", key) : ", ", word);
    }
    if (!words.empty()) out += ']';
  };
  list("running", made_with.running);
  list("down", made_with.down);
  if (made_with.now_s) out += fmt::format(", \"now\": {}", *made_with.now_s);
  if (made_with.processors_per_node > 0) {
    out += fmt::format(", \"processors_per_node\": {}", made_with.processors_per_node);
  }
  file("hres", made_with.hres);
  file("hres_request", made_with.hres_request);
  file("priority", made_with.priority);
  file("queues", made_with.queues);
  file("reservations", made_with.reservations);
  file("events", made_with.events);
  append_json(out += ", \"policy\": ", made_with.policy);
  append_json(out += ", \"traverser\": ", made_with.traverser);
  if (made_with.offered_load) out += fmt::format(", \"offered_load\": {}", *made_with.offered_load);
  if (made_with.seed) out += fmt::format(", \"seed\": {}", *made_with.seed);
  if (made_with.generated_users > 0) {
    out += fmt::format(", \"generated_users\": {}", made_with.generated_users);
  }
  list("generated_queues", made_with.generated_queues);
  append_json(out += ", \"version\": ", made_with.version);
  out += "}}\n";
  return out;
}

std::string summary_text(const Summary& s, std::string_view discipline) {
  std::string out = fmt::format("discipline        {}\njobs              {} started, {} refused",
                                discipline, s.started, s.refused);
  for (const auto& [words, count] : {std::pair{"cancelled", s.cancelled},
                                     {"past their deadline", s.past_deadline},
                                     {"failed", s.failed},
                                     {"requeued", s.requeues},
                                     {"killed at their limit", s.killed}}) {
    if (count > 0) out += fmt::format(", {} {}", count, words);
  }
  out += '\n' + refusal_text(s);
  if (s.any_ran) out += fmt::format("makespan          {} s\n", s.makespan_s());
  if (const auto& of = s.of_started) {
    out += fmt::format(
        "wait              mean {:.1f} s, median {} s, longest {} s\n"
        "bounded slowdown  mean {:.2f}\n",
        of->mean_wait_s, of->median_wait_s, of->longest_wait_s, of->mean_slowdown);
  }
  out += fmt::format("utilization       nodes {:.1f} %, cores {:.1f} %\n", 100 * s.nodes_used,
                     100 * s.cores_used);
  for (const LevelFigures& level : s.levels) {
    out += fmt::format(
        "{:<17} mean {:.2f} a job of several nodes, at least {:.2f}; fragmentation {:.1f} %\n",
        level.level, level.mean_pools, level.least_at_start, 100 * level.fragmentation);
  }
  out += fmt::format("longest queue     {}\n", counted(s.longest_queue, "job"));
  return out;
}

std::string refusal_text(const Summary& s) {
  if (!s.commonest_refusal) return {};
  std::string out = "refused because   " + s.commonest_refusal->reason;
  if (s.commonest_refusal->jobs < s.refused) {
    out += fmt::format(" ({} of {} jobs)", s.commonest_refusal->jobs, s.refused);
  }
  return out + '\n';
}

}  // namespace copse::plan
