// SPDX-License-Identifier: Apache-2.0
//
// Who may do what: each cell of the table, on a service with sessions' lines; tokens and their file.
#include "server/rights/rights.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <fmt/format.h>

#include "journal/temporary_folder.hpp"
#include "server/http_service.hpp"
#include "server/rights/tokens.hpp"

namespace copse::server {
namespace {

// By permission, for none, guest, user, operator and owner.
const std::map<std::string_view, std::string_view> kMay{
    {"liveness", "YYYYY"},    {"read", ".YYYY"},     {"try", "..YYY"},
    {"submit", "..YYY"},      {"allocate", "...YY"}, {"release-own", "..YYY"},
    {"release-any", "...YY"}, {"change", "...YY"},   {"manage-tokens", "....Y"}};

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
    {"free-layer", {R"("id": "x")", "change"}},
    {"reserve-layer",
     {R"("id": "x", "resource": "x", "nodes": "n0", "count": 1, "start": 5, "duration": 5, "for": [1])",
      "change"}},
    {"free", {R"("id": 5)", "release-own"}},
    {"now", {R"("t": 5)", "change"}},
    {"save", {R"("file": "x")", "change"}},
    {"restore", {R"("file": "x")", "change"}},
    {"begin", {"", "change"}},
    {"rollback", {"", "change"}},
    {"commit", {"", "change"}},
    {"attach", {R"("jgf": {})", "change"}},
    {"remove", {R"("nodes": "n0")", "change"}},
    {"submit", {R"("shape": "slot=1/core")", "submit"}},
    {"jobs", {"", "read"}},
    {"job", {R"("id": 1)", "read"}},
    {"queue", {"", "read"}},
    {"hold", {R"("id": 1)", "release-own"}},
    {"release", {R"("id": 1)", "release-own"}},
    {"priority", {R"("id": 1, "priority": 1)", "release-own"}},
    {"cancel", {R"("id": 1)", "release-own"}},
    {"end", {R"("id": 1)", "release-own"}},
    {"renew", {R"("id": 1)", "release-own"}},
    {"why", {R"("id": 1)", "read"}},
    {"when", {R"("id": 1)", "read"}},
    {"watch", {"", "read"}},
    {"reservations", {"", "read"}},
    {"add-reservation",
     {R"("reservation": {"name": "r", "nodes": "n0", "start": 50, "duration": 9})", "change"}},
    {"end-reservation", {R"("name": "r")", "change"}},
    {"try-reservation",
     {R"("reservation": {"name": "r", "nodes": "n0", "start": 50, "duration": 9})", "try"}},
    {"drain", {R"("nodes": "n0")", "change"}},
    {"undrain", {R"("nodes": "n0")", "change"}},
    {"drains", {"", "read"}},
    {"usage", {"", "read"}}};

TEST(Rights, EachLineOfEachRole) {
  ASSERT_EQ(kLinesOfOps.size(), kSessionOperations.size());
  for (const auto& [op, row] : kLinesOfOps) {
    for (std::size_t i = 0; i < kRoles.size(); ++i) {
      HttpService made;
      const std::string members = row.first.empty() ? "" : ", " + std::string(row.first);
      const auto answer = made.service->answer(fmt::format("{{\"op\": \"{}\"{}}}", op, members), 1,
                                               0, {kRoles.at(i), "ada"});
      EXPECT_EQ(answer.text().starts_with(R"({"error": "forbidden")"),
                kMay.at(row.second)[i] != 'Y')
          << op << ' ' << word(kRoles.at(i)) << ' ' << answer.text();
    }
  }
}

// A job of ada that an operator has held: who may do what with it.
TEST(Rights, EachChangeOfAJobOfEachRole) {
  struct Row {
    std::string_view op, more, may;  // none, guest, ada, bob, operator, owner
  };
  const Row rows[] = {{"hold", "", "..Y.YY"},
                      {"release", "", "....YY"},
                      {"priority", R"(, "priority": -2)", "..Y.YY"},
                      {"priority", R"(, "priority": 2)", "....YY"},
                      {"cancel", "", "..Y.YY"},
                      {"end", "", "..Y.YY"},
                      {"renew", "", "..Y.YY"}};
  const Caller callers[] = {{Role::none, ""},    {Role::guest, "ada"},  {Role::user, "ada"},
                            {Role::user, "bob"}, {Role::operate, "op"}, {Role::owner, "root"}};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < std::size(callers); ++i) {
      HttpService made;
      const auto ask = [&](std::string_view line, const Caller& caller) {
        return made.service->answer(line, 1, 0, caller).text();
      };
      ASSERT_EQ(ask(R"({"op": "submit", "shape": "slot=1/core"})", callers[2]), "{\"id\": 1}\n");
      ASSERT_EQ(ask(R"({"op": "hold", "id": 1})", callers[4]), "{}\n");
      const std::string answer =
          ask(fmt::format(R"({{"op": "{}", "id": 1{}}})", row.op, row.more), callers[i]);
      EXPECT_EQ(answer.starts_with(R"({"error": "forbidden")"), row.may[i] != 'Y')
          << row.op << ' ' << row.more << ' ' << word(callers[i].role) << ' ' << answer;
    }
  }
}

