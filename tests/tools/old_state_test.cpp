// SPDX-License-Identifier: Apache-2.0
//
// The state of a service of 0.1.0 (tests/data/states), opened by this one: a snapshot and changes after it,
// in tables and words of then.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <string>

#include "paths.hpp"
#include "tools/live_service.hpp"
#include "tools/program.hpp"

namespace copse {
namespace {

namespace fs = std::filesystem;

class OldState : public ::testing::Test {
 protected:
  OldState() {
    service_.end(SIGKILL);
    fs::remove_all(service_.state());
    fs::create_directory(service_.state());
    fs::permissions(service_.state(), fs::perms::owner_all);
    const fs::path file = service_.state() + "/state.db";
    fs::copy_file(source_dir() + "/tests/data/states/0.1.0/state.db", file);
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  }

  // Its output alone; errors fail the test.
  std::string copse(const std::vector<std::string>& words) const {
    const Outcome got = service_.copse(words);
    EXPECT_EQ(got.errors, "") << words[0];
    return got.output;
  }
  void expect_all_there() const {
    EXPECT_EQ(copse({"jobs", "--all", "--no-header", "-o", "id,name,state,nodelist,result,held"}),
              service_.scratch().read("data/states/0.1.0/jobs"));
    EXPECT_TRUE(copse({"nodes", "-R"}).contains("new fan")) << copse({"nodes", "-R"});
    EXPECT_TRUE(copse({"reservation", "list"}).contains("course"));
  }

  LiveService service_{{"--clock-jump-max", "inf"}};  // the state is years old by now
};

TEST_F(OldState, IsChecked) {
  const std::string before = service_.scratch().read("state/state.db");
  EXPECT_TRUE(copse({"state", "check", service_.state()}).starts_with("intact\n"));
  EXPECT_EQ(service_.scratch().read("state/state.db"), before);
}

TEST_F(OldState, GoesOn) {
  service_.start();
  expect_all_there();
  EXPECT_EQ(copse({"submit", "--shape", "slot=1/core", "--name", "new"}), "7\n");
  EXPECT_EQ(copse({"cancel", "7"}), "");
  // Now the tables are those of today.
  service_.end(SIGTERM);
  EXPECT_TRUE(copse({"state", "check", service_.state()}).starts_with("intact\n"));
  EXPECT_TRUE(fs::exists(service_.state() + "/committed"));
}

}  // namespace
}  // namespace copse
