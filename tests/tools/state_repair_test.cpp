// SPDX-License-Identifier: Apache-2.0
//
// The programs on damaged, lost and restored states: what copse serve refuses, what copse state check
// says, and what copse state repair keeps. tests/server/state_damage_test.cpp has all kinds of damage.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "host/clock/real_clock.hpp"
#include "tools/live_service.hpp"

namespace copse {
namespace {

namespace fs = std::filesystem;

class StateRepair : public ::testing::Test {
 protected:
  [[nodiscard]] Outcome copse(std::vector<std::string> words) const {
    words.insert(words.begin(), program("copse"));
    return run({.words = std::move(words), .input = {}, .folder = service_.scratch().path()});
  }
  // A start, which ends by itself if it is refused.
  [[nodiscard]] Outcome serve(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"serve",    "-L",      "machines/desk.graphml",
                                   "--check",  "--state", service_.state(),
                                   "--socket", "other"};
    words.insert(words.end(), more.begin(), more.end());
    return copse(words);
  }
  void submit(int jobs) const {
    for (int i = 0; i < jobs; ++i) {
      EXPECT_EQ(service_.copse({"submit", "--shape", "slot=1/core", "--duration", "1d"}).status, 0);
    }
  }
  void flip(const std::string& name, std::size_t at) const {
    std::fstream file(service_.state() + "/" + name,
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    ASSERT_GE(byte, 0);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 1));
  }
  [[nodiscard]] std::string line_of(const std::string& text, const std::string& word) const {
    const std::size_t at = text.find(word + " ");
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  }
  static void refuses(const Outcome& outcome, std::string_view part) {
    EXPECT_EQ(outcome.status, 2) << outcome.errors;
    EXPECT_NE(outcome.errors.find(part), std::string::npos) << outcome.errors;
  }

  LiveService service_;
};

TEST_F(StateRepair, ADamagedLogIsRefusedAndRepaired) {
  submit(8);
  service_.end(SIGKILL);
  flip("state.db-wal", 20);
  refuses(serve(),
          "were committed, and are missing: restore a backup, or go on with what is intact: "
          "copse state repair ");
  refuses(copse({"state", "check", service_.state()}), "copse state repair");
  refuses(copse({"state", "compact", service_.state()}), "copse state repair");
  ASSERT_GT(fs::file_size(service_.state() + "/state.db-wal"), 0U);  // nothing was deleted
  const Outcome repaired = copse({"state", "repair", service_.state()});
  EXPECT_EQ(repaired.status, 0) << repaired.errors;
  EXPECT_TRUE(repaired.output.starts_with("damage: ") || repaired.output.starts_with("changes "))
      << repaired.output;
  EXPECT_NE(line_of(repaired.output, "lost"), "lost 0") << repaired.output;
  EXPECT_NE(repaired.output.find("the files from before are in "), std::string::npos);
  EXPECT_EQ(copse({"state", "check", service_.state()}).status, 0);
  const Outcome again = copse({"state", "repair", service_.state()});
  EXPECT_EQ(again.output, "intact: there is nothing to repair\n");
  service_.start();
  submit(1);
}

TEST_F(StateRepair, ADamagedSnapshotIsReportedAndTheOlderOneUsed) {
  submit(3);
  service_.end(SIGTERM);
  std::ifstream in(service_.state() + "/state.db", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::size_t at = bytes.rfind("\"duration\": 86400");
  ASSERT_NE(at, std::string::npos);
  flip("state.db", at + 12);
  const Outcome check = copse({"state", "check", service_.state()});
  EXPECT_EQ(check.status, 1) << check.errors;
  EXPECT_TRUE(check.output.starts_with("damaged, but no change is lost")) << check.output;
  service_.start();
  EXPECT_NE(
      service_.log().find("the state is damaged, and nothing is lost: the snapshot of change"),
      std::string::npos)
      << service_.log();
  EXPECT_EQ(service_.copse({"jobs", "--no-header", "-o", "{duration}"}).output,
            "1-00:00:00\n1-00:00:00\n1-00:00:00\n");
  service_.end(SIGTERM);
  EXPECT_EQ(copse({"state", "check", service_.state()}).status, 0);
}

TEST_F(StateRepair, ALostDatabaseIsRefused) {
  submit(1);
  service_.end(SIGKILL);
  for (const bool empty : {true, false}) {
    fs::remove(service_.state() + "/state.db");
    if (empty) std::ofstream(service_.state() + "/state.db").flush();
    refuses(serve(), empty ? "state.db is empty, but state.db-wal is there"
                           : "state.db is missing, but state.db-wal is there");
    refuses(copse({"serve", "-L", "machines/desk.graphml", "--state", service_.state(), "--socket",
                   "other"}),
            "restore a backup, or move all files away");
    refuses(copse({"state", "check", service_.state()}), "restore a backup");
    EXPECT_TRUE(fs::exists(service_.state() + "/state.db-wal"));
  }
}

TEST_F(StateRepair, ARestoredBackupHasAnotherIncarnation) {
  submit(1);
  service_.end(SIGTERM);
  const std::string first =
      line_of(copse({"state", "check", service_.state()}).output, "incarnation");
  EXPECT_EQ(first.size(), 12U + 32U);
  const fs::path backup = service_.scratch().path() / "backup";
  fs::copy(service_.state(), backup);
  service_.start();
  EXPECT_EQ(service_.log().find("incarnation"), std::string::npos) << service_.log();
  submit(1);
  service_.end(SIGTERM);
  EXPECT_EQ(line_of(copse({"state", "check", service_.state()}).output, "incarnation"), first);
  fs::remove_all(service_.state());
  fs::copy(backup, service_.state());
  service_.start();
  EXPECT_NE(service_.log().find("its incarnation is now "), std::string::npos) << service_.log();
  service_.end(SIGTERM);
  EXPECT_NE(line_of(copse({"state", "check", service_.state()}).output, "incarnation"), first);
}

TEST_F(StateRepair, AClockAheadIsRefusedOrShown) {
  const std::string far = "2096-10-02T07:06:40Z";
  const LiveService ahead({"--now", far, "--clock-jump-max", "inf"});
  EXPECT_NE(ahead.ask(R"({"op": "alloc", "id": 9, "shape": "slot=1/core", "duration": 60})")
                .find("\"at\": 4"),
            std::string::npos);
  EXPECT_GT(ahead.metric("copse_clock_ahead_seconds"), 1'000'000'000);
  service_.end(SIGTERM);
  fs::remove_all(service_.state());
  refuses(serve({"--now", far}), "--now is ahead of the computer's clock by ");
}

TEST_F(StateRepair, AStateFarBehindIsNotAdvanced) {
  service_.end(SIGTERM);
  fs::remove_all(service_.state());
  LiveService old({"--now", "2010-01-01T00:00:00Z", "--clock-jump-max", "inf"});
  old.end(SIGKILL);
  const Outcome refused = copse({"serve", "--check", "--state", old.state(), "--socket", "other"});
  refuses(refused, "the computer's clock is ahead of the state's last change by ");
  EXPECT_EQ(copse({"serve", "--check", "--state", old.state(), "--socket", "other",
                   "--clock-jump-max", "40000d"})
                .status,
            0);
}

}  // namespace
}  // namespace copse
