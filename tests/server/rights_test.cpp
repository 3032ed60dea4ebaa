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

// By permission, for none, guest, user, operator and owner.
const std::map<std::string_view, std::string_view> kMay{
    {"liveness", "YYYYY"}, {"read", ".YYYY"},         {"try", "..YYY"},
    {"allocate", "..YYY"}, {"release-own", "..YYY"},  {"release-any", "...YY"},
    {"change", "...YY"},   {"manage-tokens", "....Y"}};

TEST(Rights, TableHasEachCell) {
  ASSERT_EQ(kMay.size(), kPermissions.size());
  for (const Permission permission : kPermissions) {
    for (std::size_t i = 0; i < kRoles.size(); ++i) {
      EXPECT_EQ(may(kRoles.at(i), permission), kMay.at(word(permission))[i] == 'Y')
          << word(kRoles.at(i)) << ' ' << word(permission);
    }
  }
}

TEST(Rights, RolesHaveNames) {
  for (const Role role : kRoles) EXPECT_EQ(parse_role(word(role)), role);
  EXPECT_EQ(parse_role("root"), std::nullopt);
}

// A request of each operation, and its permission.
const std::map<std::string_view, std::pair<std::string_view, std::string_view>> kLinesOfOps{
    {"alloc", {R"("id": 5, "shape": "slot=1/core", "duration": 9)", "allocate"}},
    {"reserve", {R"("id": 5, "shape": "slot=1/core", "duration": 9)", "allocate"}},
    {"satisfy", {R"("shape": "slot=1/core")", "try"}},
    {"explain", {R"("shape": "slot=1/core")", "try"}},
    {"status", {"", "read"}},
    {"info", {"", "read"}},
    {"layers", {"", "read"}},
    {"quit", {"", "liveness"}},
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
  const Caller ada{Role::user, "ada"}, bob{Role::user, "bob"}, operate{Role::operate, "op"};
  const auto ask = [&](std::string_view line, const Caller& caller) {
    return made.service->answer(line, 1, 0, caller).text;
  };
  const std::string alloc = R"({"op": "alloc", "id": 1, "shape": "slot=1/core", "duration": 9})";
  const std::string free = R"({"op": "free", "id": 1})";
  EXPECT_TRUE(ask(alloc, ada).starts_with(R"({"id": 1)"));
  EXPECT_EQ(ask(free, bob),
            "{\"error\": \"forbidden\", \"message\": \"\\\"id\\\" 1 belongs to another client: the "
            "role user "
            "changes only its own\"}\n");
  EXPECT_EQ(ask(free, ada), "{}\n");
  EXPECT_TRUE(ask(alloc, bob).starts_with(R"({"id": 1)"));
  EXPECT_TRUE(ask(free, ada).starts_with(R"({"error": "forbidden")"));
  EXPECT_EQ(ask(free, operate), "{}\n");
}

TEST(Rights, ChangesAndWhatIsForbiddenAreAudited) {
  HttpService made;
  std::string told;
  made.service->set_audit_sink([&](const Audit& audit) {
    told += fmt::format("{} {} {} {} [{}] {}\n", audit.caller.name, audit.caller.request_id,
                        audit.op, audit.id.value_or(-1), audit.target, audit.result);
  });
  const Caller ada{Role::user, "ada", "r1"};
  (void)made.service->answer(R"({"op": "info"})", 1, 0, ada);
  (void)made.service->answer(R"({"op": "alloc", "id": 3, "shape": "slot=1/core", "duration": 9})",
                             1, 0, ada);
  (void)made.service->answer(R"({"op": "down", "ranks": "0"})", 1, 0, ada);
  (void)made.service->answer(R"({"op": "free", "id": 9})", 1, 0, {Role::owner, "root", "r2"});
  const Caller root{Role::owner, "root", "r3"};
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
  const Caller ada{Role::user, "ada"}, operate{Role::operate, "op"};
  const auto submit = [&](const Caller& caller, std::string_view more) {
    return made.service
        ->answer(
            fmt::format(R"({{"op": "submit", "shape": "slot=1/core", "duration": 9{}}})", more), 1,
            0, caller)
        .text;
  };
  EXPECT_EQ(submit(ada, R"(, "user": "bob")"),
            "{\"error\": \"forbidden\", \"message\": \"\\\"user\\\" \\\"bob\\\" is another user: "
            "the role "
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
  const Caller ada{Role::user, "ada"};
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
  EXPECT_EQ(tokens.authenticate(*ada).name, "ada");
  EXPECT_EQ(tokens.authenticate(*ada).role, Role::user);
  EXPECT_EQ(tokens.authenticate(*bob).role, Role::owner);
  EXPECT_EQ(tokens.authenticate("").role, Role::none);
  EXPECT_EQ(tokens.authenticate(ada->substr(0, 69)).role, Role::none);
  EXPECT_EQ(tokens.authenticate(tokens.entries()[0].hash).role, Role::none);
  EXPECT_EQ(tokens.text().find(ada->substr(6)), std::string::npos);
  EXPECT_EQ(tokens.add("ada", Role::user, 1).error().code, ErrorCode::exists);
  EXPECT_EQ(tokens.add("a b", Role::user, 1).error().code, ErrorCode::invalid);
  EXPECT_TRUE(tokens.revoke("ada"));
  EXPECT_FALSE(tokens.revoke("ada"));
  EXPECT_EQ(tokens.authenticate(*ada).role, Role::none);
}

TEST(TokensTest, TextComesBack) {
  Tokens tokens;
  const auto token = tokens.add("ada", Role::operate, 100);
  const auto read = Tokens::parse(tokens.text(), "tokens");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->authenticate(*token).role, Role::operate);
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
  EXPECT_EQ(file.authenticate("copse_x").role, Role::none);
  Tokens tokens;
  const auto token = tokens.add("ada", Role::user, 100);
  ASSERT_TRUE(tokens.save(path).has_value());
  struct stat facts{};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  EXPECT_EQ(file.authenticate(*token).name, "ada");
  EXPECT_TRUE(tokens.revoke("ada"));
  ASSERT_TRUE(tokens.save(path).has_value());
  EXPECT_EQ(file.authenticate(*token).role, Role::none);
  const auto again = tokens.add("bob", Role::user, 100);
  ASSERT_TRUE(tokens.save(path).has_value());
  EXPECT_EQ(file.authenticate(*again).name, "bob");
  EXPECT_EQ(log, "");
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  EXPECT_EQ(file.authenticate(*again).role, Role::none);
  EXPECT_NE(log.find("may be read or written by others"), std::string::npos);
}

}  // namespace
}  // namespace copse::server
