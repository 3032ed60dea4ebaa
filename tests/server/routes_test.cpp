// SPDX-License-Identifier: Apache-2.0
//
// Requests of HTTP, without sockets.
#include "server/http/routes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <fmt/format.h>

#include "server/http_response.hpp"
#include "server/http_service.hpp"
#include "text/json_text.hpp"

namespace copse::server {
namespace {

constexpr std::string_view kCore = R"({"shape": "slot=1/core", "duration": 50})";
constexpr std::string_view kAll = R"({"shape": "slot=4/node{x}", "duration": 50})";

TEST(Routes, EachRouteOfEachRole) {
  for (const HttpRoute& route : Routes::table()) {
    std::string target(route.path);
    if (const std::size_t at = target.find('{'); at != std::string::npos) {
      target.replace(at, target.find('}') + 1 - at,
                     route.path.starts_with("/v1/nodes") ? "n0" : "7");
    }
    for (const Role role : kRoles) {
      HttpService made;
      const HttpResponse got = made.ask(route.method, target, route.example, {role, "ada"});
      const bool refused = got.status == 401 || got.status == 403;
      EXPECT_EQ(refused, !may(role, route.permission))
          << route.name << ' ' << word(role) << got.body;
      if (refused) {
        EXPECT_EQ(got.status, role == Role::none ? 401U : 403U);
      }
      if (route.permission != Permission::liveness && !refused) {
        EXPECT_EQ(got.needs, made.service->next()) << route.name;
      }
    }
  }
}

TEST(Routes, JobsAreChanged) {
  HttpService made;
  const Caller ada{Role::user, "ada"}, bob{Role::user, "bob"}, operate{Role::operate, "op"};
  ASSERT_EQ(made.ask("POST", "/v1/jobs", R"({"shape": "slot=1/core", "held": true})", ada).status,
            200U);
  const auto change = [&](std::string_view method, std::string_view path, std::string_view body,
                          const Caller& caller) {
    return made.ask(method, fmt::format("/v1/jobs/1{}", path), body, caller).status;
  };
  EXPECT_EQ(change("PATCH", "", R"({"priority": 5})", ada), 403U);
  EXPECT_EQ(change("PATCH", "", R"({"priority": -5})", bob), 403U);
  EXPECT_EQ(change("PATCH", "", R"({"priority": -5})", ada), 200U);
  EXPECT_EQ(change("PATCH", "", R"({"priority": 5})", operate), 200U);
  EXPECT_EQ(change("PATCH", "", "{}", operate), 400U);
  EXPECT_TRUE(has(made.ask("GET", "/v1/jobs/1"), "\"priority\": 5"));
  EXPECT_EQ(change("POST", "/release", "", bob), 403U);
  EXPECT_EQ(change("POST", "/release", "", ada), 200U);
  while (!made.service->work(1)) {
  }
  EXPECT_TRUE(has(made.ask("GET", "/v1/jobs/1"), "\"state\": \"running\""));
  EXPECT_EQ(change("POST", "/hold", "", ada), 400U);
  EXPECT_EQ(change("POST", "/end", R"({"status": 3})", bob), 403U);
  EXPECT_EQ(change("POST", "/end", R"({"status": 3})", ada), 200U);
  const HttpResponse again = made.ask("POST", "/v1/jobs/1/end", "", ada);
  EXPECT_EQ(again.status, 400U);
  EXPECT_TRUE(has(again, "job 1 has ended"));
}

// The node of its first run was removed.
TEST(Routes, ReportsOfAnEarlierRunAreRefused) {
  HttpService made;
  const auto work = [&] {
    while (!made.service->work(1)) {
    }
  };
  ASSERT_EQ(made.ask("POST", "/v1/jobs", R"({"shape": "slot=4/node{x}", "requeue": true})").status,
            200U);
  work();
  ASSERT_EQ(made.ask("POST", "/v1/jobs", R"({"shape": "slot=1/node{x}", "requeue": true})").status,
            200U);
  ASSERT_EQ(made.ask("POST", "/v1/jobs/1/end", R"({"status": 0})").status, 200U);
  work();
  ASSERT_EQ(made.ask("POST", "/v1/batch", R"({"op": "remove", "ranks": "3"})").status, 200U);
  work();
  ASSERT_TRUE(has(made.ask("GET", "/v1/jobs/2"), R"("restarts": 1)"));
  const HttpResponse late = made.ask("POST", "/v1/jobs/2/end", R"({"status": 0})");
  EXPECT_EQ(late.status, 400U);
  EXPECT_TRUE(has(late, "this run of job 2 is over")) << late.body;
  EXPECT_TRUE(has(made.ask("GET", "/v1/jobs/2"), R"("state": "running")"));
  EXPECT_EQ(made.ask("POST", "/v1/jobs/2/end", R"({"status": 0, "restarts": 1})").status, 200U);
}

TEST(Routes, GrantsByPutAndDelete) {
  HttpService made;
  HttpResponse got = made.ask("PUT", "/v1/grants/7", kCore);
  EXPECT_EQ(got.status, 201U) << got.body;
  EXPECT_EQ(field(got, "Location"), "/v1/grants/7");
  const std::string first = got.body;
  EXPECT_TRUE(has(got, R"("expiration": 150)")) << first;
  got = made.ask("PUT", "/v1/grants/7", kCore);
  EXPECT_EQ(got.status, 200U);
  EXPECT_EQ(got.body, first);
  EXPECT_EQ(made.ask("GET", "/v1/grants/7").body, first);
  got = made.ask("PUT", "/v1/grants/7", kAll);
  EXPECT_EQ(got.status, 409U);
  EXPECT_TRUE(has(got, R"({"type": "urn:copse:problem:exists")")) << got.body;
  EXPECT_EQ(made.ask("DELETE", "/v1/grants/7").status, 200U);
  EXPECT_EQ(made.ask("DELETE", "/v1/grants/7").status, 404U);
  EXPECT_EQ(made.ask("GET", "/v1/grants/7").status, 404U);
  EXPECT_EQ(made.ask("GET", "/v1/grants/x").status, 400U);
  EXPECT_EQ(made.ask("PUT", "/v1/grants/99999999999999999999", kCore).status, 413U);
}

TEST(Routes, APutOfAnotherClientGetsNothing) {
  HttpService made(HttpService::with_user_grants());
  const Caller ada{Role::user, "ada"}, bob{Role::user, "bob"};
  const HttpResponse first = made.ask("PUT", "/v1/grants/7", kCore, ada);
  ASSERT_EQ(first.status, 201U) << first.body;
  const std::uint64_t before = made.service->session().engine().fingerprint();
  for (const Caller& caller : {bob, Caller{Role::operate, "op"}, Caller{Role::owner, "root"}}) {
    const HttpResponse got = made.ask("PUT", "/v1/grants/7", kCore, caller);
    EXPECT_EQ(got.status, 409U) << caller.name;
    EXPECT_FALSE(has(got, "R_lite") || has(got, "ada")) << got.body;
  }
  EXPECT_EQ(made.ask("PUT", "/v1/grants/7", kCore, ada).body, first.body);
  EXPECT_EQ(made.service->session().engine().fingerprint(), before);
  ASSERT_EQ(made.ask("POST", "/v1/jobs", R"({"shape": "slot=1/core", "id": 9})", ada).status, 200U);
  while (!made.service->work(made.now_s)) {
  }
  EXPECT_EQ(made.ask("PUT", "/v1/grants/9", R"({"shape": "slot=1/core"})", ada).status, 409U);
}

TEST(Routes, ReadsMakeNoRecords) {
  HttpService made;
  ASSERT_EQ(made.ask("PUT", "/v1/grants/7", kCore).status, 201U);
  const auto before = made.service->next();
  for (int i = 0; i < 20; ++i) {
    ++made.now_s;
    EXPECT_EQ(made.ask("GET", "/v1/machine").status, 200U);
    EXPECT_EQ(made.ask("GET", "/v1/jobs").status, 200U);
    EXPECT_EQ(made.ask("DELETE", "/v1/grants/99").status, 404U);
  }
  EXPECT_EQ(made.service->next(), before);
  EXPECT_EQ(made.service->session().engine().now(), made.now_s);
  made.now_s += 50;  // the grant is over, which is a change
  EXPECT_TRUE(has(made.ask("GET", "/v1/grants"), R"({"grants": []})"));
  EXPECT_EQ(made.service->next(), before + 1);
}

TEST(Routes, ARefusalHasItsExplanation) {
  HttpService made;
  ASSERT_EQ(made.ask("PUT", "/v1/grants/1", kCore).status, 201U);
  const HttpResponse got = made.ask("PUT", "/v1/grants/2", kAll);
  EXPECT_EQ(got.status, 409U);
  EXPECT_EQ(got.type, "application/problem+json");
  EXPECT_TRUE(
      has(got, R"({"type": "urn:copse:problem:insufficient", "title": "not now", "status": 409)"));
  EXPECT_TRUE(has(got, R"("why": {"verdict": "insufficient")")) << got.body;
  EXPECT_TRUE(has(got, R"("holders": [{"job": 1,)")) << got.body;
  const HttpResponse never =
      made.ask("PUT", "/v1/grants/2", R"({"shape": "slot=5/node{x}", "duration": 50})");
  EXPECT_EQ(never.status, 422U);
  EXPECT_TRUE(has(never, R"("why": {"verdict": "infeasible")")) << never.body;
  const HttpResponse later = made.ask("PUT", "/v1/grants/2?when=later", kAll);
  EXPECT_EQ(later.status, 201U) << later.body;
  EXPECT_TRUE(has(later, R"("at": 150)"));
}

TEST(Routes, AFullDiskRefusesWhatTakes) {
  HttpService made;
  ASSERT_EQ(made.ask("PUT", "/v1/grants/1", kCore).status, 201U);
  made.has_room = false;
  EXPECT_EQ(made.ask("PUT", "/v1/grants/2", kCore).status, 507U);
  EXPECT_EQ(made.ask("PATCH", "/v1/nodes/n0", R"({"status": "down"})").status, 507U);
  EXPECT_EQ(made.ask("GET", "/v1/readyz").status, 507U);
  EXPECT_EQ(made.ask("GET", "/v1/grants").status, 200U);
  EXPECT_EQ(made.ask("DELETE", "/v1/grants/1").status, 200U);
}

TEST(Routes, NumbersBelongToAnIncarnation) {
  HttpService made;
  EXPECT_TRUE(has(made.ask("GET", "/v1/readyz"), R"("incarnation": "")"));
  EXPECT_TRUE(has(made.ask("GET", "/v1/changes?since=0"), R"("incarnation": "")"));
  for (const std::string_view path : {"/v1/changes?since=0&", "/v1/events?since=0&"}) {
    const HttpResponse other = made.ask("GET", std::string(path) + "incarnation=5f0c");
    EXPECT_EQ(other.status, 410U) << other.body;
    EXPECT_TRUE(has(other, "the state is a restored copy")) << other.body;
    EXPECT_EQ(made.ask("GET", std::string(path) + "incarnation=").status, 200U);
  }
}

TEST(Routes, AClockThatIsAheadIsShown) {
  HttpService made;
  made.now_s = 5'000;
  ASSERT_EQ(made.ask("PUT", "/v1/grants/1", kCore).status, 201U);
  EXPECT_FALSE(has(made.ask("GET", "/v1/readyz"), "clock"));
  made.now_s = 1'000;
  ASSERT_EQ(made.ask("PUT", "/v1/grants/2", kCore).status, 201U);
  EXPECT_TRUE(has(made.ask("GET", "/v1/readyz"), R"("clock_ahead_s": 4000)"));
  EXPECT_TRUE(has(made.ask("GET", "/v1/page/health"), R"("clock_ahead_s": 4000)"));
  EXPECT_TRUE(has(made.ask("GET", "/v1/metrics"), "\ncopse_clock_ahead_seconds 4000\n"));
}

TEST(Routes, ABodyIsOneObjectAndNoOtherOperation) {
  HttpService made;
  for (const std::string_view body :
       {"", "{}", "[]", "7", "null", "{", "}", R"({"shape": "slot=1/core", "duration": 5)",
        R"({"op": "info", "shape": "slot=1/core", "duration": 5})",
        R"({"shape": "slot=1/core", "duration": 5, "id": 8})",
        R"({"shape": "slot=1/core", "duration": 5}{})",
        R"({"op": "down", "ranks": "all", "_x": "})",
        R"({"op": "down", "ranks": "all", "_x": [1})"}) {
    const HttpResponse got = made.ask("PUT", "/v1/grants/7", body);
    EXPECT_EQ(got.status, 400U) << body << got.body;
  }
  EXPECT_EQ(made.service->session().engine().grant_count(), 0U);
  EXPECT_EQ(made.ask("PUT", "/v1/grants/7", " {\n\"shape\": \"slot=1/core\",\n\"duration\": 5}\n ")
                .status,
            201U);
}