TEST(Rights, WhatAnOperatorHoldsIsReleasedByOperators) {
  HttpService made;
  const Caller ada{Role::user, "ada"}, chief{Role::operate, "chief"};
  const auto ask = [&](std::string_view op, const Caller& caller) {
    return made.service->answer(fmt::format(R"({{"op": "{}", "id": 1}})", op), 1, 0, caller).text();
  };
  (void)made.service->answer(R"({"op": "submit", "shape": "slot=1/core", "held": true})", 1, 0,
                             ada);
  EXPECT_EQ(ask("release", ada), "{}\n");  // her own
  EXPECT_EQ(ask("hold", ada), "{}\n");
  EXPECT_EQ(ask("hold", chief), "{}\n");  // in addition
  EXPECT_EQ(ask("hold", ada), "{}\n");
  EXPECT_EQ(ask("release", ada),
            "{\"error\": \"forbidden\", \"message\": \"an operator holds job 1: releasing it "
            "requires the role operator\"}\n");
  EXPECT_NE(ask("job", ada).find(R"("held": true, "operator_hold": true)"), std::string::npos);
  EXPECT_EQ(ask("release", chief), "{}\n");
  EXPECT_EQ(ask("job", ada).find("hold"), std::string::npos);
}

TEST(Rights, UsersAllocateWithinBoundsOnly) {
  const std::string alloc = R"({"op": "alloc", "shape": "slot=1/core", "duration": 9})";
  for (const bool bounded : {false, true}) {
    HttpService made(bounded ? HttpService::with_user_grants() : LiveJobs::Setup{});
    const auto ask = [&](Role role) {
      return made.service->answer(alloc, 1, 0, {role, "ada"}).text();
    };
    EXPECT_NE(ask(Role::guest).find("forbidden"), std::string::npos);
    EXPECT_EQ(ask(Role::user).find("forbidden") == std::string::npos, bounded) << ask(Role::user);
    EXPECT_TRUE(ask(Role::operate).starts_with(R"({"id": )"));
    const std::string_view body = R"({"shape": "slot=1/core", "duration": 9})";
    EXPECT_EQ(made.ask("PUT", "/v1/grants/90", body, {Role::user, "ada"}).status,
              bounded ? 201U : 403U);
  }
}

TEST(Rights, UsersGiveBackTheirOwn) {
  HttpService made(HttpService::with_user_grants());
  const Caller ada{Role::user, "ada"}, bob{Role::user, "bob"}, operate{Role::operate, "op"};
  const auto ask = [&](std::string_view line, const Caller& caller) {
    return made.service->answer(line, 1, 0, caller).text();
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
  HttpService made(HttpService::with_user_grants());
  std::string told;
  made.service->set_audit_sink([&](const Audit& audit) {
    told += fmt::format("{} {} {} {} [{}]", audit.caller.name, audit.caller.request_id, audit.op,
                        audit.id.value_or(-1), audit.target);
    for (const auto& [name, value] : audit.values) told += fmt::format(" {}={}", name, value);
    told += fmt::format(" {}\n", audit.result);
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
  ask(R"({"op": "priority", "id": 1, "priority": 77})");
  ask(R"({"op": "down", "ranks": "0"})");
  ask(R"({"op": "add-reservation", "reservation": )"
      R"({"name": "work", "start": 50, "duration": 10, "nodes": "n0"}})");
  ask(R"({"op": "drain", "nodes": "n3", "reason": "fan"})");
  ask(R"({"op": "end-reservation", "name": "work"})");
  EXPECT_EQ(told,
            "ada r1 alloc 3 [] shape=slot=1/core duration=9 done\n"
            "ada r1 down -1 [n0] forbidden\n"
            "root r3 submit 1 [] shape=slot=1/core duration=9 done\n"
            "root r3 priority 1 [] priority=77 done\n"
            "root r3 down -1 [n0] done\n"
            "root r3 add-reservation -1 [work] reservation={\"name\": \"work\", \"start\": 50, "
            "\"duration\": 10, \"nodes\": \"n0\"} done\n"
            "root r3 drain -1 [n3] reason=fan done\n"
            "root r3 end-reservation -1 [work] done\n");
}

TEST(Rights, ANameIsAuditedWhole) {
  HttpService made;
  std::string target;
  made.service->set_audit_sink([&](const Audit& audit) { target = audit.target; });
  (void)made.service->answer(R"({"op": "add-reservation", "reservation": )"
                             R"({"name": "a\"b", "start": 50, "duration": 10, "nodes": "n0"}})",
                             1, 0, {Role::owner, "root", "r1"});
  EXPECT_EQ(target, "a\"b");
}

TEST(Rights, UsersSubmitTheirOwnJobsAlone) {
  HttpService made;
  const Caller ada{Role::user, "ada"}, operate{Role::operate, "op"};
  const auto submit = [&](const Caller& caller, std::string_view more) {
    return made.service
        ->answer(
            fmt::format(R"({{"op": "submit", "shape": "slot=1/core", "duration": 9{}}})", more), 1,
            0, caller)
        .text();
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
    EXPECT_EQ(
        made.service->answer(fmt::format(R"({{"op": "{}", "id": 77}})", op), 1, 0, ada).text(),
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
