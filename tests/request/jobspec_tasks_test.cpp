// SPDX-License-Identifier: Apache-2.0
//
// Every rule of RFC 14 for tasks: the text that breaks it, and the sentence.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "request/jobspec/jobspec_words.hpp"
#include "request/jobspec_texts.hpp"

namespace copse {
namespace {

std::string with_tasks(const std::string& tasks) {
  return "version: 1\nresources: [{type: slot, count: 1, label: a, with: [{type: core, count: "
         "1}]}]\ntasks: " +
         tasks + "\nattributes: {}\n";
}

std::string refusal(const std::string& tasks, JobspecWords words) {
  const auto request = parse_jobspec(with_tasks(tasks), "job.yaml", words);
  return request ? "accepted" : request.error().text;
}

struct Row {
  std::string tasks, message;
};

TEST(Tasks, AreAccepted) {
  EXPECT_EQ(refusal("[]", JobspecWords::own), "accepted");  // a match needs none
  for (const std::string task :
       {"{command: [x], slot: a, count: {per_slot: 1}}",
        "{command: [x, y], slot: a, count: {total: 4}}",
        "{command: [x, '3'], slot: a, count: {per_resource: {type: core, count: 2}}}",
        "{command: [x], slot: a, count: {total: 1}, distribution: cyclic, attributes: {user: "
        "1}}"}) {
    EXPECT_EQ(refusal("[" + task + "]", JobspecWords::own), "accepted") << task;
    EXPECT_EQ(refusal("[" + task + "]", JobspecWords::fluxion), "accepted") << task;
  }
}

TEST(Tasks, EveryRuleHoldsInAllPrograms) {
  const std::string number = " of a task must be a whole number of at least 1";
  const Row rows[] = {
      {"{command: [{b: c}], slot: a, count: {per_slot: 1}}",
       "\"command\" of a task is not a list of strings"},
      {"{command: [x, [y]], slot: a, count: {per_slot: 1}}",
       "\"command\" of a task is not a list of strings"},
      {"{command: [x, ~], slot: a, count: {per_slot: 1}}",
       "\"command\" of a task is not a list of strings"},
      {"{command: [x], slot: a, count: {per_slot: []}}", "\"per_slot\"" + number},
      {"{command: [x], slot: a, count: {per_slot: -3}}", "\"per_slot\"" + number},
      {"{command: [x], slot: a, count: {per_slot: word}}", "\"per_slot\"" + number},
      {"{command: [x], slot: a, count: {total: 0}}", "\"total\"" + number},
      {"{command: [x], slot: a, count: {total: 1.5}}", "\"total\"" + number},
      {"{command: [x], slot: a, count: {total: {}}}", "\"total\"" + number},
      {"{command: [x], slot: a, count: {per_resource: 1}}",
       "\"per_resource\" is not a mapping of type and count"},
      {"{command: [x], slot: a, count: {per_resource: {type: core}}}",
       "\"per_resource\" has no type or no count"},
      {"{command: [x], slot: a, count: {per_resource: {type: 7, count: 1}}}",
       "type of \"per_resource\" must be the name of a resource type"},
      {"{command: [x], slot: a, count: {per_resource: {type: core, count: 0}}}",
       "\"count\"" + number},
      {"{command: [x], slot: a, count: {total: 1}, distribution: []}",
       "\"distribution\" of a task must be a string"},
      {"{command: [x], slot: a, count: {total: 1}, attributes: 1}",
       "\"attributes\" of a task must be a mapping"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(refusal("[" + row.tasks + "]", JobspecWords::own), row.message) << row.tasks;
    EXPECT_EQ(refusal("[" + row.tasks + "]", JobspecWords::fluxion), row.message) << row.tasks;
  }
}

TEST(Tasks, CopseRefusesMore) {
  const Row rows[] = {
      {"[{command: [], slot: a, count: {per_slot: 1}}]",
       "\"command\" of a task is empty: name a program"},
      {"[{command: [x, 3], slot: a, count: {total: 1}}]",
       "3 in a \"command\" is not a string: write it in quotes"},
      {"[{command: [x], slot: b, count: {total: 1}}]", "unknown slot \"b\"; there are a"},
      {"[{command: [x], slot: a, distribution: x}]", "Key \"count\" missing from task"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(refusal(row.tasks, JobspecWords::own), row.message) << row.tasks;
    EXPECT_EQ(refusal(row.tasks, JobspecWords::fluxion), "accepted") << row.tasks;
  }
  EXPECT_NE(refusal("[{command: [x], slot: a, count: {total: 1}, sixth: 1}]", JobspecWords::own),
            "accepted");
  EXPECT_EQ(
      refusal("[{command: [x], slot: a, count: {total: 1}, sixth: 1}]", JobspecWords::fluxion),
      "Unrecognized key in task mapping");
  EXPECT_NE(refusal("[{command: [x], slot: a, count: {foo: 1}}]", JobspecWords::own), "accepted");
  EXPECT_EQ(refusal("[{command: [x], slot: a, count: {foo: 1}}]", JobspecWords::fluxion),
            "\"count\" in task must be per_slot, per_resource or total");
}

TEST(Versions, AreAlikeInAllPrograms) {
  const auto with_version = [](int version) {
    return "version: " + std::to_string(version) + "\nresources: [{type: node, count: 1}]\n" +
           kTasks + "attributes: {}\n";
  };
  for (const JobspecWords words : {JobspecWords::own, JobspecWords::fluxion}) {
    for (const int version : {1, 2, 999, 9998, 9999}) {
      EXPECT_TRUE(parse_jobspec(with_version(version), "j", words)) << version;
    }
    for (const int version : {0, 10'000}) {
      EXPECT_FALSE(parse_jobspec(with_version(version), "j", words)) << version;
    }
  }
}

// RFC 45's text is read as a count; Fluxion's words read only what no mapping can say.
TEST(Counts, OfTextAreReadInCopsesWords) {
  for (const char* count : {"'2-8:2:*'", "2-4", "'3+'", "'1,3-5'", "'[2-4]'"}) {
    const auto request = parse_jobspec(with_count(count), "j", JobspecWords::own);
    ASSERT_TRUE(request) << count << ": " << request.error().text;
    EXPECT_TRUE(request->resources[0].count.moldable()) << count;
  }
  for (const char* count : {"5-1", "2-x", "'2-8:1:*'", "'3,2'"}) {
    EXPECT_FALSE(parse_jobspec(with_count(count), "j", JobspecWords::own)) << count;
  }
}

}  // namespace
}  // namespace copse