TEST(Routes, WhoIsRefusedIsInTheAudit) {
  HttpService made;
  std::string told;
  made.service->set_audit_sink([&](const Audit& audit) {
    told += fmt::format("{} {} {} {} {}\n", audit.caller.name, audit.op, audit.id.value_or(-1),
                        audit.result, audit.suppressed);
  });
  EXPECT_EQ(made.ask("PUT", "/v1/grants/7", kCore, {}).status, 401U);
  EXPECT_EQ(made.ask("PATCH", "/v1/nodes/n0", "{}", {Role::user, "ada"}).status, 403U);
  EXPECT_EQ(made.ask("DELETE", "/v1/jobs/7", {}, {Role::guest, "g"}).status, 403U);
  EXPECT_EQ(made.ask("GET", "/v1/nothing", {}, {}).status, 404U);
  EXPECT_EQ(told,
            " allocate 7 unauthenticated 0\nada set-node -1 forbidden 0\ng cancel 7 forbidden 0\n");
  EXPECT_TRUE(Routes(*made.context)
                  .check_before_body({.method = "PUT", .target = "/v1/grants/7", .body = {}}, 100));
  EXPECT_FALSE(
      Routes(*made.context)
          .check_before_body(
              {.method = "PUT", .target = "/v1/grants/7", .body = {}, .caller = {Role::guest, "g"}},
              100));
  EXPECT_TRUE(told.ends_with("\n allocate 7 unauthenticated 0\n")) << told;
  // Files of the page are there for all, who may not send them anything.
  for (const std::string_view file : {"/", "/favicon.ico"}) {
    const auto early = [&](std::string_view method) {
      const auto refused =
          Routes(*made.context)
              .check_before_body({.method = method, .target = file, .body = {}}, 100);
      return refused ? refused->status : 0U;
    };
    EXPECT_EQ(early("GET"), 413U) << file;
    EXPECT_EQ(early("POST"), 405U) << file;
    EXPECT_EQ(made.ask("POST", file, {}, {}).status, 405U) << file;
    EXPECT_EQ(made.ask("HEAD", file, {}, {}).status, 200U) << file;
  }
}

