// SPDX-License-Identifier: Apache-2.0
//
// What is asked for again: PUT, Idempotency-Key, If-Match and tags, before and after a restart.
#include "server/http/conditions.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "memory_store.hpp"
#include "server/http/routes.hpp"
#include "server/jobs/journal_parts.hpp"
#include "user_grants.hpp"

namespace copse::server {
namespace {

constexpr std::string_view kOneCore = R"({"shape": "slot=1/core", "duration": 50})";
constexpr std::string_view kAnyJob = R"({"shape": "slot=1/node", "duration": 50})";
const Caller kAda{Role::user, "ada"}, kBob{Role::user, "bob"};

class Conditions : public testing::Test {
 protected:
  Conditions() {
    desk_.rules.grants = wide_grant_bounds();
    restart();
  }
  void restart() {
    desk_.restart();
    ASSERT_EQ(desk_.error, "");
    connect();
  }
  HttpResponse ask(HttpRequest request) {
    HttpResponse out = Routes(*context_).answer(request, now_s_);
    while (!desk_.service->work(now_s_)) {
    }
    return out;
  }
  HttpResponse put(std::int64_t id, const Caller& caller, std::string_view body = kOneCore) {
    const std::string target = "/v1/grants/" + std::to_string(id);
    return ask({.method = "PUT", .target = target, .body = body, .caller = caller});
  }
  HttpResponse post(std::string_view key, std::string_view body = kAnyJob,
                    const Caller& caller = kAda) {
    return ask({.method = "POST",
                .target = "/v1/jobs",
                .body = body,
                .idempotency_key = key,
                .caller = caller});
  }
  std::string tag(std::string_view target) {
    for (const auto& [name, value] :
         ask({.method = "GET", .target = target, .body = {}, .caller = kAda}).fields) {
      if (name == "ETag") return value;
    }
    return {};
  }
  std::size_t jobs() { return desk_.service->jobs().table().rows().size(); }

  ServiceInMemory desk_;
  std::int64_t now_s_ = 1'000;

