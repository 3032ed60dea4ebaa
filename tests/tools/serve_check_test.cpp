// SPDX-License-Identifier: Apache-2.0
//
// Messages of copse serve, copse state and copse token about wrong options, folders and files.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/live_service.hpp"

namespace copse {
namespace {

namespace fs = std::filesystem;

class ServeCheck : public ::testing::Test {
 protected:
  [[nodiscard]] Outcome copse(std::vector<std::string> words) const {
    words.insert(words.begin(), program("copse"));
    return run({.words = std::move(words), .input = {}, .folder = scratch_.path()});
  }
  [[nodiscard]] Outcome check(const std::vector<std::string>& more,
                              const std::string& state = "state",
                              const std::string& socket = "socket") const {
    std::vector<std::string> words{
        "serve", "-L", "machines/desk.graphml", "--check", "--state", state, "--socket", socket};
    words.insert(words.end(), more.begin(), more.end());
    return copse(words);
  }
  void refuses(const Outcome& outcome, std::string_view part) const {
    EXPECT_EQ(outcome.status, 2) << outcome.errors;
    EXPECT_NE(outcome.errors.find(part), std::string::npos) << outcome.errors;
  }

  Scratch scratch_;
};

TEST_F(ServeCheck, LooksAtFoldersSocketsAndPorts) {
  EXPECT_EQ(check({}).status, 0) << check({}).errors;
  EXPECT_FALSE(fs::exists(scratch_.path() / "state"));
  scratch_.write("file", "x");
  refuses(check({}, "file"), "file is not a folder");
  refuses(check({}, "state", "file"), "exists, and is not a socket");
  const LiveService other({"--listen", "127.0.0.1:0"});
  refuses(check({"--listen", other.url().substr(7)}), "can't listen at");
  refuses(check({}, "state", other.socket()), "listens at");
}

TEST_F(ServeCheck, SaysWhatItRead) {
  EXPECT_EQ(check({}).output,
            "nodes    4\n"
            "cores    32\n"
            "gpus     8\n"
            "memory   128 GB\n"
            "queues   one, without a name: easy, 4 nodes\n");
  scratch_.write("queues.toml",
                 "[queues.batch]\n[queues.debug]\nhosts = \"node3\"\n[queues.urgent]\n"
                 "parent = \"batch\"\n[sched-copse]\nqueue-policy-per-queue = \"debug:fcfs\"\n"
                 "match-policy = \"low\"\n[kvs]\nx = 1\n");
  const Outcome said = check({"--queues", "queues.toml"});
  EXPECT_EQ(said.status, 0) << said.errors;
  EXPECT_TRUE(
      said.output.ends_with("queues   batch: easy, 4 nodes\n"
                            "         debug: fcfs, 1 node\n"
                            "         urgent: waits in batch, 4 nodes\n"
                            "ignored  match-policy in queues.toml\n"
                            "         the table kvs in queues.toml\n"))
      << said.output;
  LiveService service;
  service.end(SIGTERM);
  EXPECT_TRUE(
      copse({"serve", "--state", service.state(), "--check"}).output.starts_with("nodes    4\n"));
}

TEST_F(ServeCheck, RefusesUnknownTables) {
  scratch_.write("queues.toml", "[queues.batch]\n[partitions.debug]\nnodes = \"node3\"\n");
  refuses(check({"--queues", "queues.toml"}), "queues.toml:2:1: unknown table \"partitions\"");
}

TEST_F(ServeCheck, RefusesWhatAStartRefuses) {
  refuses(check({}, "/proc/nope"), "can't make /proc/nope");
  refuses(check({"--audit", "/nonexistent/x"}), "can't write /nonexistent/x: its folder");
  scratch_.write("limits.toml",
                 "[queues.batch.policy.limits.job-size]\nmin.nnodes = 4\nmax.nnodes = 2\n");
  refuses(check({"--queues", "limits.toml"}), "min.nnodes 4 is more than max.nnodes 2");
}

TEST_F(ServeCheck, LeavesARunningServiceAlone) {
  const LiveService service({"--listen", "127.0.0.1:0"});
  const Outcome beside =
      check({"--listen", service.url().substr(7)}, service.state(), service.socket());
  EXPECT_EQ(beside.status, 0) << beside.errors;
  EXPECT_NE(beside.errors.find("a service runs on the state in "), std::string::npos);
  EXPECT_EQ(service.copse({"jobs"}).status, 0);
}

TEST_F(ServeCheck, AFailedFirstStartLeavesNothing) {
  scratch_.write("broken.graphml", "x");
  refuses(copse({"serve", "-L", "broken.graphml", "--state", "a/b", "--socket", "c/d/socket"}),
          "broken.graphml");
  refuses(copse({"serve", "-L", "machines/desk.graphml", "--state", "a/b", "--socket", "c/d/socket",
                 "--audit", "/nonexistent/x"}),
          "/nonexistent/x");
  EXPECT_FALSE(fs::exists(scratch_.path() / "a"));
  EXPECT_FALSE(fs::exists(scratch_.path() / "c"));
  LiveService service;  // its state stays
  service.end(SIGTERM);
  refuses(copse({"serve", "--state", service.state(), "--audit", "/nonexistent/x"}),
          "/nonexistent/x");
  EXPECT_EQ(copse({"state", "check", service.state()}).status, 0);
}

TEST_F(ServeCheck, RefusesWhatCannotBeMeant) {
  refuses(check({"--audit", "state/state.db"}), "is a file of the state");
  scratch_.write("cert.pem", "x");
  refuses(check({"--tls-cert", "cert.pem"}), "--tls-cert requires --listen");
}

// A service that begins with a typo would deny all jobs that wait.
TEST_F(ServeCheck, RefusesQueuesThatNoNodeServes) {
  const std::string typo = "[queues.batch]\nrequires = [\"comptue\"]\n";
  scratch_.write("typo.toml", typo);
  refuses(check({"--queues", "typo.toml"}),
          "the queue \"batch\": no node has the property \"comptue\"");
  const std::string file = (scratch_.path() / "queues.toml").string();
  scratch_.write("queues.toml", "[queues.batch]\n");
  LiveService service({"--queues", file});
  ASSERT_EQ(service.copse({"submit", "-q", "batch", "--hold", "--shape", "slot=1/core"}).status, 0);
  service.end(SIGKILL);
  scratch_.write("queues.toml", typo);
  refuses(copse({"serve", "--state", service.state(), "--socket", "other", "--queues", file}),
          "no node has the property \"comptue\"");
  scratch_.write("queues.toml", "[queues.batch]\n");
  service.start();
  EXPECT_EQ(service.copse({"jobs", "-o", "{state}", "--no-header"}).output, "pending\n");
}

TEST_F(ServeCheck, SaysWhatIsIgnoredOnAStateThatIsThere) {
  // And -P low, as all of these.
  LiveService service({"--down", "node3", "--prune-filters", "ALL:core", "--now", "100"});
  EXPECT_EQ(service.log().find("ignored"), std::string::npos) << service.log();
  service.end(SIGTERM);
  service.start();
  for (const char* option : {"--match-policy is ignored", "--down is ignored",
                             "--prune-filters is ignored", "--now is ignored"}) {
    EXPECT_NE(service.log().find(option), std::string::npos) << service.log();
  }
  EXPECT_EQ(service.log().find("--hres is ignored"), std::string::npos);
}

TEST_F(ServeCheck, StatesAreIntactOrNot) {
  LiveService service;
  service.end(SIGTERM);
  const Outcome good = copse({"state", "check", service.state()});
  EXPECT_TRUE(good.output.starts_with("intact\nchanges ")) << good.output << good.errors;
  EXPECT_NE(good.output.find(" (20"), std::string::npos) << good.output;  // its clock as a date
  fs::create_directory(scratch_.path() / "empty");
  scratch_.write("empty/state.db", "");
  refuses(copse({"state", "check", "empty"}), "is empty (0 bytes)");
}

TEST_F(ServeCheck, TokensNeedAFolderThatIsThere) {
  refuses(copse({"token", "add", "ada", "--state", "typo"}), "there is no folder typo");
  EXPECT_FALSE(fs::exists(scratch_.path() / "typo"));
  const Outcome none = run({.words = {"/usr/bin/env", "XDG_STATE_HOME=" + scratch_.path().string(),
                                      program("copse"), "token", "add", "ada"},
                            .input = {},
                            .folder = scratch_.path()});
  refuses(none, "name the folder of the service's state with --state, or start copse serve first");
}

}  // namespace
}  // namespace copse