// Who asks again and again may not fill the disk.
TEST(Routes, OfManyWhoAreRefusedTheAuditHasSome) {
  HttpService made;
  std::uint64_t told = 0, missed = 0;
  made.service->set_audit_sink([&](const Audit& audit) {
    ++told;
    missed += audit.suppressed;
  });
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_EQ(made.ask("GET", "/v1/machine", {}, {}).status, 401U);
  }
  EXPECT_EQ(told, AuditTrail::kRefusalsPerSecondMax);
  EXPECT_EQ(made.ask("PUT", "/v1/grants/7", kCore).status, 201U);  // changes are told always
  EXPECT_EQ(told + missed, 1'001U);
  ++made.now_s;
  (void)made.ask("GET", "/v1/machine", {}, {});
  EXPECT_EQ(told, AuditTrail::kRefusalsPerSecondMax + 2);
}

TEST(Routes, PagesOfGrants) {
  HttpService made;
  for (int id = 1; id <= 5; ++id) {
    ASSERT_EQ(made.ask("PUT", "/v1/grants/" + std::to_string(id), kCore).status, 201U);
  }
  HttpResponse page = made.ask("GET", "/v1/grants?limit=2");
  EXPECT_TRUE(has(page, R"({"grants": [{"id": 1,)") && has(page, R"({"id": 2,)")) << page.body;
  EXPECT_FALSE(has(page, R"({"id": 3,)"));
  EXPECT_TRUE(page.body.ends_with("], \"next\": 2}\n")) << page.body;
  page = made.ask("GET", "/v1/grants?limit=3&after=2");
  EXPECT_TRUE(has(page, R"({"grants": [{"id": 3,)") && has(page, R"({"id": 5,)")) << page.body;
  EXPECT_FALSE(has(page, "next"));
  EXPECT_EQ(made.ask("GET", "/v1/grants?limit=0").status, 400U);
  EXPECT_EQ(made.ask("GET", "/v1/grants?limit=1&limit=2").status, 400U);
}

