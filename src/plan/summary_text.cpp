// SPDX-License-Identifier: Apache-2.0
#include "plan/summary_text.hpp"

#include <utility>

#include <fmt/format.h>

#include "text/json_text.hpp"

namespace copse::plan {

std::string summary_json(const Summary& s, std::string_view discipline, const Provenance& made_with,
                         bool compared) {
  std::string out = fmt::format(
      "{{\"summary\": {{\"discipline\": \"{}\", \"jobs\": {}, \"started\": {}, \"refused\": {}",
      discipline, s.jobs, s.started, s.refused);
  if (s.skipped > 0) out += fmt::format(", \"skipped\": {}", s.skipped);
  for (const auto& [key, count] : {std::pair{"cancelled", s.cancelled},
                                   {"deadline", s.past_deadline},
                                   {"failed", s.failed},
                                   {"requeued", s.requeues},
                                   {"killed", s.killed},
                                   {"cut", s.cut}}) {
    if (count > 0) out += fmt::format(", \"{}\": {}", key, count);
  }
  out += fmt::format(", \"makespan\": {}, \"mean_wait\": {:.2f}, \"median_wait\": {}",
                     s.makespan_s(), s.mean_wait_s, s.median_wait_s);
  if (compared) {
    out += fmt::format(", \"p90_wait\": {}, \"promised\": {}, \"broken\": {}", s.p90_wait_s,
                       s.promised, s.broken);
  }
  out += fmt::format(
      ", \"longest_wait\": {}, "
      "\"mean_slowdown\": {:.2f}, \"nodes_used\": {:.4f}, \"cores_used\": {:.4f}, "
      "\"longest_queue\": {}, \"machine\": ",
      s.longest_wait_s, s.mean_slowdown, s.nodes_used, s.cores_used, s.longest_queue);
  append_json(out, made_with.machine);
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
  out += fmt::format(
      "\nmakespan          {} s\n"
      "wait              mean {:.1f} s, median {} s, longest {} s\nbounded slowdown  mean {:.2f}\n"
      "utilization       nodes {:.1f} %, cores {:.1f} %\nlongest queue     {} job{}\n",
      s.makespan_s(), s.mean_wait_s, s.median_wait_s, s.longest_wait_s, s.mean_slowdown,
      100 * s.nodes_used, 100 * s.cores_used, s.longest_queue, s.longest_queue == 1 ? "" : "s");
  return out;
}

}  // namespace copse::plan
