// SPDX-License-Identifier: Apache-2.0
//
// Routes about changes: lists, streams of events, entity tags; and selected fields.
#include <gtest/gtest.h>

#include <algorithm>

#include <fmt/format.h>

#include "server/http/routes.hpp"
#include "server/http_response.hpp"
#include "server/http_service.hpp"
#include "text/json_text.hpp"

namespace copse::server {
namespace {

constexpr std::string_view kCoreRequest = R"({"shape": "slot=1/core", "duration": 50})";

TEST(Changes, ChangesSince) {
  HttpService made;
  ASSERT_EQ(made.ask("PUT", "/v1/grants/1", kCoreRequest).status, 201U);
  const HttpResponse all = made.ask("GET", "/v1/changes?since=0");
  EXPECT_TRUE(has(all, R"({"effect": "granted", "job": 1,)")) << all.body;
  EXPECT_TRUE(all.body.ends_with("\"next\": " + std::to_string(made.service->next()) +
                                 ", \"incarnation\": \"\"}\n"));
  EXPECT_EQ(made.ask("GET", "/v1/changes?since=1000").status, 400U);
  for (int i = 0; i < 200; ++i) {
    (void)made.ask("PUT", "/v1/grants/2", kCoreRequest);
    (void)made.ask("DELETE", "/v1/grants/2");
  }
  EXPECT_EQ(made.ask("GET", "/v1/changes?since=0").status, 410U);
  EXPECT_EQ(made.ask("GET", "/v1/events?since=0").status, 410U);
  const HttpResponse stream = made.ask("GET", "/v1/events");
  EXPECT_EQ(stream.events_from, made.service->next());
}

TEST(Changes, EventsFromTheNumberOfAJobsEventOn) {
  HttpService made;
  const auto submit = [&] { return made.ask("POST", "/v1/jobs", R"({"shape": "slot=1/core"})"); };
  ASSERT_EQ(made.ask("PUT", "/v1/grants/1", kCoreRequest).status, 201U);
  ASSERT_EQ(submit().status, 200U);  // event 0, in the record after that of the grant
  ASSERT_EQ(submit().status, 200U);
  const journal::Sequence first = made.service->events().record(0);
  EXPECT_GT(first, 0U);
  EXPECT_EQ(made.ask("GET", "/v1/events?seq=0").events_from, first);
  EXPECT_EQ(made.ask("GET", "/v1/events?seq=1").events_from, made.service->events().record(1));
  EXPECT_GT(made.service->events().record(1), first);
  EXPECT_EQ(made.ask("GET", "/v1/events?seq=2").events_from, made.service->next());
  const HttpResponse later = made.ask("GET", "/v1/events?seq=3");
  EXPECT_EQ(later.status, 400U);
  EXPECT_TRUE(has(later, "the next event is 2")) << later.body;
  EXPECT_EQ(made.ask("GET", "/v1/events?seq=-1").status, 400U);
  EXPECT_EQ(made.ask("GET", "/v1/events?seq=x").status, 400U);
  for (int i = 0; i < 100; ++i) (void)made.ask("PUT", "/v1/grants/2", kCoreRequest);
  for (int i = 0; i < 100; ++i) {
    (void)made.ask("DELETE", "/v1/grants/1");
    (void)made.ask("PUT", "/v1/grants/1", kCoreRequest);
  }
  const HttpResponse old = made.ask("GET", "/v1/events?seq=0");
  EXPECT_EQ(old.status, 410U);
  EXPECT_TRUE(has(old, "event 0 is no longer kept: read the jobs again")) << old.body;
}

TEST(Changes, ChangesAreToldToManyAlike) {
  HttpService http;
  EventLog& events = *http.events;
  // So many that each place for a text is used several times.
  for (std::size_t id = 1; id <= EventLog::kCachedTexts; ++id) {
    const std::string target = "/v1/grants/" + std::to_string(id);
    for (const auto& [method, effect] : {std::pair("PUT", "granted"), {"DELETE", "cancelled"}}) {
      EXPECT_LT(
          http.ask(method, target, method[0] == 'P' ? kCoreRequest : std::string_view()).status,
          300U);
      for (int told = 0; told < 3; ++told) {
        std::string text;
        events.append(events.next() - 1, text);
        // The first record has the clock before it.
        EXPECT_NE(text.find(fmt::format(R"({{"effect": "{}", "job": {})", effect, id)),
                  std::string::npos)
            << text;
      }
    }
  }
}

TEST(Changes, ATagSaysThatNothingChanged) {
  HttpService made;
  const HttpResponse got = made.ask("GET", "/v1/grants");
  const std::string tag = field(got, "ETag");
  const HttpResponse same = Routes(*made.context)
                                .answer({.method = "GET",
                                         .target = "/v1/grants",
                                         .body = {},
                                         .if_none_match = tag,
                                         .caller = {Role::guest, "g"}},
                                        made.now_s);
  EXPECT_EQ(same.status, 304U);
  EXPECT_EQ(same.body, "");
}

TEST(Changes, FieldsThatSomebodyWants) {
  HttpService http;
  for (const int id : {1, 2}) {
    EXPECT_EQ(
        http.ask("POST", "/v1/jobs",
                 fmt::format(R"({{"id": {}, "name": "a, \"b\" ]}}", "shape": "slot=1/core"}})", id))
            .status,
        200U);
  }
  EXPECT_EQ(http.ask("GET", "/v1/jobs?fields=id,name&limit=1").body,
            R"({"jobs": [{"id": 1, "name": "a, \"b\" ]}"}], "next": 2, "more": true})"
            "\n");
  EXPECT_EQ(http.ask("GET", "/v1/jobs/2?fields=shape,nothing,state").body,
            R"({"state": "pending", "shape": "slot=1/core"})"
            "\n");
  EXPECT_EQ(http.ask("GET", "/v1/nodes?fields=name,states&limit=1").body,
            R"({"nodes": [{"name": "n0", "states": ["free"]}], "next": "n0"})"
            "\n");
  EXPECT_EQ(http.ask("GET", "/v1/grants?fields=id").body, "{\"grants\": []}\n");
  for (const char* wrong : {"", ",", "id,", "id,,name", "i%20d", "%22"}) {
    const HttpResponse got = http.ask("GET", std::string("/v1/jobs?fields=") + wrong);
    EXPECT_EQ(got.status, 400U) << wrong;
    EXPECT_NE(got.body.find("fields must be names separated by commas: id,state"),
              std::string::npos)
        << got.body;
  }
  std::string many = "/v1/jobs?fields=a";
  for (int i = 0; i < 64; ++i) many += ",a";
  EXPECT_EQ(http.ask("GET", many).status, 413U);
}

}  // namespace
}  // namespace copse::server
