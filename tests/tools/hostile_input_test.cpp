// SPDX-License-Identifier: Apache-2.0
//
// Hostile machines and jobspecs.
#include <fstream>

#include "tools/hostile.hpp"

namespace copse {
namespace {

// --- Machines

const std::string kKeys =
    "<graphml><key id=\"root\" for=\"node\" attr.name=\"root\" attr.type=\"int\"/>"
    "<key id=\"type\" for=\"node\" attr.name=\"type\" attr.type=\"string\"/>"
    "<key id=\"name\" for=\"node\" attr.name=\"basename\" attr.type=\"string\"/>"
    "<key id=\"scale\" for=\"edge\" attr.name=\"multi_scale\" attr.type=\"int\"/>\n";

std::string recipe(const std::string& body) {
  return kKeys +
         "<graph edgedefault=\"directed\"><node id=\"cluster\"><data key=\"root\">1</data>" +
         "<data key=\"type\">cluster</data></node>" + body + "</graph></graphml>\n";
}
std::string node(const std::string& id, const std::string& type) {
  return "<node id=\"" + id + "\"><data key=\"type\">" + type + "</data></node>";
}
std::string edge(const std::string& from, const std::string& to, const std::string& scale) {
  return "<edge source=\"" + from + "\" target=\"" + to + "\"><data key=\"scale\">" + scale +
         "</data></edge>";
}

TEST_F(Hostile, MachineOfTooManyPools) {
  for (const char* racks : {"2147483647", "2147483648", "4294967297", "9223372036854775807"}) {
    SCOPED_TRACE(racks);
    expect_no_machine(recipe(node("rack", "rack") + edge("cluster", "rack", racks)), "more than");
  }
  expect_no_machine(recipe(node("rack", "rack") + edge("cluster", "rack", "18446744073709551616")),
                    "does not fit 64 bits");
}

TEST_F(Hostile, MachineWhoseProductOverflows) {
  std::string body = node("t0", "t0") + edge("cluster", "t0", "65536");
  for (int i = 1; i < 20; ++i) {
    const std::string id = "t" + std::to_string(i), above = "t" + std::to_string(i - 1);
    body += node(id, id) + edge(above, id, "65536");
  }
  expect_no_machine(recipe(body), "more than");
}

TEST_F(Hostile, MachineThatMemoryDoesNotHold) {
  if (kSanitized) GTEST_SKIP() << "memory cannot be bounded under sanitizers";
  expect_no_machine(recipe(node("rack", "rack") + edge("cluster", "rack", "60000000")),
                    "Memory error");
}

TEST_F(Hostile, MachineNestedDeep) {
  expect_no_machine(kKeys + repeat("<a>", 100'000) + repeat("</a>", 100'000) + "</graphml>",
                    "nested more than 64 deep");
  expect_no_machine(kKeys + repeat("<graph edgedefault=\"directed\"><node id=\"a\">", 100'000) +
                        repeat("</node></graph>", 100'000) + "</graphml>",
                    "nested more than 64 deep");
  expect_no_machine(kKeys + repeat("<a>", 100'000), "not well-formed XML");
}

TEST_F(Hostile, MachineWithALongName) {
  expect_no_machine(recipe("<node id=\"n\"><data key=\"name\">" + std::string(10u << 20, 'x') +
                           "</data></node>" + edge("cluster", "n", "1")),
                    "longer than");
  expect_no_machine(recipe("<node id=\"" + std::string(10u << 20, 'x') + "\"/>"), "longer than");
}

TEST_F(Hostile, MachineThatIsNoText) {
  expect_no_machine(recipe(node("n", "no\xff\xfe") + edge("cluster", "n", "1")), "not valid UTF-8");
  expect_no_machine(std::string(1u << 20, '\0'), "control character");
  expect_no_machine("", "not well-formed XML");
  std::string bytes(1u << 20, '\0');  // how a program begins
  std::ifstream(program("resource-query"), std::ios::binary)
      .read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  expect_no_machine(bytes, "control character");
  expect_refused(query({"-L", "/dev/zero"}, kGood), "can't read /dev/zero");
}

TEST_F(Hostile, MachineWithEntitiesThatGrow) {
  std::string text = "<!DOCTYPE g [<!ENTITY a \"" + std::string(1000, 'x') + "\">";
  for (char c = 'b'; c < 'k'; ++c) {
    text += std::string("<!ENTITY ") + c + " \"";
    for (int i = 0; i < 10; ++i) text += std::string("&") + static_cast<char>(c - 1) + ';';
    text += "\">";
  }
  scratch.write("machine.graphml",
                text + "]>" + recipe(node("n", "&j;") + edge("cluster", "n", "1")));
  const Outcome o = query({"-L", "machine.graphml"}, "find names=cluster0\n");
  EXPECT_EQ(o.ended_by, "");  // refused, or read without expanding anything
  EXPECT_LE(o.output.size() + o.errors.size(), kLineBytesMax);
}

// --- Jobspecs

std::string jobspec(const std::string& count, const std::string& system,
                    const std::string& label = "task") {
  return "version: 9999\nresources:\n  - type: slot\n    count: 1\n    label: " + label +
         "\n    with:\n      - type: node\n        count: " + count +
         "\ntasks:\n  - command: [\"app\"]\n    slot: task\n    count:\n      per_slot: 1\n"
         "attributes:\n  system: {" +
         system + "}\n";
}

TEST_F(Hostile, JobspecNestedDeep) {
  expect_no_job(std::string(100'000, '['), "nested deeper than 64 levels");
  expect_no_job(repeat("{a: ", 100'000) + "1" + std::string(100'000, '}'), "nested deeper than 64");
  expect_no_job("version: 1\nresources: [" + repeat("{type: node, count: 1, with: [", 100'000) +
                    repeat("]}", 100'000) + "]\n",
                "nested deeper than 64 levels");
  expect_no_job(repeat("- ", 100'000), "nested deeper than 64 levels");
}

TEST_F(Hostile, JobspecThatGrows) {
  std::string bomb = "a: &a [x, x]\n";
  for (char c = 'b'; c < 'z'; ++c) {
    const std::string above(1, static_cast<char>(c - 1));
    bomb += std::string(1, c) + ": &" + c + " [*" + above + ", *" + above + "]\n";
  }
  expect_no_job(bomb, "aliases are not accepted");
  expect_no_job("version: 1\nresources: [" + repeat("{type: node, count: 1},", 500'000) + "]\n",
                "more than");
}

TEST_F(Hostile, JobspecDurations) {
  for (const char* duration :
       {".nan", "nan", ".inf", "inf", "-.inf", "-1", "-0.001", "-1e300", "1e300",
        "9223372036854775807", "9223372036854775808", "3153600001"}) {
    SCOPED_TRACE(duration);
    expect_no_job(jobspec("1", std::string("duration: ") + duration), "Invalid argument");
  }
  expect_no_job(jobspec("1", "duration: [1]"), "Value of \"duration\" must be a number");
}

TEST_F(Hostile, JobspecCounts) {
  for (const char* count : {"18446744073709551615", "18446744073709551616", "9223372036854775807",
                            "-1", "-9223372036854775809", "1e3", "0x10",
                            "{min: 2, max: 18446744073709551615, operator: \"*\", operand: 2}",
                            "{min: 2, max: 9223372036854775807, operator: \"^\", operand: 2}",
                            "{min: 1, max: 2, operator: \"+\", operand: 18446744073709551615}"}) {
    SCOPED_TRACE(count);
    expect_no_job(jobspec(count, "duration: 10"), "Jobspec error for 1: ");
  }
  expect_no_job(jobspec("1", "duration: 10", "[]"), "\"label\"");
}

// Counts near the largest that are read: the answer is no, and it is quick.
TEST_F(Hostile, JobspecCountsThatFitTheirType) {
  for (const char* count : {"4294967295", "{min: 2, max: 4294967295, operator: \"*\", operand: 2}",
                            "{min: 2, max: 4294967295, operator: \"^\", operand: 2}",
                            "{min: 3, max: 4294967295, operator: \"+\", operand: 4294967291}"}) {
    SCOPED_TRACE(count);
    scratch.write("job.yaml", jobspec(count, "duration: 10"));
    for (const char* policy : {"first", "low"}) {
      std::string lines = "match allocate_orelse_reserve job.yaml\n";
      lines += "match satisfiability job.yaml\ncancel 1\n";
      lines += kGood;
      const Outcome o = query({"-L", kSmall, "-P", policy}, lines);
      EXPECT_EQ(o.ended_by, "");
      EXPECT_EQ(o.status, 0);
      expect_good(o);
    }
  }
}

TEST_F(Hostile, JobspecWithALongLabel) {
  expect_no_job(jobspec("1", "duration: 10", std::string(10u << 20, 'x')), "longer than");
}

TEST_F(Hostile, JobspecThatIsNoText) {
  expect_no_job(jobspec("1", "queue: \"\xff\xfe\""), "not UTF-8");
  expect_no_job(std::string(1u << 20, '\0'), "control characters are not allowed");
  expect_no_job("", "Top level of jobspec is not a mapping");
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i * 7919 >> 3);
  expect_no_job(bytes, "Jobspec error for 1: ");
}

TEST_F(Hostile, JobspecWithALargeConstraint) {
  const auto constraint = [](const std::string& text) {
    return jobspec("1", "duration: 10, constraints: {" + text + "}");
  };
  expect_no_job(constraint("hostlist: [\"node[0-4294967295]\"]"), "more than 1048576 hosts");
  expect_no_job(constraint("hostlist: [" + repeat("\"n[0-999999]\",", 1000) + "]"), "more than");
  expect_no_job(constraint("hostlist: [\"n" + repeat("[0-9]", 40) + "\"]"), "hostlist");
  expect_no_job(constraint("ranks: [\"0-18446744073709551615\"]"), "idset");
  // Four billion ranks in a range are a range.
  scratch.write("job.yaml", constraint("ranks: [\"0-4294967295\"]"));
  const Outcome o = query({"-L", kSmall}, "match allocate job.yaml\n");
  EXPECT_EQ(o.errors, "");
  expect_good(o);
}

}  // namespace
}  // namespace copse
