// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "copse/request.hpp"
#include "request/jobspec_texts.hpp"

namespace copse {
namespace {

TEST(Jobspec, ErrorsOfTheTopLevel) {
  const std::string resources = "resources: []\n";
  const std::string tasks = "tasks: []\n";
  const std::string attributes = "attributes: {}\n";
  const std::string rest = resources + tasks + attributes;
  const std::string not_unsigned = "\"version\" must be an unsigned integer";
  const std::string not_supported = "Only jobspec \"version\" 1-9999 is supported";
  expect_errors({
      {"", "Top level of jobspec is not a mapping", 1},
      {"# only a comment\n", "Top level of jobspec is not a mapping", 1},
      {"\n- version: 1\n", "Top level of jobspec is not a mapping", 2},
      {"just a word", "Top level of jobspec is not a mapping", 1},
      {"{}", "Missing key \"version\" in top level mapping", 1},
      {rest, "Missing key \"version\" in top level mapping", 1},
      {"version: 1\n" + tasks + attributes, "Missing key \"resource\" in top level mapping", 1},
      {"version: 1\n" + resources + attributes, "Missing key \"tasks\" in top level mapping", 1},
      {"version: 1\n" + resources + tasks, "Missing key \"attributes\" in top level mapping", 1},
      {"version: 1\n" + rest + "more: 1\n", "Top mapping in jobspec must have exactly four entries",
       1},
      {"version: one\n" + rest, not_unsigned, 1},
      {"version: 1.0\n" + rest, not_unsigned, 1},
      {"version: -1\n" + rest, not_unsigned, 1},
      {"version:\n" + rest, not_unsigned, 1},
      {rest + "version: [1]\n", not_unsigned, 4},
      {"version: 0\n" + rest, not_supported, 1},
      {"version: 10000\n" + rest, not_supported, 1},
      {"version: 99999999999999999999\n" + rest, not_supported, 1},
      {"version: 1\nresources: {}\n" + tasks + attributes, "\"resources\" is not a sequence", 2},
      {"version: 1\nresources:\n" + tasks + attributes, "\"resources\" is not a sequence", 2},
      {"version: 1\n" + resources + "tasks: {}\n" + attributes, "\"tasks\" is not a sequence", 3},
      {"version: 1\n" + resources + "tasks: 1\n" + attributes, "\"tasks\" is not a sequence", 3},
  });
}

TEST(Jobspec, ErrorsOfResources) {
  const std::string not_a_word = "Value of \"exclusive\" must be either \"true\" or \"false\"";
  expect_errors({
      {with_resource("node"), "resource is not a mapping", 3},
      {with_resource("[node]"), "resource is not a mapping", 3},
      {with_resource("{}"), "Key \"type\" missing from resource", 3},
      {with_resource("count: 1"), "Key \"type\" missing from resource", 3},
      {with_resource("{count: 1, type: [node]}"), "Value of \"type\" must be a scalar", 3},
      {with_resource("type:\n    count: 1"), "Value of \"type\" must be a scalar", 3},
      {with_resource("type: node"), "Key \"count\" missing from resource", 3},
      {with_resource("type: node\n    count: 1\n    unit: [GB]"),
       "Value of \"unit\" must be a scalar", 5},
      {with_resource("type: node\n    count: 1\n    exclusive: {}"),
       "Value of \"exclusive\" must be a scalar", 5},
      {with_resource("type: node\n    count: 1\n    exclusive: yes"), not_a_word, 5},
      {with_resource("type: node\n    count: 1\n    exclusive: True"), not_a_word, 5},
      {with_resource("type: node\n    count: 1\n    exclusive: 1"), not_a_word, 5},
      {with_resource("type: node\n    count: 1\n    label: []"),
       "Value of \"label\" must be a scalar", 5},
      {with_resource("type: node\n    count: 1\n    label: ~"),
       "Value of \"label\" must be a scalar", 5},
      {with_resource("type: node\n    count: 1\n    id: {a: b}"),
       "Value of \"id\" must be a scalar", 5},
      {with_resource("type: slot\n    count: 1"), "All slots must be labeled", 3},
      {with_resource("type: slot\n    count: 1\n    label: ''"), "All slots must be labeled", 3},
      {with_resource("type: node\n    count: 1\n    requires: fast"),
       "Unrecognized key in resource mapping", 5},
      {with_resource("type: node\n    count: 1\n    with: {type: core, count: 1}"),
       "\"resources\" is not a sequence", 5},
      {with_resource("type: node\n    count: 1\n    with:\n      - type: core"),
       "Key \"count\" missing from resource", 6},
      {with_resource("type: node\n    count: 1\n    with:\n      - 7"), "resource is not a mapping",
       6},
  });
}

TEST(Jobspec, ErrorsOfCounts) {
  const std::string all_or_none =
      "All or none of \"max\", \"operator\", and \"operand\" must be specified";
  const auto limit = ErrorCode::limit;
  const std::string range = "count is out of range";
  expect_errors({
      {with_count("[1]"), "count is not a mapping", 3},
      {with_count("~"), "count is not a mapping", 3},
      {with_count("{}"), "Key \"min\" missing from count", 3},
      {with_count("{max: 3, operator: +, operand: 1}"), "Key \"min\" missing from count", 3},
      {with_count("{min: []}"), "Value of \"min\" must be a scalar", 3},
      {with_count("{min: 1, max: {}, operator: +, operand: 1}"),
       "Value of \"max\" must be a scalar", 3},
      {with_count("{min: 1, max: 2, operator: [+], operand: 1}"),
       "Value of \"operator\" must be a scalar", 3},
      {with_count("{min: 1, max: 2, operator: +, operand: ~}"),
       "Value of \"operand\" must be a scalar", 3},
      {with_count("{min: 1, max: 2}"), all_or_none, 3},
      {with_count("{min: 1, max: 2, operator: +}"), all_or_none, 3},
      {with_count("{min: 1, operator: +, operand: 1}"), all_or_none, 3},
      {with_count("{min: 1, extra: 1}"), all_or_none, 3},
      {with_count("{min: 0}"), "\"min\" must be greater than zero", 3},
      {with_count("{min: -7}"), "\"min\" must be greater than zero", 3},
      {with_count("{min: 3, max: 2, operator: +, operand: 1}"),
       "\"max\" must be greater than or equal to \"min\"", 3},
      {with_count("{min: 1, max: 2, operator: +, operand: 0}"),
       "\"operand\" must be greater than zero for addition '+'", 3},
      {with_count("{min: 1, max: 2, operator: '*', operand: 1}"),
       "\"operand\" must be greater than one for multiplication '*'", 3},
      {with_count("{min: 2, max: 4, operator: ^, operand: 1}"),
       "\"operand\" must be greater than one for exponentiation '^'", 3},
      {with_count("{min: 1, max: 4, operator: ^, operand: 2}"),
       "\"min\" must be greater than one for exponentiation '^'", 3},
      {with_count("{min: 1, max: 4, operator: /, operand: 2}"), "Invalid count operator", 3},
      {with_count("{min: 1, max: 4, operator: ++, operand: 2}"), "Invalid count operator", 3},
      {with_count("{min: 1, max: 4, operator: +, operand: 2, step: 1}"),
       "Unrecognized key in count mapping", 3},
      {with_count("-1"), range, 3, limit},
      {with_count("many"), range, 3, limit},
      {with_count("1.5"), range, 3, limit},
      {with_count("2-4"), range, 3, limit},
      {with_count("''"), range, 3, limit},
      {with_count("2305843009213693952"), range, 3, limit},  // INT64_MAX / 4 + 1
      {with_count("9223372036854775807"), range, 3, limit},
      {with_count("18446744073709551615"), range, 3, limit},
      {with_count("18446744073709551616"), range, 3, limit},
      {with_count("18446744073709551617"), range, 3, limit},  // 1 in 64 bits
      {with_count("{min: 18446744073709551617}"), range, 3, limit},
      {with_count("{min: x}"), range, 3, limit},
      {with_count("{min: 1, max: 18446744073709551617, operator: +, operand: 1}"), range, 3, limit},
      {with_count("{min: 1, max: 2, operator: +, operand: 18446744073709551617}"), range, 3, limit},
  });
}

TEST(Jobspec, ErrorsOfTasks) {
  const std::string entries = "impossible number of entries in task mapping";
  expect_errors({
      {with_task("app"), "task is not a mapping", 4},
      {with_task("{slot: a, count: {total: 1}}"), "Key \"command\" missing from task", 4},
      {with_task("{command: app, slot: a, count: {total: 1}}"),
       "\"command\" value must be a sequence", 4},
      {with_task("{command: [app], count: {total: 1}}"), "Key \"slot\" missing from task", 4},
      {with_task("{command: [app], slot: [a], count: {total: 1}}"),
       "Value of task \"slot\" must be a YAML scalar", 4},
      {with_task("{command: [app], slot: a, count: 1}"), "\"count\" in task is not a mapping", 4},
      {with_task("{command: [app], slot: a, count: {}}"),
       "\"count\" in task must have exactly one entry", 4},
      {with_task("{command: [app], slot: a, count: {total: 1, per_slot: 1}}"),
       "\"count\" in task must have exactly one entry", 4},
      {with_task("{command: [app], slot: a}"), entries, 4},
      {with_task("{command: [app], slot: a, count: {total: 1}, distribution: x, attributes: {}, "
                 "sixth: 1}"),
       entries, 4},
  });
}

TEST(Jobspec, ErrorsOfAttributes) {
  const std::string not_a_number = "Value of \"duration\" must be a number";
  expect_errors({
      {with_attributes("[]"), "\"attributes\" is not a map", 4},
      {with_attributes("word"), "\"attributes\" is not a map", 4},
      {with_attributes("{system: {}, extra: {}}"), "Unknown key in \"attributes\"", 4},
      {with_attributes("{system: []}"), "\"system\" in \"attributes\" is not a map", 4},
      {with_duration("soon"), not_a_number, 4},
      {with_duration("1h"), not_a_number, 4},
      {with_duration("''"), not_a_number, 4},
      {with_duration("[1]"), not_a_number, 4},
      {with_duration("--1"), not_a_number, 4},
      {with_duration("1e"), not_a_number, 4},
      {with_attributes("{system: {queue: [a]}}"), "Value of \"queue\" must be a scalar", 4},
      {with_attributes("\n  system:\n    constraints: []"), "constraint is not a mapping", 6},
      {with_attributes("\n  system:\n    constraints:\n      properties: [a]"),
       "non-string property specified", 7},
  });
}

TEST(Jobspec, YamlKeepsEverything) {
  const auto request = parse_jobspec(
      "version: 1\n"
      "resources:\n"
      "  - type: rack\n"
      "    count: {min: 1, max: 8, operator: \"*\", operand: 2}\n"
      "    with:\n"
      "      - {type: slot, count: 2, label: main, exclusive: true, with: [\n"
      "          {type: core, count: {min: 4}}, {type: memory, count: 16, unit: GB}]}\n"
      "      - type: ssd\n"
      "        count: 0\n"
      "        exclusive: false\n"
      "        id: ssd7\n"
      "attributes:\n"
      "  user: {anything: [1, {2: 3}]}\n"
      "  system:\n"
      "    duration: 90.25\n"
      "    queue: batch\n"
      "    environment: {HOME: /home/me}\n"
      "    constraints:\n"
      "      properties: [\"fast\"]\n"
      "tasks:\n"
      "  - command: [app, 3]\n"
      "    slot: main\n"
      "    count: {per_slot: 1}\n"
      "    distribution: cyclic\n"
      "    attributes: {}\n",
      "job.yaml");
  ASSERT_TRUE(request) << request.error().message();
  ASSERT_EQ(request->resources.size(), 1U);
  const Resource& rack = request->resources[0];
  EXPECT_EQ(rack.type, "rack");
  EXPECT_EQ(rack.place.text(), "job.yaml:3:5");
  EXPECT_EQ(rack.count.min, 1);
  EXPECT_EQ(rack.count.max, 8);
  EXPECT_EQ(rack.count.op, '*');
  EXPECT_EQ(rack.count.operand, 2);
  EXPECT_EQ(rack.exclusive, Exclusivity::unset);
  ASSERT_EQ(rack.with.size(), 2U);
  const Resource& slot = rack.with[0];
  EXPECT_TRUE(slot.is_slot());
  EXPECT_EQ(slot.label, "main");
  EXPECT_EQ(slot.exclusive, Exclusivity::yes);
  ASSERT_EQ(slot.with.size(), 2U);
  EXPECT_EQ(slot.with[0].count.min, 4);
  EXPECT_EQ(slot.with[0].count.max, Count::kUnlimited);
  EXPECT_EQ(slot.with[0].count.op, '+');
  EXPECT_EQ(slot.with[0].count.operand, 1);
  EXPECT_EQ(slot.with[1].unit, "GB");
  EXPECT_EQ(rack.with[1].count.max, 0);
  EXPECT_EQ(rack.with[1].exclusive, Exclusivity::no);
  EXPECT_EQ(request->duration_s, 91);
  EXPECT_FALSE(request->duration_invalid);
  EXPECT_EQ(request->queue, "batch");
  EXPECT_EQ(request->constraint.op, Constraint::Op::properties);
  EXPECT_EQ(request->constraint.words, std::vector<std::string>{"fast"});
}

constexpr const char* kJson =
    R"({"version": 1, "resources": [{"type": "node", "count": 2, "with": [{"type": "slot",)"
    R"( "count": 1, "label": "t", "with": [{"type": "core", "count": {"min": 2}}]}]}],)"
    R"( "tasks": [{"command": ["a b"], "slot": "t", "count": {"per_slot": 1}}],)"
    R"( "attributes": {"system": {"duration": 3600.0, "queue": "q\u00e9\ud83d\ude00",)"
    R"( "constraints": {"ranks": ["0-3"]}, "shell": {"options": null, "x": [true, -1.5e3]}}}})";

TEST(Jobspec, JsonOfOneLine) {
  const auto request = parse_jobspec(kJson);
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->resources[0].with[0].with[0].count.min, 2);
  EXPECT_EQ(request->resources[0].with[0].place.column, 68U);
  EXPECT_EQ(request->duration_s, 3600);
  EXPECT_EQ(request->queue, "qé😀");  // a surrogate pair
  ASSERT_EQ(request->constraint.ranks.size(), 1U);
}

// Legal JSON that libyaml would refuse.
TEST(Jobspec, JsonThatIsNotYaml) {
  const std::vector<std::string> texts = {
      "\t{\t\"version\"\t:\t1,\n\t\"resources\":\t[],\n\t\"tasks\"\n:[],\n\t\"attributes\":{}\n\t}"
      "\t",
      "\xEF\xBB\xBF{\"version\":1,\"resources\":[],\"tasks\":[],\"attributes\":{}}",
      with_system_json("\"" + std::string(5000, 'k') + "\":1"),
      with_system_json("\"a\":\"" + std::string(100'000, 'v') + "\""),
      with_system_json(R"("a":"\ud834\udd1e\/\b\f\u0000")"),
      with_system_json("\"a\":\"\x7f\xc2\x80\""),
      with_system_json("\"environment\":{\"A\":\"a: #b\\n\",\"B\":\"*x &y\"}"),
  };
  for (const std::string& text : texts) {
    const auto request = parse_jobspec(text);
    EXPECT_TRUE(request) << text.substr(0, 200) << "\n" << request.error().message();
  }
}

// What is not strict JSON is read as YAML, and refused with YAML's reasons.
TEST(Jobspec, FlowYaml) {
  EXPECT_TRUE(parse_jobspec("{version: 1, resources: [], tasks: [], attributes: }"));
  EXPECT_TRUE(parse_jobspec("{\"version\": 01, \"resources\": [], 'tasks': [], attributes: ~,}"));
  // libyaml lets the end of the text stand on a line of its own.
  expect_errors({
      {"{", "YAML: did not find expected node content", 2},
      {"{\"version\": 1", "YAML: did not find expected ',' or '}'", 2},
      {"{\"version\": 1}}", "YAML: did not find expected <document start>", 1},
      {"{\"a\": [1, 2}", "YAML: did not find expected ',' or ']'", 1},
      {"{\"a", "YAML: found unexpected end of stream", 1},
      {with_system_json("\"a\":1\x01"), "YAML: control characters are not allowed", 1},
      {"{\"version\": \"\\ud800\"}", "YAML: found invalid Unicode character escape code", 1},
  });
}

struct DurationRow {
  const char* text;
  bool invalid;
  std::int64_t seconds;
};

TEST(Jobspec, Durations) {
  const std::vector<DurationRow> rows = {
      {"0", false, 0},
      {"-0.0", false, 0},
      {"3600", false, 3600},
      {"+60", false, 60},
      {"'60'", false, 60},
      {"0.0001", false, 1},
      {"1.5", false, 2},
      {"2.0", false, 2},
      {"1e3", false, 1000},
      {"9007199254740993", false, 9007199254740992},  // read as a double
      {"9.2e18", false, 9'200'000'000'000'000'000},
      {"9223372036854775807", true, 0},  // as a double it is 2^63
      {"9.3e18", true, 0},
      {"-1", true, 0},
      {"-0.5", true, 0},
      {"-1e400", true, 0},
      {"1e400", true, 0},
      {"1e999999999999", true, 0},
      {"inf", true, 0},
      {"-inf", true, 0},
      {"nan", true, 0},
      {".inf", true, 0},
      {"-.INF", true, 0},
      {".nan", true, 0},
      {".NaN", true, 0},
  };
  for (const DurationRow& row : rows) {
    const auto request = parse_jobspec(with_duration(row.text));
    ASSERT_TRUE(request) << row.text << ": " << request.error().message();
    EXPECT_EQ(request->duration_invalid, row.invalid) << row.text;
    EXPECT_EQ(request->duration_s, row.seconds) << row.text;
  }
  const auto tiny = parse_jobspec(with_duration("1e-400"));
  ASSERT_TRUE(tiny);
  EXPECT_FALSE(tiny->duration_invalid);
  EXPECT_LE(tiny->duration_s, 1);
  const auto json = parse_jobspec(with_system_json("\"duration\":1e400"));
  ASSERT_TRUE(json) << json.error().message();
  EXPECT_TRUE(json->duration_invalid);
  const auto missing = parse_jobspec(with_attributes("{system: {}}"));
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->duration_s, 0);
  EXPECT_FALSE(missing->duration_invalid);
}

TEST(Jobspec, LargestCounts) {
  const auto request = parse_jobspec(
      with_count("{min: 1, max: 2305843009213693951, operator: +, operand: 2305843009213693951}"));
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->resources[0].count.max, INT64_MAX / 4);
  EXPECT_EQ(parse_jobspec(with_count("\"4\""))->resources[0].count.min, 4);
}

TEST(Jobspec, VersionsAndEmptyParts) {
  for (const char* version : {"1", "2", "9999", "\"1\""}) {
    EXPECT_TRUE(parse_jobspec(std::string("version: ") + version +
                              "\nresources: []\ntasks: []\nattributes:\n"))
        << version;
  }
  EXPECT_TRUE(parse_jobspec(with_attributes("{}")));
  EXPECT_TRUE(parse_jobspec(with_attributes("{system: , user: }")));
  EXPECT_TRUE(parse_jobspec("--- # one\n" + with_count("1") + "...\n"));
  EXPECT_TRUE(parse_jobspec(with_task("{command: [], slot: a, distribution: x}")));
}

}  // namespace
}  // namespace copse
