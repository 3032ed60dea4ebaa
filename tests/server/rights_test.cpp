// SPDX-License-Identifier: Apache-2.0
//
// Who may do what: each cell of the table, on a service with sessions' lines; tokens and their file.
#include "server/rights/rights.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <string>

#include <fmt/format.h>

#include "journal/temporary_folder.hpp"
#include "server/http_service.hpp"
#include "server/rights/token_file.hpp"
#include "server/rights/tokens.hpp"

namespace copse::server {
namespace {

// By action, for nobody, guest, user, operator and owner.
const std::map<std::string_view, std::string_view> kMay{
    {"live", "YYYYY"},     {"look", ".YYYY"},     {"try", "..YYY"},    {"take", "..YYY"},
    {"give-own", "..YYY"}, {"give-any", "...YY"}, {"change", "...YY"}, {"give-keys", "....Y"}};

TEST(Rights, TableHasEachCell) {
  ASSERT_EQ(kMay.size(), kActions.size());
  for (const Action action : kActions) {
    for (std::size_t i = 0; i < kRoles.size(); ++i) {
      EXPECT_EQ(may(kRoles.at(i), action), kMay.at(word(action))[i] == 'Y')
          << word(kRoles.at(i)) << ' ' << word(action);
    }
  }
}

TEST(Rights, RolesHaveNames) {
  for (const Role role : kRoles) EXPECT_EQ(parse_role(word(role)), role);
  EXPECT_EQ(parse_role("root"), std::nullopt);
}

// A line of each operation, and its action.
const std::map<std::string_view, std::pair<std::string_view, std::string_view>> kLinesOfOps{
    {"alloc", {R"("id": 5, "shape": "slot=1/core", "duration": 9)", "take"}},
    {"reserve", {R"("id": 5, "shape": "slot=1/core", "duration": 9)", "take"}},
    {"satisfy", {R"("shape": "slot=1/core")", "try"}},
    {"explain", {R"("shape": "slot=1/core")", "try"}},
    {"status", {"", "look"}},
    {"info", {"", "look"}},
    {"layers", {"", "look"}},
    {"quit", {"", "live"}},
    {"down", {R"("ranks": "0")", "change"}},
    {"up", {R"("ranks": "0")", "change"}},
    {"set-layer", {R"("resource": "x", "nodes": "n0", "count": 1)", "change"}},
    {"add-layer", {R"("resource": "x", "nodes": "n0", "count": 1)", "change"}},
    {"remove-layer", {R"("resource": "x", "nodes": "n0")", "change"}},
    {"set-layer-nodes", {R"("resource": "x", "nodes": "n0", "to": "n1")", "change"}},
    {"free-layer", {R"("id": "x")", "change"}}};

TEST(Rights, EachLineOfEachRole) {
  for (const auto& [op, row] : kLinesOfOps) {
    for (std::size_t i = 0; i < kRoles.size(); ++i) {
      HttpService made;
      const std::string members = row.first.empty() ? "" : ", " + std::string(row.first);
      const auto answer = made.service->answer(fmt::format("{{\"op\": \"{}\"{}}}", op, members), 1,
                                               0, {kRoles.at(i), "ada"});
      EXPECT_EQ(answer.text.starts_with(R"({"error": "forbidden")"), kMay.at(row.second)[i] != 'Y')
          << op << ' ' << word(kRoles.at(i)) << ' ' << answer.text;
    }
  }
}

TEST(Rights, UsersGiveBackTheirOwn) {
  HttpService made;
  const Who ada{Role::user, "ada"}, bob{Role::user, "bob"}, operate{Role::operate, "op"};
  const auto ask = [&](std::string_view line, const Who& who) {
    return made.service->answer(line, 1, 0, who).text;
  };
  const std::string alloc = R"({"op": "alloc", "id": 1, "shape": "slot=1/core", "duration": 9})";
  const std::string free = R"({"op": "free", "id": 1})";
  EXPECT_TRUE(ask(alloc, ada).starts_with(R"({"id": 1)"));
  EXPECT_EQ(ask(free, bob),
            "{\"error\": \"forbidden\", \"message\": \"\\\"id\\\" 1 is not yours: the role user "
            "changes only its own\"}\n");
  EXPECT_EQ(ask(free, ada), "{}\n");
  EXPECT_TRUE(ask(alloc, bob).starts_with(R"({"id": 1)"));
  EXPECT_TRUE(ask(free, ada).starts_with(R"({"error": "forbidden")"));
  EXPECT_EQ(ask(free, operate), "{}\n");
}

TEST(Rights, ChangesAndWhatIsForbiddenAreAudited) {
  HttpService made;
  std::string told;
  made.service->audit([&](const Audit& audit) {
    told += fmt::format("{} {} {} {} [{}] {}\n", audit.who.name, audit.who.request, audit.op,
                        audit.id.value_or(-1), audit.on, audit.result);
  });
  const Who ada{Role::user, "ada", "r1"};
  (void)made.service->answer(R"({"op": "info"})", 1, 0, ada);
  (void)made.service->answer(R"({"op": "alloc", "id": 3, "shape": "slot=1/core", "duration": 9})",
                             1, 0, ada);
  (void)made.service->answer(R"({"op": "down", "ranks": "0"})", 1, 0, ada);
  (void)made.service->answer(R"({"op": "free", "id": 9})", 1, 0, {Role::owner, "root", "r2"});
  const Who root{Role::owner, "root", "r3"};
  const auto ask = [&](const char* line) { (void)made.service->answer(line, 1, 0, root); };
  ask(R"({"op": "submit", "shape": "slot=1/core", "duration": 9})");
  ask(R"({"op": "down", "ranks": "0"})");
  ask(R"({"op": "add-reservation", "reservation":
           {"name": "work", "start": 50, "duration": 10, "nodes": "n0"}})");
  ask(R"({"op": "end-reservation", "name": "work"})");
  EXPECT_EQ(told,
            "ada r1 alloc 3 [] done\n"
            "ada r1 down -1 [n0] forbidden\n"
            "root r3 submit 1 [] done\n"
            "root r3 down -1 [n0] done\n"
            "root r3 add-reservation -1 [work] done\n"
            "root r3 end-reservation -1 [work] done\n");
}

TEST(Rights, UsersSubmitTheirOwnJobsAlone) {
  HttpService made;
  const Who ada{Role::user, "ada"}, operate{Role::operate, "op"};
  const auto submit = [&](const Who& who, std::string_view more) {
    return made.service
        ->answer(
            fmt::format(R"({{"op": "submit", "shape": "slot=1/core", "duration": 9{}}})", more), 1,
            0, who)
        .text;
  };
  EXPECT_EQ(
      submit(ada, R"(, "user": "bob")"),
      "{\"error\": \"forbidden\", \"message\": \"\\\"user\\\" \\\"bob\\\" is not you: the role "
      "user submits only its own jobs\"}\n");
  EXPECT_EQ(submit(ada, R"(, "user": "ada")"), "{\"id\": 1}\n");
  EXPECT_EQ(submit(operate, R"(, "user": "bob")"), "{\"id\": 2}\n");
  EXPECT_EQ(submit(operate, ""), "{\"id\": 3}\n");
  EXPECT_EQ(made.service->owner(1), "ada");
  EXPECT_EQ(made.service->owner(2), "bob");
  EXPECT_EQ(made.service->owner(3), "op");
}

TEST(Rights, WhatIsNotThereIsNobodys) {
  HttpService made;
  const Who ada{Role::user, "ada"};
  for (const std::string_view op : {"cancel", "hold", "end"}) {
    EXPECT_EQ(made.service->answer(fmt::format(R"({{"op": "{}", "id": 77}})", op), 1, 0, ada).text,
              "{\"error\": \"invalid\", \"message\": \"there is no job 77\"}\n");
  }
}

TEST(TokensTest, AreKnownByTheirHashAlone) {
  Tokens tokens;
  const auto ada = tokens.add("ada", Role::user, 100), bob = tokens.add("bob", Role::owner, 200);
  ASSERT_TRUE(ada && bob);
  EXPECT_EQ(ada->size(), 70U);
  EXPECT_NE(*ada, *bob);
  EXPECT_EQ(tokens.who(*ada).name, "ada");
  EXPECT_EQ(tokens.who(*ada).role, Role::user);
  EXPECT_EQ(tokens.who(*bob).role, Role::owner);
  EXPECT_EQ(tokens.who("").role, Role::nobody);
  EXPECT_EQ(tokens.who(ada->substr(0, 69)).role, Role::nobody);
  EXPECT_EQ(tokens.who(tokens.entries()[0].hash).role, Role::nobody);
  EXPECT_EQ(tokens.text().find(ada->substr(6)), std::string::npos);
  EXPECT_EQ(tokens.add("ada", Role::user, 1).error().code, ErrorCode::exists);
  EXPECT_EQ(tokens.add("a b", Role::user, 1).error().code, ErrorCode::invalid);
  EXPECT_TRUE(tokens.revoke("ada"));
  EXPECT_FALSE(tokens.revoke("ada"));
  EXPECT_EQ(tokens.who(*ada).role, Role::nobody);
}

TEST(TokensTest, TextComesBack) {
  Tokens tokens;
  const auto token = tokens.add("ada", Role::operate, 100);
  const auto read = Tokens::parse(tokens.text(), "tokens");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->who(*token).role, Role::operate);
  EXPECT_EQ(read->text(), tokens.text());
  for (const std::string_view wrong : {"ada", "ada user 12 3", "ada king {} 3", "a/b user {} 3",
                                       "ada user {} 3 4", "ada user {}", "ada user {} x"}) {
    const std::string line = fmt::format(fmt::runtime(wrong), std::string(64, 'a'));
    const auto refused = Tokens::parse("\n" + line, "tokens");
    EXPECT_FALSE(refused.has_value()) << line;
    const auto alone = Tokens::parse(line, "tokens");
    ASSERT_FALSE(alone.has_value()) << line;
    EXPECT_EQ(alone.error().place.line, 1U);
  }
}

TEST(TokensTest, FileIsItsOwnersAndReadAgain) {
  const journal::TemporaryFolder folder;
  const std::string path = (folder.path() / "tokens").string();
  std::string log;
  TokenFile file(path, [&](const std::string& line) { log += line; });
  EXPECT_EQ(file.who("copse_x").role, Role::nobody);
  Tokens tokens;
  const auto token = tokens.add("ada", Role::user, 100);
  ASSERT_TRUE(tokens.save(path).has_value());
  struct stat facts{};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  EXPECT_EQ(file.who(*token).name, "ada");
  EXPECT_TRUE(tokens.revoke("ada"));
  ASSERT_TRUE(tokens.save(path).has_value());
  EXPECT_EQ(file.who(*token).role, Role::nobody);
  const auto again = tokens.add("bob", Role::user, 100);
  ASSERT_TRUE(tokens.save(path).has_value());
  EXPECT_EQ(file.who(*again).name, "bob");
  EXPECT_EQ(log, "");
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  EXPECT_EQ(file.who(*again).role, Role::nobody);
  EXPECT_NE(log.find("may be read or written by others"), std::string::npos);
}

}  // namespace
}  // namespace copse::server