 private:
  void connect() {
    events_ = std::make_unique<EventLog>(desk_.service->session().engine(), desk_.service->next(),
                                         EventLog::Limits{});
    context_ = std::make_unique<HttpContext>(
        HttpContext{.service = *desk_.service, .events = *events_, .version = "test"});
  }
  std::unique_ptr<EventLog> events_;
  std::unique_ptr<HttpContext> context_;
};

TEST_F(Conditions, OwnersAndWhatWasPutAreThereAfterARestart) {
  const HttpResponse first = put(7, kAda);
  ASSERT_EQ(first.status, 201U) << first.body;
  ASSERT_EQ(desk_.service
                ->answer(R"({"op": "alloc", "id": 8, "shape": "slot=1/core", "duration": 50})",
                         now_s_, 0, kBob)
                .text()
                .substr(0, 8),
            R"({"id": 8)");
  for (int i = 0; i < 3; ++i) {
    if (i == 1) desk_.service->snapshot();
    restart();
    const auto before = desk_.service->next();
    const HttpResponse again = put(7, kAda);
    EXPECT_EQ(again.status, 200U) << again.body;
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(put(7, kBob).status, 409U);
    EXPECT_EQ(put(7, kAda, R"({"shape": "slot=1/core", "duration": 51})").status, 409U);
    EXPECT_EQ(put(8, kBob).status, 409U);  // a line asked for it, not this
    EXPECT_EQ(desk_.service->owner(7), "ada");
    EXPECT_EQ(desk_.service->owner(8), "bob");
    EXPECT_EQ(desk_.service->next(), before);
  }
  const auto give_back = [&](const Caller& caller) {
    return ask({.method = "DELETE", .target = "/v1/grants/7", .body = {}, .caller = caller}).status;
  };
  EXPECT_EQ(give_back(kBob), 403U);
  EXPECT_EQ(give_back(kAda), 200U);
  EXPECT_EQ(put(7, kBob).status, 201U);
  restart();
  EXPECT_EQ(desk_.service->owner(7), "bob");
}

TEST_F(Conditions, ARequestWithAKeyIsDoneOnce) {
  const HttpResponse first = post("k-1");
  ASSERT_EQ(first.status, 200U) << first.body;
  for (int i = 0; i < 3; ++i) {
    const HttpResponse again = post("k-1");
    EXPECT_EQ(again.status, 200U);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.needs, desk_.service->next());
    EXPECT_EQ(again.fields.at(0).first, "Idempotency-Replayed");
    EXPECT_EQ(jobs(), 1U);
    if (i == 1) desk_.service->snapshot();
    restart();
  }
  const HttpResponse other = post("k-1", R"({"shape": "slot=2/node", "duration": 50})");
  EXPECT_EQ(other.status, 422U);
  EXPECT_NE(other.body.find("urn:copse:problem:idempotency-key-reused"), std::string::npos)
      << other.body;
  EXPECT_EQ(jobs(), 1U);
  EXPECT_EQ(post("k-1", kAnyJob, kBob).status, 200U);  // another client's key is another
  EXPECT_EQ(jobs(), 2U);
  EXPECT_EQ(post("k-2").status, 200U);
  EXPECT_EQ(jobs(), 3U);
  now_s_ += IdempotencyTable::kAge_s + 1;
  EXPECT_EQ(post("k-1").status, 200U);  // too old
  EXPECT_EQ(jobs(), 4U);
}

TEST_F(Conditions, WhatWasRefusedIsTriedAgain) {
  const std::string_view never = R"({"shape": "slot=9/node", "duration": 50})";
  EXPECT_EQ(post("k", never).status, 422U);
  EXPECT_EQ(desk_.service->clients().answers().size(), 0U);
  EXPECT_EQ(post("k").status, 200U);
  EXPECT_EQ(post(std::string(256, 'k')).status, 400U);
  EXPECT_EQ(post("a b").status, 400U);
  EXPECT_EQ(ask({.method = "POST",
                 .target = "/v1/batch",
                 .body = "{\"op\": \"info\"}\n",
                 .idempotency_key = "k",
                 .caller = kAda})
                .status,
            400U);
  EXPECT_EQ(jobs(), 1U);
}

TEST_F(Conditions, IfMatchKeepsWhatIsBasedOnAnOldState) {
  ASSERT_EQ(put(1, kAda).status, 201U);
  const std::string old = tag("/v1/grants"), timed = tag("/v1/machine");
  EXPECT_NE(old, timed);
  const auto give_back = [&](std::string_view if_match) {
    return ask({.method = "DELETE",
                .target = "/v1/grants/1",
                .body = {},
                .if_match = if_match,
                .caller = kAda});
  };
  ASSERT_EQ(put(2, kAda).status, 201U);
  const HttpResponse refused = give_back(old);
  EXPECT_EQ(refused.status, 412U);
  EXPECT_NE(refused.body.find("urn:copse:problem:precondition-failed"), std::string::npos)
      << refused.body;
  EXPECT_EQ(give_back(timed).status, 412U);
  EXPECT_EQ(give_back("*").status, 412U);
  EXPECT_EQ(give_back("W/" + tag("/v1/grants")).status, 412U);
  EXPECT_EQ(desk_.service->session().engine().grant_count(), 2U);
  EXPECT_EQ(give_back(old + ", " + tag("/v1/machine")).status, 200U);
  const std::string now = tag("/v1/grants");
  const auto put_if = [&](std::string_view if_match) {
    return ask({.method = "PUT",
                .target = "/v1/grants/3",
                .body = kOneCore,
                .if_match = if_match,
                .caller = kAda})
        .status;
  };
  EXPECT_EQ(put_if(old), 412U);
  EXPECT_EQ(put_if(now), 201U);
  EXPECT_EQ(put_if(now), 200U);  // it was done
}

TEST_F(Conditions, TagsOfWhenAndWhyChangeWithTheirAnswers) {
  for (int id = 1; id <= 3; ++id) {
    const std::string body =
        R"({"shape": "slot=4/node", "duration": 100, "id": )" + std::to_string(id) + "}";
    ASSERT_EQ(post("", body).status, 200U);
  }
  for (const std::string_view target : {"/v1/jobs/3/when", "/v1/jobs/3/why", "/v1/machine"}) {
    std::string body, before;
    for (int i = 0; i < 50; ++i) {
      now_s_ += 7;  // job 1 runs longer than it said
      const HttpResponse got = ask({.method = "GET", .target = target, .body = {}, .caller = kAda});
      ASSERT_EQ(got.status, 200U) << got.body;
      const std::string now = got.fields.at(0).second;
      EXPECT_TRUE(got.body == body || now != before) << target << ' ' << got.body;
      before = now;
      body = got.body;
    }
  }
}

TEST_F(Conditions, AnswersAreBoundedInNumberOfEachClient) {
  IdempotencyTable table;
  for (std::size_t i = 0; i <= IdempotencyTable::kEntriesPerOwnerMax; ++i) {
    table.keep("ada", "k" + std::to_string(i), {"d", "a", 100});
  }
  table.keep("bob", "k0", {"d", "b", 100});
  EXPECT_EQ(table.size(), IdempotencyTable::kEntriesPerOwnerMax + 1);
  EXPECT_EQ(table.find("ada", "k0", 100), nullptr);
  EXPECT_NE(table.find("ada", "k1", 100), nullptr);
  EXPECT_EQ(table.find("bob", "k0", 100)->text, "b");
  table.keep("bob", "k1", {"d", "b", 101 + IdempotencyTable::kAge_s});
  EXPECT_EQ(table.size(), 1U);
}

TEST(JobJournal, PartsComeBack) {
  for (const std::string_view clients : {"", "{\"grant\": 7}\n"}) {
    for (const std::string_view lines : {"", "{\"seq\": 1}\n"}) {
      for (const std::string_view engine :
           {std::string_view(), std::string_view("\1e\0ngine", 8)}) {
        const std::string joined =
            join_parts({.jobs = lines, .engine = engine, .clients = clients});
        const auto parts = split_parts(joined);
        ASSERT_TRUE(parts.has_value());
        EXPECT_EQ(parts->clients, clients);
        EXPECT_EQ(parts->jobs, lines);
        EXPECT_EQ(parts->engine, engine);
      }
    }
  }
  EXPECT_FALSE(split_parts(std::string_view("\0\0{}", 4)).has_value());
  EXPECT_FALSE(split_parts(std::string_view("\0{}", 3)).has_value());
}

}  // namespace
}  // namespace copse::server
