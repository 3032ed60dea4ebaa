// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "queue/config/queue_config.hpp"
#include "tools/keys/form_values.hpp"

namespace copse {

namespace {

// Texts that are skipped, or have no effect.
std::set<std::string> any_text(std::initializer_list<std::string> keys) {
  std::set<std::string> out;
  for (const std::string& key : keys) {
    for (const char* value : {"\"\"", "\"[?,\"", "\"99999999999999999999\""}) {
      out.insert(key + ' ' + value);
    }
  }
  return out;
}

// A table of the queues of a plan; `head` comes before its lines.
Form queue_form(std::string name, KnownKeys keys, std::string head, Members good) {
  return {.name = std::move(name),
          .keys = keys,
          .syntax = Syntax::toml_lines,
          .words = {"plan", "-L", "hres/cluster.json", "--queues", "made", "jobs.jsonl"},
          .before = std::move(head),
          .after = "\n",
          .good = std::move(good)};
}

}  // namespace

std::vector<Form> queue_table_forms() {
  std::vector<Form> out;
  out.push_back(queue_form("queues_tables", queue::kQueueTables, "",
                           {{"policy", "{}"},
                            {"running-limits", "[{njobs = 4}]"},
                            {"grants", "{duration = \"1h\"}"},
                            {"sched-copse", "{}"},
                            {"sched-fluxion-qmanager", "{}"}}));
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
                            {"queue-priority-per-queue", "\"batch:-2\""},
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
  for (const char* key :
       {"queue-params", "policy-params", "queue-policy-per-queue", "queue-params-per-queue",
        "policy-params-per-queue", "queue-priority-per-queue"}) {
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
  out.push_back(queue_form("queues_access", queue::kAccessKeys,
                           "[queues.batch]\n[queues.batch.policy.access]\n",
                           {{"allow-user", "[\"ada\"]"}, {"allow-group", "[]"}}));
  out.push_back(queue_form("queues_running_limits", queue::kRunningLimitKeys,
                           "[queues.batch]\n[[running-limits]]\n",
                           {{"user", "\"*\""},
                            {"group", "\"physics\""},
                            {"queue", "\"batch\""},
                            {"nnodes", "4"},
                            {"ncores", "8"},
                            {"ngpus", "0"}}));
  out.back().needed = {{"njobs", "4"}};
  for (const char* key : {"user", "group"}) {  // any name
    for (const char* name : {" \"[?,\"", " \"99999999999999999999\""}) {
      out.back().right.insert(std::string(key) + name);
    }
  }
  out.push_back(queue_form("queues_grants", queue::kGrantKeys, "[queues.batch]\n[grants]\n",
                           {{"job-size", "{max = {nnodes = 4}}"}, {"queues", "[\"batch\"]"}}));
  out.back().needed = {{"duration", "\"1h\""}};
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

}  // namespace copse