TEST(Routes, NodesAreDrained) {
  HttpService made;
  HttpResponse nodes = made.ask("GET", "/v1/nodes?limit=2&after=n0");
  EXPECT_TRUE(nodes.body.starts_with(R"({"nodes": [{"name": "n1", "rank": 1, )")) << nodes.body;
  EXPECT_TRUE(has(
      nodes, R"("status": "up", "state": "free", "states": ["free"], "jobs": ""}, {"name": "n2")"))
      << nodes.body;
  EXPECT_TRUE(has(nodes, R"("next": "n2"})"));
  HttpResponse got = made.ask("PATCH", "/v1/nodes/n1", R"({"status": "drain"})");
  EXPECT_EQ(got.status, 200U) << got.body;
  EXPECT_TRUE(has(got,
                  R"("status": "drained", "state": "drained", "states": ["drained"], "jobs": "", )"
                  R"("drain": {"reason": "")"))
      << got.body;
  EXPECT_TRUE(has(made.ask("GET", "/v1/machine"), R"("drained": {"nodes": 1, "nodelist": "n1")"));
  got = made.ask("PATCH", "/v1/nodes/n1", R"({"status": "up"})");
  EXPECT_TRUE(has(got, R"("states": ["free"])")) << got.body;
  ASSERT_EQ(made.ask("PUT", "/v1/grants/3", kAll).status, 201U);
  EXPECT_TRUE(has(made.ask("GET", "/v1/nodes/n1"), R"("states": ["allocated"], "jobs": "3"})"));
  EXPECT_EQ(made.ask("PATCH", "/v1/nodes/n9", R"({"status": "up"})").status, 404U);
  EXPECT_EQ(made.ask("PATCH", "/v1/nodes/n1", R"({"status": "lost"})").status, 400U);
  EXPECT_EQ(made.ask("PATCH", "/v1/nodes/n1", R"({"statu": "up"})").status, 400U);
}

