// SPDX-License-Identifier: Apache-2.0
//
// A stream that is written as lines again is the same stream.
#include "plan/streams/line_words.hpp"

#include <gtest/gtest.h>

#include <string>

#include <fmt/format.h>

#include "plan/streams/job_reader.hpp"
#include "text/json_writer.hpp"

namespace copse::plan {
namespace {

// The words of the request of this line.
LineWords words_of(const std::string& members) {
  const auto jobs = read_jobs(R"({"duration": 9, )" + members + "}", "jobs", {});
  EXPECT_TRUE(jobs) << (jobs ? "" : jobs.error().message());
  return jobs ? line_words(jobs->requests[0]) : LineWords{};
}

std::string line_of(const LineWords& words) {
  std::string out;
  JsonWriter json(out);
  json.object([&] {
    json.member("duration", 9);
    if (words.nodes > 0) json.member("nodes", words.nodes);
    if (words.cores > 0) json.member("cores", words.cores);
    if (!words.shape.empty()) json.member("shape", words.shape);
    if (!words.constraint.empty()) json.member_json("constraint", words.constraint);
    if (!words.hres.empty()) json.member("hres", words.hres);
  });
  return out;
}

TEST(LineWords, SayWhatTheLineSaid) {
  EXPECT_EQ(words_of(R"("nodes": 3)").nodes, 3);
  EXPECT_EQ(words_of(R"("nodes": 3)").cores, 0);
  EXPECT_EQ(words_of(R"("cores": 5)").cores, 5);
  const LineWords both = words_of(R"("nodes": 2, "cores": 4)");
  EXPECT_EQ(both.nodes, 2);
  EXPECT_EQ(both.cores, 4);
  EXPECT_EQ(both.shape, "");
  EXPECT_EQ(words_of(R"("shape": "slot=3/node")").nodes, 3);  // the same request
  for (const char* shape : {"slot=1/[core=2;gpu]", "node=2/slot=1/core=4", "slot=2-4/node",
                            "slot=1/node{x}", "socket/slot=1/core", "slot=1/node=2"}) {
    const LineWords words = words_of(fmt::format(R"("shape": "{}")", shape));
    EXPECT_EQ(words.nodes + words.cores, 0) << shape;
    EXPECT_FALSE(words.shape.empty()) << shape;
  }
}

TEST(LineWords, AreReadAgainAsTheSameRequest) {
  for (
      const char* members :
      {R"("nodes": 3)", R"("nodes": 2, "cores": 4)", R"("shape": "slot=2/node=1-3/[core=2;gpu]")",
       R"("nodes": 1, "constraint": {"properties": ["fast", "^gpu"]})",
       R"("cores": 1, "constraint": {"or": [{"hostlist": ["n[1-3]", "m1"]}, {"ranks": ["0-3,7"]}]})",
       R"("nodes": 1, "constraint": {"and": [{"not": [{"properties": ["a"]}]}, {"ranks": ["2"]}]})",
       R"("nodes": 1, "hres": "flat:2,natural:full")", R"("nodes": 1, "hres": "a:1|b:3")"}) {
    const LineWords once = words_of(members);
    const auto read = read_jobs(line_of(once), "again", {});
    ASSERT_TRUE(read) << line_of(once) << read.error().message();
    const LineWords again = line_words(read->requests[0]);
    EXPECT_EQ(line_of(again), line_of(once));
  }
  EXPECT_EQ(words_of(R"("nodes": 1, "constraint": {"hostlist": ["n[1-3]"]})").constraint,
            R"({"hostlist": ["n[1-3]"]})");
}

TEST(LineWords, HaveTheDependencies) {
  const auto jobs = read_jobs(R"({"id": "a", "duration": 1, "nodes": 1}
{"id": "b", "duration": 1, "nodes": 1, "after": "a"}
{"id": "c", "duration": 1, "nodes": 1, "dependency": "afterany:a,afternotok:b,after:b"}
)",
                              "jobs", {});
  ASSERT_TRUE(jobs);
  EXPECT_EQ(dependency_text(*jobs, jobs->jobs[0]), "");
  EXPECT_EQ(dependency_text(*jobs, jobs->jobs[1]), "afterok:a");
  EXPECT_EQ(dependency_text(*jobs, jobs->jobs[2]), "afterany:a,afternotok:b,after:b");
}

}  // namespace
}  // namespace copse::plan
