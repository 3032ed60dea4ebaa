// SPDX-License-Identifier: Apache-2.0
//
// Each MUST and SHALL of RFC 14 for tasks, and of RFC 25 where it has more, as a mutation of a good jobspec.
// Rules that Copse lets pass, and those of programs, are at the end, with the reason.
#include <gtest/gtest.h>

#include <string>

#include "request/jobspec/jobspec_words.hpp"

namespace copse::rfc14 {
namespace {

// The rule in the words of the document, a section that breaks it, and Copse's sentence.
struct Mutation {
  std::string rule, tasks, message;
};

std::string refusal(const std::string& tasks) {
  const auto request = parse_jobspec(
      "version: 1\nresources: [{type: node, count: 2, with: [{type: slot, count: 3, label: a, "
      "with: "
      "[{type: core, count: 4}]}]}]\n" +
          tasks + "\nattributes: {}\n",
      "job", JobspecWords::own);
  return request ? "accepted" : request.error().text;
}

std::string task(const std::string& members) { return "tasks: [{" + members + "}]"; }
std::string count(const std::string& of) { return task("command: [x], slot: a, count: " + of); }

TEST(Rfc14Tasks, GoodOnesAreAccepted) {
  for (const std::string& tasks :
       {count("{per_slot: 1}"), count("{total: 6}"),
        count("{per_resource: {type: core, count: 2}}"),
        task("command: [x, '-n', '3'], slot: a, count: {total: 1}, distribution: cyclic, "
             "attributes: {environment: {}}")}) {
    EXPECT_EQ(refusal(tasks), "accepted") << tasks;
  }
}

TEST(Rfc14Tasks, EachRuleIsChecked) {
  const std::string number = " of a task must be a whole number of at least 1";
  const Mutation rows[] = {
      {"The dictionary MUST contain the keys resources, tasks, attributes, and version", "",
       "the key \"tasks\" is missing"},
      {"The value of the tasks key SHALL be a strict list", "tasks: {}",
       "\"tasks\" is not a sequence"},
      {"Each list element SHALL be a dictionary", "tasks: [x]", "task is not a mapping"},
      {"A task descriptor SHALL contain the following keys: command",
       task("slot: a, count: {total: 1}"), "Key \"command\" missing from task"},
      {"A task descriptor SHALL contain the following keys: slot",
       task("command: [x], count: {total: 1}"), "Key \"slot\" missing from task"},
      {"A task descriptor SHALL contain the following keys: count", task("command: [x], slot: a"),
       "Key \"count\" missing from task"},
      {"The value of the command key SHALL be a list",
       task("command: x, slot: a, count: {total: 1}"), "\"command\" value must be a sequence"},
      {"representing an executable and its arguments",
       task("command: [], slot: a, count: {total: 1}"),
       "\"command\" of a task is empty: name a program"},
      {"representing an executable and its arguments",
       task("command: [x, [y]], slot: a, count: {total: 1}"),
       "\"command\" of a task is not a list of strings"},
      {"representing an executable and its arguments",
       task("command: [x, 3], slot: a, count: {total: 1}"),
       "3 in a \"command\" is not a string: write it in quotes"},
      {"The value of the slot key SHALL match a label of a resource vertex of type slot",
       task("command: [x], slot: b, count: {total: 1}"), "unknown slot \"b\"; there are a"},
      {"The value of the slot key SHALL match a label of a resource vertex of type slot",
       task("command: [x], slot: [a], count: {total: 1}"),
       "Value of task \"slot\" must be a YAML scalar"},
      {"The value of the count key SHALL be a dictionary", count("4"),
       "\"count\" in task is not a mapping"},
      {"RFC 25: The count key SHALL contain exactly one of the following keys",
       count("{per_slot: 1, total: 4}"), "\"count\" in task must have exactly one entry"},
      {"RFC 25: The count key SHALL contain exactly one of the following keys", count("{}"),
       "\"count\" in task must have exactly one entry"},
      {"with other keys reserved for future or site-specific extensions", count("{per_node: 1}"),
       "unknown key \"per_node\"; there are per_slot, per_resource, total"},
      {"The value of per_slot SHALL be a number", count("{per_slot: many}"),
       "\"per_slot\"" + number},
      {"indicating the number of tasks to execute per task slot", count("{per_slot: 0}"),
       "\"per_slot\"" + number},
      {"The value of per_resource SHALL be a dictionary", count("{per_resource: 1}"),
       "\"per_resource\" is not a mapping of type and count"},
      {"which SHALL contain the following keys: type", count("{per_resource: {count: 1}}"),
       "\"per_resource\" has no type or no count"},
      {"which SHALL contain the following keys: count", count("{per_resource: {type: core}}"),
       "\"per_resource\" has no type or no count"},
      {"type SHALL be a resource type", count("{per_resource: {type: 7, count: 1}}"),
       "type of \"per_resource\" must be the name of a resource type"},
      {"explicitly declared in the associated task's slot",
       count("{per_resource: {type: gpu, count: 1}}"),
       "slot \"a\" has no resource of type \"gpu\"; there are core"},
      {"explicitly declared in the associated task's slot",
       count("{per_resource: {type: node, count: 1}}"),
       "slot \"a\" has no resource of type \"node\"; did you mean \"core\"?"},
      {"The value of the count key SHALL be a number",
       count("{per_resource: {type: core, count: 1.5}}"), "\"count\"" + number},
      {"The value of the total field SHALL indicate the total number of tasks",
       count("{total: -1}"), "\"total\"" + number},
      {"The attributes key SHALL be a free-form dictionary",
       task("command: [x], slot: a, count: {total: 1}, attributes: [1]"),
       "\"attributes\" of a task must be a mapping"},
      {"The value of the distribution key SHALL be a string",
       task("command: [x], slot: a, count: {total: 1}, distribution: 7"),
       "\"distribution\" of a task must be a string"},
      {"The value of the distribution key SHALL be a string",
       task("command: [x], slot: a, count: {total: 1}, distribution: [cyclic]"),
       "\"distribution\" of a task must be a string"},
      {"A task descriptor has no other keys (the schema)",
       task("command: [x], slot: a, count: {total: 1}, hosts: [n1]"),
       "unknown key \"hosts\"; there are command, slot, count, distribution, attributes"},
      // Let pass, because a match runs nothing (docs/reference/jobspecs.md, *Tasks*):
      {"The value of the tasks key MUST define at least one task", "tasks: []", "accepted"},
      // RFC 25 restricts RFC 14. Its version is 1, as that of every jobspec that Fluxion and Copse read:
      // so what only it forbids is not refused.
      {"RFC 25: tasks MUST define exactly one task",
       "tasks: [{command: [x], slot: a, count: {total: 1}}, {command: [y], slot: a, count: {total: "
       "1}}]",
       "accepted"},
      {"RFC 25: if per_slot is used, its value MUST be one", count("{per_slot: 2}"), "accepted"},
      {"RFC 25: total MUST be at most the count of the associated slot", count("{total: 7}"),
       "accepted"},
      {"RFC 25: total MUST be at least the number of allocated nodes", count("{total: 1}"),
       "accepted"},
      // Of programs: "this task or tasks SHALL be contained and executed" on its slot, "The number of tasks
      // executed per task slot SHALL be a function of": `copse run` starts one process, Flux its own shell.
  };
  for (const Mutation& row : rows) EXPECT_EQ(refusal(row.tasks), row.message) << row.rule;
}

}  // namespace
}  // namespace copse::rfc14
