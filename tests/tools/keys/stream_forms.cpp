// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "plan/streams/job_reader.hpp"
#include "queue/reservation/reservation_reader.hpp"
#include "tools/keys/form_values.hpp"

namespace copse {

namespace {

const std::vector<std::string> kPlan{
    "plan", "-L", "hres/cluster.json", "--hres", "hres/resources.yaml", "made"};

Form plan_form() {
  return {.name = "job",
          .keys = plan::job_line_keys(),
          .words = {"plan", "-L", "hres/cluster.json", "--hres", "hres/resources.yaml",
                    "--reservations", "kept.jsonl", "made"},
          .before = "{\"id\": \"first\", \"nodes\": 1, \"duration\": 1}\n{",
          .after = "}\n",
          .needed = {{"nodes", "1"}, {"duration", "60"}},
          .good = {{"id", "\"a\""},
                   {"submit", "0"},
                   {"run", "5"},
                   {"priority", "1"},
                   {"cores", "1"},
                   {"shape", "\"slot=1/core\""},
                   {"jobspec", R"({"version": 1, "resources": [)" + slot_of_a_core() +
                                   R"(], "tasks": [], "attributes": {}})"},
                   {"hres", "\"flat:1\""},
                   {"queue", "\"q\""},
                   {"user", "\"u\""},
                   {"reservation", "\"kept\""},
                   {"after", "[\"first\"]"},
                   {"dependency", "[\"afterany:first\"]"},
                   {"constraint", R"({"hostlist": ["node01"]})"},
                   {"deadline", "9"}},
          .without = {{"shape", {"nodes"}}, {"jobspec", {"nodes"}}},
          // Types that the machine lacks are reported for the job.
          .right = both(any_name({"id", "queue", "user"}),
                        {"shape \"99999999999999999999\"", "hres \"99999999999999999999\""})};
}

Form plan_event_form() {
  return {.name = "event",
          .keys = plan::event_line_keys(),
          .words = kPlan,
          .before = "{\"id\": \"first\", \"nodes\": 1, \"duration\": 1}\n{",
          .after = "}\n",
          .needed = {{"time", "60"}, {"down", "\"node01\""}},
          .good = {{"up", "\"node01\""},
                   {"drain", "\"node[01-03]\""},
                   {"cancel", "\"first\""},
                   {"hold", "[\"first\"]"},
                   {"release", "\"first\""},
                   {"priority", R"({"first": 3})"},
                   {"reserve", R"({"name": "r", "start": 60, "duration": 5, "nodes": 1})"},
                   {"requeue", "true"}},
          .without = {{"up", {"down"}},
                      {"drain", {"down"}},
                      {"cancel", {"down"}},
                      {"hold", {"down"}},
                      {"release", {"down"}},
                      {"reserve", {"down"}},
                      {"priority", {"down"}}}};
}

Form reservation_form() {
  return {.name = "reservation",
          .keys = queue::reservation_keys(),
          .words = {"plan", "-L", "hres/cluster.json", "--hres", "hres/resources.yaml",
                    "--reservations", "made", "jobs.jsonl"},
          .before = "{",
          .after = "}\n",
          .needed = {{"name", "\"kept\""},
                     {"start", "10"},
                     {"duration", "60"},
                     {"nodes", "3"},
                     {"repeat", "\"daily\""}},
          .good = {{"constraint", R"({"hostlist": ["node[01-05]"]})"},
                   {"shape", "\"slot=3/node\""},
                   {"hres", "\"flat:1\""},
                   {"users", "[\"ada\"]"},
                   {"count", "3"},
                   {"until", "\"2d\""}},
          .without = {{"shape", {"nodes"}}},
          .right = both(any_name({"name", "users"}), {"start 1.5", "until 1.5"})};
}

}  // namespace

std::vector<Form> stream_forms() { return {plan_form(), plan_event_form(), reservation_form()}; }

}  // namespace copse
