// SPDX-License-Identifier: Apache-2.0
//
// docs/tools/session.schema.json, the examples of docs/tools/session.md, and the requests that a session accepts agree.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "paths.hpp"
#include "session/protocol/session_operations.hpp"
#include "text/json_writer.hpp"
#include "tools/program.hpp"

namespace copse {
namespace {

const std::filesystem::path kSourceFolder(source_dir());

TEST(SessionSchema, AgreesWithThePageAndRefusesWrongLines) {
  constexpr int kSkipped = 77;
  const auto in = [](const char* name) { return (kSourceFolder / name).string(); };
  const Outcome outcome =
      run({.words = {"/usr/bin/env", "python3", in("tests/tools/session_schema.py"),
                     in("docs/tools/session.schema.json"), in("docs/tools/session.md"),
                     in("tests/data/session-schema/wrong-requests.jsonl"),
                     in("tests/data/session-schema/wrong-answers.jsonl")},
           .input = {},
           .folder = kSourceFolder});
  if (outcome.status == kSkipped) GTEST_SKIP() << outcome.output;
  EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors << outcome.ended_by;
}

// The reverse: a session refuses each line that the schema must refuse.
TEST(SessionSchema, ASessionRefusesTheSameLines) {
  std::ifstream file(kSourceFolder / "tests/data/session-schema/wrong-requests.jsonl");
  const std::string lines((std::istreambuf_iterator<char>(file)), {});
  const std::string machine = (kSourceFolder / "examples/machines/desk.graphml").string();
  const Outcome outcome = run({.words = {program("copse"), "session", "-L", machine},
                               .input = lines,
                               .folder = kSourceFolder});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  std::istringstream asked(lines), answered(outcome.output);
  std::string line, answer;
  std::size_t lines_met = 0;
  for (; std::getline(asked, line); ++lines_met) {
    ASSERT_TRUE(std::getline(answered, answer)) << line;
    EXPECT_TRUE(answer.starts_with(R"({"error": "invalid", )")) << line << '\n' << answer;
  }
  EXPECT_GT(lines_met, 0u);
}

// The table of operations, the schema and the Python client agree.
TEST(SessionSchema, OperationsAgreeWithTheTable) {
  std::string rows;
  JsonWriter json(rows);
  json.array(kSessionOperations, [&](const SessionOperation& row) {
    json.object([&] {
      json.member("name", row.name);
      json.key("members");
      json.open('[');
      for (std::size_t i = 0; i < kSessionMembers.size(); ++i) {
        if ((row.members >> i & 1U) != 0) json.value(kSessionMembers.at(i).name);
      }
      json.close(']');
      json.member("jobs", is_job_operation(row.op));
      json.member("exclusive", row.exclusive);
    });
  });
  const auto in = [](const char* name) { return (kSourceFolder / name).string(); };
  const Outcome outcome =
      run({.words = {"/usr/bin/env", "python3", in("tests/tools/session_operations.py"), rows,
                     in("docs/tools/session.schema.json"), in("python/copse/_operations.py")},
           .input = {},
           .folder = kSourceFolder});
  EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
}

}  // namespace
}  // namespace copse
