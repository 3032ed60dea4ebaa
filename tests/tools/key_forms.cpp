// SPDX-License-Identifier: Apache-2.0
#include "tools/key_forms.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "formats/hres/hres.hpp"
#include "formats/rv1/resource_config.hpp"
#include "plan/streams/job_reader.hpp"
#include "plan/streams/reservation_lines.hpp"
#include "queue/config/queue_config.hpp"
#include "request/jobspec_keys.hpp"

namespace copse {

void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

std::string text_of(const Form& form, const Members& members) {
  std::string out = form.before;
  bool first = true;
  for (const auto& [key, value] : members) {
    if (!first) out += form.syntax == Syntax::toml_lines ? "\n" : ", ";
    out += form.syntax == Syntax::json ? fmt::format("\"{}\": {}", key, value)
                                       : fmt::format("{} = {}", key, value);
    first = false;
  }
  return out + form.after;
}

Members members_with(const Form& form, const std::string& key) {
  Members out = form.needed;
  if (const auto at = form.without.find(key); at != form.without.end()) {
    for (const std::string& other : at->second) out.erase(other);
  }
  if (!out.contains(key)) out[key] = form.good.at(key);
  return out;
}

std::string misspelt(std::string_view key, KnownKeys keys) {
  std::string out;
  for (std::size_t i = 0; i + 1 < key.size(); ++i) {
    out = key;
    std::swap(out[i], out[i + 1]);
    if (out != key && find_key(keys, out) == nullptr) return out;
  }
  return std::string(key) + std::string(key.substr(key.size() - 1));
}

std::vector<std::string> wrong_values(const KnownKey& key, Syntax syntax) {
  const bool json = syntax == Syntax::json;
  const std::vector<std::pair<unsigned, std::string>> kinds{
      {KnownKey::kText, "\"three\""},
      {KnownKey::kNumber, "5"},
      {KnownKey::kTruth, "true"},
      {KnownKey::kList, "[[]]"},
      {KnownKey::kMapping, json ? R"({"a": 1})" : "{a = 1}"}};
  std::vector<std::string> out;
  for (const auto& [kind, value] : kinds) {
    if ((key.takes & kind) == 0) out.push_back(value);
  }
  if (json && (key.takes & KnownKey::kNull) == 0) out.emplace_back("null");
  if ((key.takes & KnownKey::kText) != 0) {
    out.emplace_back("\"\"");
    out.emplace_back("\"[?,\"");
    out.emplace_back("\"99999999999999999999\"");
  }
  if ((key.takes & KnownKey::kNumber) != 0) {
    for (const char* value : {"99999999999999999999", "-99999999999999999999", "1e400", "1.5"}) {
      out.emplace_back(value);
    }
  }
  return out;
}

namespace {

using Words = std::vector<std::string>;

// A scalar of any kind is a name.
std::set<std::string> any_name(std::initializer_list<std::string> keys) {
  std::set<std::string> out;
  for (const std::string& key : keys) {
    for (const char* value : {"\"[?,\"", "\"99999999999999999999\"", "99999999999999999999",
                              "-99999999999999999999", "1e400", "1.5"}) {
      out.insert(key + ' ' + value);
    }
  }
  return out;
}
std::set<std::string> both(std::set<std::string> a, const std::set<std::string>& b) {
  a.insert(b.begin(), b.end());
  return a;
}

const std::string kSlot =
    R"({"type": "slot", "count": 1, "label": "a", "with": [{"type": "core", "count": 1}]})";
const std::string kTask = R"({"command": ["a"], "slot": "a", "count": {"per_slot": 1}})";
const Words kMatch{"match", "-L", "machines/desk.graphml", "made"};
const Words kSupply{"supply", "-L", "hres/cluster.json", "--hres", "made"};
const Words kPlan{"plan", "-L", "hres/cluster.json", "--hres", "hres/resources.yaml", "made"};

std::vector<Form> jobspec_forms() {
  const std::string head = R"({"version": 1, "resources": [)" + kSlot + "], ";
  std::vector<Form> out;
  out.push_back({.name = "jobspec",
                 .keys = kJobspecKeys,
                 .words = kMatch,
                 .before = "{",
                 .after = "}",
                 .needed = {{"version", "1"},
                            {"resources", '[' + kSlot + ']'},
                            {"tasks", '[' + kTask + ']'},
                            {"attributes", "{}"}},
                 .right = {}});
  const Members resource{{"type", "\"slot\""},
                         {"count", "1"},
                         {"label", "\"a\""},
                         {"with", R"([{"type": "core", "count": 1}])"}};
  out.push_back({.name = "jobspec_resource",
                 .keys = kJobspecResourceKeys,
                 .words = kMatch,
                 .before = R"({"version": 1, "resources": [{)",
                 .after = R"(}], "tasks": [], "attributes": {}})",
                 .needed = resource,
                 .good = {{"unit", "\"GB\""}, {"exclusive", "true"}, {"id", "\"x\""}},
                 .right = both(any_name({"unit", "label", "id"}), {"unit \"\"", "id \"\""})});
  out.push_back({.name = "jobspec_count",
                 .keys = kJobspecCountKeys,
                 .words = kMatch,
                 .before = R"({"version": 1, "resources": [{"type": "slot", "label": "a",
                            "with": [{"type": "core", "count": 1}], "count": {)",
                 .after = R"(}}], "tasks": [], "attributes": {}})",
                 .needed = {{"min", "1"}, {"max", "2"}, {"operator", "\"+\""}, {"operand", "1"}}});
  out.push_back(
      {.name = "jobspec_task",
       .keys = kJobspecTaskKeys,
       .words = kMatch,
       .before = head + R"("attributes": {}, "tasks": [{)",
       .after = "}]}",
       .needed = {{"command", "[\"a\"]"}, {"slot", "\"a\""}, {"count", R"({"total": 1})"}},
       .good = {{"distribution", "\"x\""}, {"attributes", "{}"}},
       .right = {}});
  out.push_back({.name = "jobspec_task_count",
                 .keys = kJobspecTaskCountKeys,
                 .words = kMatch,
                 .before = head + R"("attributes": {}, "tasks": [{"command": ["a"], "slot": "a",
                            "count": {)",
                 .after = "}}]}",
                 .good = {{"per_slot", "1"}, {"per_resource", "1"}, {"total", "1"}}});
  out.push_back({.name = "jobspec_attributes",
                 .keys = kJobspecAttributesKeys,
                 .words = kMatch,
                 .before = head + R"("tasks": [], "attributes": {)",
                 .after = "}}",
                 .good = {{"user", "1"}, {"system", "{}"}}});
  out.push_back(
      {.name = "jobspec_system",
       .keys = kJobspecSystemKeys,
       .words = {"match", "-L", "hres/cluster.json", "--hres", "hres/resources.yaml", "made"},
       .before = head + R"("tasks": [], "attributes": {"system": {)",
       .after = "}}}",
       .good = {{"duration", "60"},
                {"queue", "\"q\""},
                {"hres", "\"flat:1\""},
                {"constraints", R"({"hostlist": ["node01"]})"}},
       .right = both(any_name({"queue"}), {"queue \"\"", "duration 1.5"})});
  return out;
}

std::vector<Form> supply_forms() {
  const std::string layers = R"([{"nodes": "node[01-32]", "count": 10}])";
  const std::string head = R"([{"resource": "power", "mode": "MODE_3", )";
  std::vector<Form> out;
  out.push_back(
      {.name = "hres_resource",
       .keys = kHresResourceKeys,
       .words = kSupply,
       .before = "[{",
       .after = "}]",
       .needed = {{"resource", "\"power\""}, {"mode", "\"MODE_3\""}, {"layers", layers}},
       .good = {{"topology", "\"blok1\""}, {"variables", R"([{"name": "a", "value": 1}])"}},
       .right = any_name({"resource", "topology"})});
  out.push_back({.name = "hres_layer",
                 .keys = kHresLayerKeys,
                 .words = kSupply,
                 .before = head + R"("layers": [{)",
                 .after = "}]}]",
                 .needed = {{"nodes", "\"node[01-32]\""}, {"count", "10"}},
                 .good = {{"base", R"([{"name": "fans", "value": 1}])"}}});
  out.push_back({.name = "hres_variable",
                 .keys = kHresVariableKeys,
                 .words = kSupply,
                 .before = head + R"("layers": )" + layers + R"(, "variables": [{)",
                 .after = "}]}]",
                 .needed = {{"name", "\"full\""}, {"value", "10"}},
                 .good = {{"property", "\"gpu\""}},
                 .right = any_name({"name", "property"})});
  out.push_back({.name = "hres_base",
                 .keys = kHresBaseKeys,
                 .words = kSupply,
                 .before = head + R"("layers": [{"nodes": "node[01-32]", "count": 10, "base": [{)",
                 .after = "}]}]}]",
                 .needed = {{"name", "\"fans\""}, {"value", "1"}},
                 .right = any_name({"name"})});
  return out;
}

std::vector<Form> toml_forms() {
  std::vector<Form> out;
  out.push_back({.name = "toml_resource",
                 .keys = kResourceConfigKeys,
                 .syntax = Syntax::toml_lines,
                 .words = {"r", "parse-config", "made"},
                 .before = "[resource]\n",
                 .after = "\n",
                 .needed = {{"config", R"([{hosts = "n[0-1]", cores = "0-3"}])"}},
                 .good = {{"path", "\"r.json\""}, {"scheduling", "\"topo.json\""}},
                 .without = {{"path", {"config"}}},
                 // Names of files, which are read next.
                 .right = any_name({"path", "scheduling"})});
  out.push_back({.name = "toml_entry",
                 .keys = kResourceConfigEntryKeys,
                 .syntax = Syntax::toml_inline,
                 .words = {"r", "parse-config", "made"},
                 .before = "[resource]\nconfig = [{",
                 .after = "}]\n",
                 .needed = {{"hosts", "\"n[0-1]\""}, {"cores", "\"0-3\""}},
                 .good = {{"gpus", "\"0\""}, {"properties", "[\"fast\"]"}},
                 .right = {"hosts \"99999999999999999999\"", "gpus \"\""}});
  return out;
}

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
                   {"jobspec", R"({"version": 1, "resources": [)" + kSlot +
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
          // What the machine does not have, it says of the job.
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

// Texts that are passed over, or that say nothing.
std::set<std::string> any_text(std::initializer_list<std::string> keys) {
  std::set<std::string> out;
  for (const std::string& key : keys) {
    for (const char* value : {"\"\"", "\"[?,\"", "\"99999999999999999999\""}) {
      out.insert(key + ' ' + value);
    }
  }
  return out;
}

// A table of the queues of a plan; `head` is what stands before its lines.
Form queue_form(std::string name, KnownKeys keys, std::string head, Members good) {
  return {.name = std::move(name),
          .keys = keys,
          .syntax = Syntax::toml_lines,
          .words = {"plan", "-L", "hres/cluster.json", "--queues", "made", "jobs.jsonl"},
          .before = std::move(head),
          .after = "\n",
          .good = std::move(good)};
}

std::vector<Form> queue_table_forms() {
  std::vector<Form> out;
  out.push_back(
      queue_form("queues_tables", queue::kQueueTables, "",
                 {{"policy", "{}"}, {"sched-copse", "{}"}, {"sched-fluxion-qmanager", "{}"}}));
  out.back().needed = {{"queues", "{batch = {}}"}};
  out.push_back(queue_form("queue", queue::kQueueKeys, "[queues.main]\n[queues.batch]\n",
                           {{"requires", "[]"},
                            {"hosts", "\"node[01-32]\""},
                            {"parent", "\"main\""},
                            {"policy", "{}"}}));
  out.push_back(queue_form("queues_scheduler", queue::kSchedulerKeys,
                           "[queues.batch]\n[sched-copse]\n",
                           {{"queue-policy", "\"easy\""},
                            {"queue-params", "\"queue-depth=8\""},
                            {"policy-params", "{reservation-depth = 2}"},
                            {"queue-policy-per-queue", "\"batch:fcfs\""},
                            {"queue-params-per-queue", "\"batch:queue-depth=8\""},
                            {"policy-params-per-queue", "\"batch:reservation-depth=2\""},
                            {"priority", "{}"},
                            {"match-policy", "\"low\""},
                            {"traverser", "\"simple\""},
                            {"mode", "\"limited=8\""},
                            {"hres", "\"resources.yaml\""},
                            {"inventory", "\"machine.graphml\""},
                            {"inventory-format", "\"grug\""},
                            {"scheduling", "\"jgf\""}}));
  out.back().right = any_text(
      {"match-policy", "traverser", "mode", "hres", "inventory", "inventory-format", "scheduling"});
  for (const char* key : {"queue-params", "policy-params", "queue-policy-per-queue",
                          "queue-params-per-queue", "policy-params-per-queue"}) {
    out.back().right.insert(std::string(key) + " \"\"");  // none
  }
  out.push_back(queue_form("queues_priority", queue::kPriorityKeys,
                           "[queues.batch]\n[sched-copse.priority]\n",
                           {{"rule", "\"age\""},
                            {"age", "10"},
                            {"size", "-10"},
                            {"fair-share", "0"},
                            {"age-max", "\"7d\""},
                            {"half-life", "3600"},
                            {"period", "\"1:00\""},
                            {"queues", "{batch = 1}"},
                            {"shares", "{ada = 2}"}}));
  out.back().right = {"age 1.5", "size 1.5", "fair-share 1.5"};
  out.push_back(queue_form("queues_policy", queue::kPolicyKeys, "[queues.batch]\n[policy]\n",
                           {{"limits", "{}"}, {"jobspec", "{}"}, {"access", "{}"}}));
  out.push_back(queue_form("queues_limits", queue::kLimitKeys,
                           "[queues.batch]\n[queues.batch.policy.limits]\n",
                           {{"job-size", "{max = {nnodes = 4}}"}, {"duration", "\"1h\""}}));
  out.push_back(queue_form("queues_job_size", queue::kJobSizeKeys,
                           "[queues.batch]\n[policy.limits.job-size]\n",
                           {{"max", "{nnodes = 4}"}, {"min", "{nnodes = 1}"}}));
  out.push_back(queue_form("queues_sizes", queue::kSizeKeys,
                           "[queues.batch]\n[policy.limits.job-size.max]\n",
                           {{"nnodes", "1"}, {"ncores", "-1"}, {"ngpus", "0"}}));
  return out;
}

Form reservation_form() {
  return {.name = "reservation",
          .keys = plan::reservation_keys(),
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

std::string slot_of_a_core() { return kSlot; }

std::vector<Form> key_forms() {
  std::vector<Form> out{plan_form(), plan_event_form(), reservation_form()};
  for (auto more : {jobspec_forms(), supply_forms(), toml_forms(), queue_table_forms()}) {
    std::ranges::move(more, std::back_inserter(out));
  }
  return out;
}

}  // namespace copse
