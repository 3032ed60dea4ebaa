// SPDX-License-Identifier: Apache-2.0
//
// What each role sees of jobs: of its own, and of those of others; in every route, stream and page,
// with and without private jobs. docs/tools/serve-http.md has the table.
#include <gtest/gtest.h>

#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "server/http_response.hpp"
#include "server/http_service.hpp"
#include "server/line_client.hpp"

namespace copse::server {
namespace {

// None, guest, user: own and others' jobs, operator, owner. The guest has the name of the user of the
// job: only the role user makes a job its own.
const Caller kCallers[] = {{Role::none, ""},    {Role::guest, "ada"},  {Role::user, "ada"},
                           {Role::user, "bob"}, {Role::operate, "op"}, {Role::owner, "root"}};
constexpr std::size_t kAda = 2, kBob = 3;
constexpr std::string_view kSecrets[] = {"hunter2", "s3cr3t", "tasks", "environment"};
constexpr std::string_view kNames[] = {"thesis", "424242"};

// A service with two jobs of ada, 424242 with a jobspec and 424243 with a constraint, and of a third
// user one that waits for them.
class Visible : public testing::Test {
 protected:
  void begin(bool private_jobs) {
    LiveJobs::Setup setup;
    setup.private_jobs = private_jobs;
    made_.emplace(std::move(setup));
    made_->now_s = 1'000;
    const std::string jobspec =
        R"({"version": 1, "resources": [{"type": "slot", "count": 1, "label": "a", "with": )"
        R"([{"type": "core", "count": 2}]}], "tasks": [{"command": ["./train", "hunter2"], )"
        R"("slot": "a", "count": {"per_slot": 1}}], "attributes": {"system": {"duration": 600, )"
        R"("environment": {"KEY": "s3cr3t"}}}})";
    submit(
        fmt::format(R"({{"id": 424242, "name": "thesis", "lease": 900, "jobspec": {}}})", jobspec),
        kCallers[kAda]);
    submit(R"({"id": 424243, "name": "thesis", "shape": "slot=4/node", "duration": 600, )"
           R"("constraints": {"hostlist": ["n0,n1,n2,n3"]}})",
           kCallers[kAda]);
    submit(R"({"id": 5, "name": "small", "shape": "slot=4/node", "duration": 60})", kCallers[kBob]);
  }
  void submit(std::string_view body, const Caller& caller) {
    const HttpResponse got = made_->ask("POST", "/v1/jobs", body, caller);
    ASSERT_EQ(got.status, 200U) << got.body;
    while (!made_->service->work(made_->now_s)) {
    }
  }
  // All that a client can read: each route, and each stream from its beginning.
  std::string everything(const Caller& caller) {
    std::string out;
    for (const HttpRoute& route : Routes::table()) {
      const bool reads = route.method == "GET" || route.name == "explain" ||
                         route.name == "batch" || route.name == "page-try" ||
                         route.name == "simulate" || route.name == "try-reservation";
      if (!reads) continue;
      for (const std::string_view id : {"424242", "424243"}) out += read(route, id, caller);
    }
    return out + watched(caller);
  }
  std::string read(const HttpRoute& route, std::string_view id, const Caller& caller) {
    std::string target(route.path);
    if (const std::size_t at = target.find('{'); at != std::string::npos) {
      target.replace(at, target.find('}') + 1 - at, route.path.contains("nodes") ? "n0" : id);
    }
    if (route.name == "jobs") target += "?state=all";
    if (route.name == "changes" || route.name == "events") target += "?since=0";
    std::string body(route.example);
    if (route.name == "explain" || route.name == "page-try") body = R"({"shape": "slot=4/node"})";
    if (route.name == "batch" || route.name == "simulate") {
      body = "{\"op\": \"info\"}\n{\"op\": \"explain\", \"shape\": \"slot=4/node\"}\n";
    }
    if (route.name == "batch") body += "{\"op\": \"why\", \"id\": 5}\n";
    const HttpResponse got = made_->ask(route.method, target, body, caller);
    std::string out = got.body;
    if (got.events_from) {
      for (auto at = *got.events_from; at < made_->events->next(); ++at) {
        std::string lines;
        made_->events->append(at, lines);
        if (got.reduce_events) got.reduce_events(lines);
        out += lines;
      }
    }
    if (got.event_source) {
      (void)got.event_source->next(out);
      (void)made_->ask("POST", fmt::format("/v1/jobs/{}/hold", 424243), "", kCallers[kAda]);
      (void)made_->ask("POST", fmt::format("/v1/jobs/{}/release", 424243), "", kCallers[kAda]);
      while (!made_->service->work(made_->now_s)) {
      }
      (void)got.event_source->next(out);
    }
    // A client gets its own words back.
    for (const std::string_view own :
         {"\"there is no job 424242\"", "\"there is no job 424243\""}) {
      if (const std::size_t at = out.find(own); at != std::string::npos) out.erase(at, own.size());
    }
    return got.status == 404 ? std::string() : out;
  }
  std::string watched(const Caller& caller) {
    LineClient client(*made_->service, LineClient::Limits{}, caller);
    client.receive("{\"op\": \"watch\", \"since\": 0}\n", made_->now_s);
    std::string out;
    client.send(made_->service->next(), out);
    return out;
  }
  bool shows(std::string_view text, std::string_view word) { return text.contains(word); }

