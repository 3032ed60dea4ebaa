// SPDX-License-Identifier: Apache-2.0
//
// Whose the folder of a state and its files are: before a start, and before a token is added.
#include "tools/copse/serve/state_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "server/rights/tokens.hpp"
#include "tools/program.hpp"

namespace copse {
namespace {

namespace fs = std::filesystem;
constexpr uid_t kOtherUser = 65'534;

class StateFiles : public ::testing::Test {
 protected:
  StateFiles() {
    fs::create_directory(state());
    fs::permissions(state(), fs::perms::owner_all);
  }
  [[nodiscard]] std::string state() const { return (scratch_.path() / "state").string(); }
  [[nodiscard]] std::string file(const std::string& name) const { return state() + "/" + name; }
  [[nodiscard]] std::string refused() const {
    const auto checked = check_state_files(state());
    return checked ? std::string() : checked.error().message();
  }
  // The start of a service, and a new token, are refused with this.
  void all_refuse(std::string_view part) const {
    EXPECT_TRUE(refused().contains(part)) << refused();
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"serve", "-L", "machines/desk.graphml", "--state", state(),
                                   "--socket", "socket"},
          {"serve", "-L", "machines/desk.graphml", "--state", state(), "--check"},
          {"token", "add", "ada", "--state", state()},
          {"token", "revoke", "ada", "--state", state()},
          {"token", "list", "--state", state()}}) {
      std::vector<std::string> all = words;
      all.insert(all.begin(), program("copse"));
      const Outcome got = run({.words = all, .input = {}, .folder = scratch_.path()});
      EXPECT_EQ(got.status, 2) << words[0];
      EXPECT_TRUE(got.errors.contains(part)) << words[0] << ' ' << got.errors;
    }
  }

  Scratch scratch_;
};

TEST_F(StateFiles, BelongToTheUserAlone) {
  EXPECT_EQ(refused(), "");
  EXPECT_TRUE(check_state_files(state() + "/none").has_value());
  scratch_.write("state/tokens", "");
  fs::permissions(file("tokens"), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(refused(), "");
  fs::permissions(file("tokens"), fs::perms::others_write, fs::perm_options::add);
  all_refuse("tokens may be written by others: chmod go-w it");
  fs::permissions(file("tokens"), fs::perms::others_write, fs::perm_options::remove);
  fs::permissions(state(), fs::perms::group_write, fs::perm_options::add);
  all_refuse("state may be written by others: chmod go-w it");
}

TEST_F(StateFiles, AreNoLinks) {
  scratch_.write("victim", "precious");
  for (const char* name : {"state.db", "tokens", "tokens.new", "audit.log", "lock", "reserve"}) {
    fs::create_symlink(scratch_.path() / "victim", file(name));
    all_refuse(std::string(name) + " is a link");
    fs::remove(file(name));
  }
  EXPECT_EQ(scratch_.read("victim"), "precious");
}

TEST_F(StateFiles, TokensAreWrittenThroughNoLink) {
  scratch_.write("victim", "precious");
  fs::create_symlink(scratch_.path() / "victim", file("tokens.new"));
  server::Tokens tokens;
  ASSERT_TRUE(tokens.add("ada", server::Role::user, 1).has_value());
  EXPECT_TRUE(tokens.save(file("tokens")).has_value());
  EXPECT_EQ(scratch_.read("victim"), "precious");
  fs::rename(file("tokens"), file("elsewhere"));
  fs::create_symlink(file("elsewhere"), file("tokens"));
  const auto read = server::Tokens::load(file("tokens"));
  ASSERT_FALSE(read.has_value());
  EXPECT_TRUE(read.error().message().contains("is a link"));
}

TEST_F(StateFiles, OfAnotherUserAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "requires root, to make files of another user";
  scratch_.write("state/tokens", "");
  ASSERT_EQ(::chmod(file("tokens").c_str(), 0600), 0);
  ASSERT_EQ(::chown(file("tokens").c_str(), kOtherUser, kOtherUser), 0);
  all_refuse("tokens belongs to uid 65534");
  EXPECT_FALSE(server::Tokens::load(file("tokens")).has_value());
  fs::remove(file("tokens"));
  ASSERT_EQ(::chown(state().c_str(), kOtherUser, kOtherUser), 0);
  all_refuse("state belongs to uid 65534");
}

}  // namespace
}  // namespace copse
