// SPDX-License-Identifier: Apache-2.0
//
// The audit of `copse serve`, and a disk that does not take it.
#include "tools/copse/serve/audit_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "journal/temporary_folder.hpp"

namespace copse {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(AuditFileTest, WhatCannotBeWrittenIsSaidOnceAndCounted) {
  const journal::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "audit.log";
  std::filesystem::create_symlink("/dev/full", path);
  std::vector<std::string> log;
  auto audit =
      AuditFile::open(path.string(), [&](const std::string& line) { log.push_back(line); });
  ASSERT_TRUE(audit.has_value()) << audit.error().message();
  const server::Caller caller{server::Role::user, "ada", "r1"};
  const server::Audit told{.caller = caller, .op = "alloc", .id = 7, .result = "done"};
  for (int i = 0; i < 3; ++i) audit->write(100 + i, told);
  ASSERT_EQ(log.size(), 1U);
  EXPECT_NE(log[0].find("can't write "), std::string::npos) << log[0];
  EXPECT_NE(log[0].find(": No space left on device; requests continue"), std::string::npos)
      << log[0];
  EXPECT_NE(log[0].find("at=1970-01-01T00:01:40Z caller=ada role=user op=alloc id=7"),
            std::string::npos)
      << log[0];
  std::filesystem::remove(path);
  ASSERT_TRUE(audit->reopen());
  audit->write(200, told);
  audit->write(201, {.caller = caller,
                     .op = "down",
                     .target = "node[0-3]",
                     .result = "forbidden",
                     .suppressed = 5});
  EXPECT_EQ(text_of(path),
            "at=1970-01-01T00:03:20Z op=audit result=missing lines=3\n"
            "at=1970-01-01T00:03:20Z caller=ada role=user op=alloc id=7 request=r1 result=done\n"
            "at=1970-01-01T00:03:21Z caller=ada role=user op=down target=node[0-3] request=r1 "
            "result=forbidden suppressed=5\n");
  ASSERT_EQ(log.size(), 2U);
  EXPECT_EQ(log[1], "the audit log can be written again; 3 lines are missing");
}

}  // namespace
}  // namespace copse