  std::optional<HttpService> made_;
};

TEST_F(Visible, EachMemberForEachRole) {
  begin(false);
  struct Row {
    std::string_view member, seen;  // by kCallers
  };
  const Row rows[] = {
      {"\"id\"", ".YYYYY"},          {"\"name\"", ".YYYYY"},      {"\"user\"", ".YYYYY"},
      {"\"state\"", ".YYYYY"},       {"\"submitted\"", ".YYYYY"}, {"\"started\"", ".YYYYY"},
      {"\"duration\"", ".YYYYY"},    {"\"ncores\"", ".YYYYY"},    {"\"nodelist\"", ".YYYYY"},
      {"\"R_lite\"", ".YYYYY"},      {"\"jobspec\"", "..Y.YY"},   {"\"tasks\"", "..Y.YY"},
      {"\"environment\"", "..Y.YY"}, {"\"lease\"", "..Y.YY"}};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < std::size(kCallers); ++i) {
      const HttpResponse got = made_->ask("GET", "/v1/jobs/424242", {}, kCallers[i]);
      EXPECT_EQ(shows(got.body, row.member), row.seen[i] == 'Y')
          << row.member << ' ' << word(kCallers[i].role) << ' ' << got.body;
    }
  }
  const auto constraints = [&](std::size_t i) {
    return shows(made_->ask("GET", "/v1/jobs/424243", {}, kCallers[i]).body, "\"constraints\"");
  };
  EXPECT_TRUE(constraints(kAda));
  EXPECT_FALSE(constraints(kBob));
}

TEST_F(Visible, SecretsAreTheOwnersInEveryRouteAndStream) {
  for (const bool private_jobs : {false, true}) {
    begin(private_jobs);
    for (std::size_t i = 0; i < std::size(kCallers); ++i) {
      const bool whole = i == kAda || kCallers[i].role >= Role::operate;
      const std::string all = everything(kCallers[i]);
      for (const std::string_view secret : kSecrets) {
        const std::size_t at = all.find(secret);
        EXPECT_EQ(at != std::string::npos, whole)
            << secret << ' ' << word(kCallers[i].role) << ' ' << kCallers[i].name << ' '
            << (at == std::string::npos ? "" : all.substr(at < 300 ? 0 : at - 300, 400));
      }
    }
  }
}

TEST_F(Visible, JobsOfOthersAreThereUnlessTheyArePrivate) {
  for (const bool private_jobs : {false, true}) {
    begin(private_jobs);
    for (std::size_t i = 1; i < std::size(kCallers); ++i) {
      const bool seen = !private_jobs || i == kAda || kCallers[i].role >= Role::operate;
      const std::string all = everything(kCallers[i]);
      for (const std::string_view name : kNames) {
        const std::size_t at = all.find(name);
        EXPECT_EQ(at != std::string::npos, seen)
            << name << ' ' << word(kCallers[i].role) << ' ' << kCallers[i].name << ' '
            << (at == std::string::npos ? "" : all.substr(at < 300 ? 0 : at - 300, 400));
      }
    }
  }
}

TEST_F(Visible, PrivateJobsAreAsIfTheyWereNotThere) {
  begin(true);
  const Caller& bob = kCallers[kBob];
  for (const std::string_view path :
       {"/v1/jobs/424242", "/v1/jobs/424242/why", "/v1/jobs/424243/when", "/v1/grants/424242",
        "/v1/page/jobs/424242"}) {
    EXPECT_EQ(made_->ask("GET", path, {}, bob).status, 404U) << path;
  }
  for (const std::string_view op : {"hold", "release", "cancel", "end", "renew"}) {
    EXPECT_EQ(
        made_->service->answer(fmt::format(R"({{"op": "{}", "id": 424242}})", op), 1'000, 0, bob)
            .text(),
        "{\"error\": \"invalid\", \"message\": \"there is no job 424242\"}\n");
  }
  const std::string freed =
      made_->service->answer(R"({"op": "free", "id": 424242})", 1'000, 0, bob).text();
  EXPECT_TRUE(shows(freed, "has no grant")) << freed;
  EXPECT_TRUE(shows(made_->ask("GET", "/v1/jobs/424242").body, "running"));
  const std::string why = made_->ask("GET", "/v1/jobs/5/why", {}, bob).body;
  EXPECT_FALSE(shows(why, "4242")) << why;
  EXPECT_TRUE(shows(why, "\"ahead\": 1")) << why;
  EXPECT_EQ(made_->ask("GET", "/v1/jobs?state=all&user=ada", {}, bob).body.find("\"id\""),
            std::string::npos);
}

TEST_F(Visible, ARepeatedRequestGetsWhatItsCallerMaySee) {
  begin(false);
  const auto post = [&](const Caller& caller) {
    return Routes(*made_->context)
        .answer({.method = "POST",
                 .target = "/v1/jobs",
                 .body = R"({"shape": "slot=1/core"})",
                 .idempotency_key = "k",
                 .caller = caller},
                made_->now_s);
  };
  const std::string first = post(kCallers[kAda]).body;
  EXPECT_EQ(post(kCallers[kAda]).body, first);
  EXPECT_NE(post(kCallers[kBob]).body, first);         // its own job
  EXPECT_EQ(post({Role::guest, "ada"}).status, 403U);  // the same name, without the right
}

TEST_F(Visible, AnIdThatAnotherUserHasLaterShowsNothingOfTheFirst) {
  begin(false);
  JobRowTable table(JobRowTable::Limits{.ended = 0});
  JobRow row{.id = 7, .user = "ada", .jobspec = R"({"tasks": "hunter2"})"};
  table.add(row, 1);
  table.change(7, "end", 2, [](JobRow& job) { job.stage = JobStage::ended; });
  EXPECT_EQ(table.user_of_event(0), "");  // the job is forgotten
  row.user = "bob";
  table.add(row, 3);
  EXPECT_EQ(table.user_of_event(0), "");
  EXPECT_EQ(table.user_of_event(2), "bob");
}

}  // namespace
}  // namespace copse::server