TEST(Routes, WhatIsTriedIsNotDone) {
  HttpService made;
  const std::uint64_t before = made.service->session().engine().fingerprint();
  const HttpResponse got =
      made.ask("POST", "/v1/simulate",
               "{\"op\": \"down\", \"ranks\": \"0\"}\n"
               "{\"op\": \"alloc\", \"id\": 1, \"shape\": \"slot=4/node{x}\", \"duration\": 5}\n"
               "{\"op\": \"alloc\", \"id\": 1, \"shape\": \"slot=3/node{x}\", \"duration\": 5}\n"
               "{\"op\": \"now\", \"t\": 200}\n{\"op\": \"save\", \"file\": \"x\"}");
  EXPECT_EQ(got.status, 200U);
  EXPECT_EQ(std::count(got.body.begin(), got.body.end(), '\n'), 5);
  EXPECT_NE(got.body.find("insufficient"), std::string::npos);
  EXPECT_NE(got.body.find("\"id\": 1"), std::string::npos);
  EXPECT_EQ(made.service->session().engine().fingerprint(), before);
  EXPECT_EQ(made.ask("POST", "/v1/simulate", std::string(1'001, '\n')).status, 413U);
}

TEST(Routes, ABatchIsDoneAsItsAskerMay) {
  HttpService made(HttpService::with_user_grants());
  const HttpResponse got =
      made.ask("POST", "/v1/batch",
               "{\"op\": \"alloc\", \"id\": 1, \"shape\": \"slot=1/core\", \"duration\": 5}\n"
               "{\"op\": \"down\", \"ranks\": \"0\"}\n",
               {Role::user, "ada"});
  EXPECT_EQ(got.status, 200U);
  EXPECT_TRUE(got.body.starts_with("{\"id\": 1"));
  EXPECT_NE(got.body.find("forbidden"), std::string::npos);
}

TEST(Routes, WrongPathsAndMethods) {
  HttpService made;
  EXPECT_EQ(made.ask("GET", "/v2").status, 404U);
  EXPECT_EQ(made.ask("GET", "/v1").status, 404U);
  EXPECT_EQ(made.ask("GET", "/v1/grants/1/2").status, 404U);
  EXPECT_EQ(made.ask("GET", "*").status, 400U);
  EXPECT_EQ(made.ask("GET", "/v1/nodes/%zz").status, 400U);
  EXPECT_EQ(made.ask("GET", "/v1/nodes/%00").status, 400U);
  EXPECT_EQ(made.ask("GET", "/v1/nodes/n%30").status, 200U);
  const HttpResponse got = made.ask("POST", "/v1/grants/1");
  EXPECT_EQ(got.status, 405U);
  EXPECT_EQ(field(got, "Allow"), "GET, PUT, DELETE");
  EXPECT_EQ(made.ask("HEAD", "/v1/machine").status, 200U);
}

TEST(Routes, FiguresAndInterface) {
  HttpService made;
  (void)made.ask("GET", "/v1/grants/1");
  const std::string text = made.ask("GET", "/v1/metrics").body;
  EXPECT_NE(text.find("copse_nodes{state=\"free\"} 4\n"), std::string::npos) << text;
  EXPECT_NE(text.find("copse_http_requests_total{op=\"grant\",code=\"404\"} 1\n"),
            std::string::npos);
  const HttpResponse api = made.ask("GET", "/v1/openapi.json");
  EXPECT_TRUE(api.body.starts_with(R"({"openapi": "3.1.0")"));
  std::string out;
  EXPECT_EQ(append_json_value(out, api.body), api.body.size() - 1);
  for (const HttpRoute& route : Routes::table()) {
    EXPECT_TRUE(has(api, R"("operationId": ")" + std::string(route.name))) << route.name;
  }
}

}  // namespace
}  // namespace copse::server
