// SPDX-License-Identifier: Apache-2.0
//
// What the page in a browser is given: its files, and the routes below /v1/page, without sockets.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "server/http_response.hpp"
#include "server/http_service.hpp"
#include "server/page/encoding.hpp"

namespace copse::server {
namespace {

class Page : public testing::Test {
 protected:
  HttpResponse get(std::string_view target, Caller caller = {Role::guest, "g"}) {
    return made.ask("GET", target, {}, std::move(caller));
  }
  void submit(std::string_view members) {
    const HttpResponse got = made.ask("POST", "/v1/jobs", fmt::format("{{{}}}", members));
    ASSERT_EQ(got.status, 200U) << got.body;
    work();
  }
  void work() {
    while (!made.service->work(made.now_s)) {
    }
    while (!made.page->work({})) {
    }
  }
  std::string next_piece(const HttpResponse& stream) {
    std::string out;
    (void)stream.event_source->next(out);
    return out;
  }

  HttpService made;
};

TEST_F(Page, FilesAreAnybodys) {
  const HttpResponse index = get("/", {});
  EXPECT_EQ(index.status, 200U);
  EXPECT_EQ(index.type, "text/html; charset=utf-8");
  const std::string hash = made.page->assets().hash();
  EXPECT_TRUE(has(index, "src=\"assets/" + hash + "/page.js\"")) << index.body;
  EXPECT_TRUE(has(index, "href=\"assets/" + hash + "/style.css\"")) << index.body;
  EXPECT_EQ(field(index, "Cache-Control"), "no-cache");
  EXPECT_TRUE(field(index, "Content-Security-Policy").starts_with("default-src 'none'; "));
  EXPECT_EQ(field(index, "Content-Security-Policy").find("unsafe"), std::string::npos);
  EXPECT_EQ(field(index, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(field(index, "Referrer-Policy"), "no-referrer");
  const HttpResponse script = get("/assets/" + hash + "/page.js", {});
  EXPECT_EQ(script.status, 200U);
  EXPECT_EQ(script.type, "text/javascript; charset=utf-8");
  EXPECT_EQ(script.body, "import './x.js';");
  EXPECT_EQ(field(script, "Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(made.ask("HEAD", "/", {}, {}).status, 200U);
  EXPECT_EQ(get("/favicon.ico", {}).type, "image/svg+xml");
}

TEST_F(Page, FilesThatAreNone) {
  const std::string hash = made.page->assets().hash();
  for (const std::string& target :
       {"/assets/" + hash + "/none.js", std::string("/assets/0000/page.js"),
        "/assets/" + hash + "/index.html", "/assets/" + hash + "/../page.js",
        "/assets/" + hash + "/", std::string("/assets/"), "/assets/" + hash + "/page.js/"}) {
    const HttpResponse got = get(target, {});
    EXPECT_EQ(got.status, 404U) << target;
    EXPECT_EQ(field(got, "Cache-Control"), "") << target;
  }
  const HttpResponse posted = made.ask("POST", "/", {}, {});
  EXPECT_EQ(posted.status, 405U);
  EXPECT_EQ(field(posted, "Allow"), "GET, HEAD");
}

TEST_F(Page, FilesByTagAndEncoding) {
  const auto ask = [&](std::string_view tag, std::string_view encoding) {
    return Routes(*made.context)
        .answer({.method = "GET",
                 .target = "/",
                 .body = {},
                 .if_none_match = tag,
                 .accept_encoding = encoding},
                made.now_s);
  };
  const std::string tag = field(ask("", ""), "ETag");
  EXPECT_EQ(tag, "\"" + made.page->assets().hash() + "\"");
  for (const std::string& known : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
    const HttpResponse same = ask(known, "gzip");
    EXPECT_EQ(same.status, 304U) << known;
    EXPECT_EQ(same.body, "");
    EXPECT_EQ(field(same, "Content-Encoding"), "");
  }
  EXPECT_EQ(ask("\"x\"", "").status, 200U);
  const HttpResponse small = ask("", "br, gzip;q=0.8");
  EXPECT_EQ(field(small, "Content-Encoding"), "gzip");
  EXPECT_EQ(field(small, "Vary"), "Accept-Encoding");
  EXPECT_TRUE(small.body.starts_with("\x1f\x8b"));
  EXPECT_EQ(field(ask("", "br"), "Content-Encoding"), "");
}

TEST_F(Page, StateSaysWhoAsksAndWhatTheyMay) {
  const HttpResponse guest = get("/v1/page/state");
  EXPECT_TRUE(has(guest, R"("caller": "g", "role": "guest", "permissions": ["liveness", "read"])"))
      << guest.body;
  const HttpResponse owner = get("/v1/page/state", {Role::owner, "root"});
  EXPECT_TRUE(has(owner, R"("role": "owner")") && has(owner, R"("change")"));
  EXPECT_TRUE(has(owner, R"("nodes": 4)"));
  EXPECT_EQ(get("/v1/page/state", {}).status, 401U);
}

// Two bytes a node: its state with flags; the share of its cores in use.
std::string looks_of(const HttpResponse& got) {
  const std::size_t at = got.body.find("\"looks\": \"") + 10;
  return got.body.substr(at, got.body.find('"', at) - at);
}
std::string packed(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

TEST_F(Page, NodesInTwoBytes) {
  using namespace std::string_literals;
  EXPECT_EQ(looks_of(get("/v1/page/nodes")), packed("\0\0\0\0\0\0\0\0"s));
  // Drained: it gets no new jobs (4), and is not down (16).
  ASSERT_EQ(made.ask("PATCH", "/v1/nodes/n1", R"({"status": "drain"})").status, 200U);
  ASSERT_EQ(made.ask("PUT", "/v1/grants/7", R"({"shape": "slot=1/core", "duration": 50})").status,
            201U);
  ASSERT_EQ(
      made.ask("PUT", "/v1/grants/8", R"({"shape": "slot=2/node{x}", "duration": 50})").status,
      201U);
  const HttpResponse got = get("/v1/page/nodes");
  EXPECT_EQ(looks_of(got), packed("\1\x3f\24\0\2\xff\2\xff"s)) << got.body;
  EXPECT_TRUE(has(got, R"("jobs": [1, "7", 1, "", 2, "8"])")) << got.body;
  // All cores, by one job each: nothing is left, though each has a quarter.
  for (const int id : {9, 10, 11}) {
    ASSERT_EQ(made.ask("PUT", fmt::format("/v1/grants/{}", id),
                       R"({"shape": "slot=1/core", "duration": 50})")
                  .status,
              201U);
  }
  EXPECT_EQ(looks_of(get("/v1/page/nodes")), packed("\2\xff\24\0\2\xff\2\xff"s));
  const HttpResponse node = get("/v1/page/nodes/n0");
  EXPECT_TRUE(has(node, R"("state": 2, "share": 255)")) << node.body;
  EXPECT_TRUE(
      has(node, R"({"id": "7", "kind": "running", "start": 100, "end": 150, "pools": "3"})"))
      << node.body;
  EXPECT_EQ(get("/v1/page/nodes/n9").status, 404U);
}

TEST_F(Page, IdsAreExact) {
  submit(R"("id": 9007199254740991, "shape": "slot=4/node", "duration": 100)");
  EXPECT_TRUE(has(get("/v1/page/nodes"), R"("9007199254740991")"));
  const HttpResponse job = get("/v1/page/jobs/9007199254740991");
  EXPECT_TRUE(has(job, R"({"job": {"id": "9007199254740991", "state": "running")")) << job.body;
  EXPECT_TRUE(has(get("/v1/page/schedule"), R"("jobs": ["9007199254740991"])"));
}

TEST_F(Page, QueueInWordsAndByPages) {
  submit(R"("id": 1, "shape": "slot=4/node", "duration": 100, "user": "ada")");
  for (int id = 2; id <= 6; ++id) {
    submit(fmt::format(R"("id": {}, "shape": "slot=4/node", "duration": 100, "user": "{}")", id,
                       id % 2 == 0 ? "bob" : "<b>eve"));
  }
  HttpResponse got = get("/v1/page/queue?limit=2");
  EXPECT_TRUE(has(got, R"({"id": "2", "state": "planned", "user": "bob", )")) << got.body;
  EXPECT_TRUE(has(
      got,
      R"("ahead": 0, "cause": "resources", "short": "waits for 4 of 0 free nodes", "text": "needs 4 nodes)"))
      << got.body;
  EXPECT_TRUE(has(got, R"("start": 200, "promised": true)")) << got.body;
  EXPECT_TRUE(has(got, R"("start": 300, "promised": false)")) << got.body;
  EXPECT_TRUE(has(got, R"("total": 5, "searching": false)")) << got.body;
  EXPECT_FALSE(has(got, R"("id": "4")"));
  got = get("/v1/page/queue?limit=2&offset=4");
  EXPECT_TRUE(has(got, R"({"rows": [{"id": "6",)")) << got.body;
  got = get("/v1/page/queue?user=%3Cb%3Eeve");
  EXPECT_TRUE(has(got, R"("total": 2)")) << got.body;
  EXPECT_TRUE(has(get("/v1/page/queue?state=running"), R"({"rows": [{"id": "1",)"));
  EXPECT_TRUE(has(get("/v1/page/queue?text=4"), R"("total": 1)"));
  EXPECT_EQ(get("/v1/page/queue?state=asleep").status, 400U);
  EXPECT_EQ(get("/v1/page/queue?limit=501").status, 413U);
  EXPECT_EQ(get("/v1/page/queue?limit=0").status, 400U);
}

TEST_F(Page, AJobWithItsExplanation) {
  submit(R"("id": 1, "shape": "slot=4/node", "duration": 100)");
  submit(R"("id": 2, "shape": "slot=1/node", "duration": 100, "name": "\"><script>")");
  const HttpResponse waits = get("/v1/page/jobs/2");
  EXPECT_TRUE(has(waits, R"("name": "\"><script>")")) << waits.body;
  EXPECT_TRUE(has(waits, R"("answer": {"job": "2", "state": "promised")")) << waits.body;
  EXPECT_TRUE(has(waits, R"("holders": [{"job": "1",)")) << waits.body;
  EXPECT_TRUE(has(waits, R"("event": "submit")"));
  const HttpResponse runs = get("/v1/page/jobs/1");
  EXPECT_TRUE(has(
      runs,
      R"("placements": [{"kind": "running", "start": 100, "end": 200, "places": [[0, 4, 256]]}])"))
      << runs.body;
  EXPECT_TRUE(has(runs, R"("R": {"version": 1)"));
  EXPECT_EQ(get("/v1/page/jobs/3").status, 404U);
  EXPECT_EQ(get("/v1/page/jobs/x").status, 400U);
}

TEST_F(Page, PastPresentAndForecastOnOneAxis) {
  submit(R"("id": 1, "shape": "slot=4/node", "duration": 100)");
  submit(R"("id": 2, "shape": "slot=4/node", "duration": 100)");
  submit(R"("id": 3, "shape": "slot=2/node", "duration": 100)");
  (void)get("/v1/page/schedule");  // a page is open
  work();
  const HttpResponse got = get("/v1/page/schedule?from=50&to=1000");
  // Place in jobs, kind, start, end, first node, nodes, share.
  EXPECT_TRUE(has(got, R"("jobs": ["1", "2", "3"])")) << got.body;
  EXPECT_TRUE(has(
      got,
      R"("bars": [[0, 1, 100, 200, 0, 4, 256], [1, 2, 200, 300, 0, 4, 256], [2, 3, 300, 400, )"))
      << got.body;
  made.now_s = 150;
  ASSERT_TRUE(made.ask("POST", "/v1/batch", R"({"op": "end", "id": 1})").body.starts_with("{}"));
  work();
  const HttpResponse later = get("/v1/page/schedule?from=50&to=1000");
  EXPECT_TRUE(has(later, R"([0, 0, 100, 150, 0, 4, 256])")) << later.body;
  EXPECT_TRUE(has(later, R"([1, 1, 150, 250, 0, 4, 256])")) << later.body;
  EXPECT_EQ(get("/v1/page/schedule?from=9&to=9").status, 400U);
  EXPECT_EQ(get("/v1/page/schedule?first=4").status, 413U);
  EXPECT_EQ(get("/v1/page/schedule?rows=1000&columns=2000").status, 413U);
  EXPECT_EQ(get("/v1/page/schedule?rows=0").status, 400U);
}

TEST_F(Page, JobsAsADocument) {
  submit(R"("id": 1, "shape": "slot=4/node", "duration": 100, "user": "ada")");
  submit(R"("id": 2, "shape": "slot=4/node", "duration": 100)");
  (void)get("/v1/page/jobs");
  work();
  const HttpResponse got = get("/v1/page/jobs");
  EXPECT_TRUE(has(got, R"("cut": false)")) << got.body;
  EXPECT_TRUE(has(got, R"("id": ["1", "2"])")) << got.body;
  EXPECT_TRUE(has(got, R"("runs": {"job": [0, 1], "start": [100, 200], "end": [200, 300])"))
      << got.body;
  EXPECT_TRUE(has(got, R"("places": {"run": [0, 1], "first": [0, 0], "count": [4, 4])"))
      << got.body;
}

TEST_F(Page, ChangesAreToldTogether) {
  const HttpResponse stream = get("/v1/page/events");
  ASSERT_EQ(stream.status, 200U);
  ASSERT_NE(stream.event_source, nullptr);
  EXPECT_NE(next_piece(stream).find(R"("nodes": [])"), std::string::npos);
  EXPECT_EQ(next_piece(stream), "");
  for (int id = 1; id <= 50; ++id) {
    submit(fmt::format(R"("id": {}, "shape": "slot=1/core", "duration": 100)", id));
    if (id > 1) {
      ASSERT_EQ(
          made.ask("POST", "/v1/batch", fmt::format(R"({{"op": "end", "id": {}}})", id)).status,
          200U);
    }
  }
  const std::string told = next_piece(stream);
  EXPECT_NE(told.find(R"("nodes": [[0, 1, 1, 63]])"), std::string::npos) << told;
  EXPECT_NE(told.find(R"("id": ["1", "2", "3")"), std::string::npos) << told;
  EXPECT_EQ(std::ranges::count(told, '\n'), 3);
  EXPECT_LT(told.size(), 6'000U);
  EXPECT_EQ(next_piece(stream), "");
  made.now_s = 120;
  made.service->advance(made.now_s);  // that time goes by is no news
  EXPECT_EQ(next_piece(stream), "");
}

TEST_F(Page, AStreamGoesOnWhereItEnded) {
  const HttpResponse first = get("/v1/page/events");
  const std::string begun = next_piece(first);
  const std::string id = begun.substr(4, begun.find('\n') - 4);
  submit(R"("id": 1, "shape": "slot=4/node", "duration": 100)");
  const HttpResponse resumed = Routes(*made.context)
                                   .answer({.method = "GET",
                                            .target = "/v1/page/events",
                                            .body = {},
                                            .last_event_id = id,
                                            .caller = {Role::guest, "g"}},
                                           made.now_s);
  const std::string told = next_piece(resumed);
  EXPECT_NE(told.find(R"("nodes": [[0, 4, 2, 255]])"), std::string::npos) << told;
  EXPECT_NE(told.find(R"("id": ["1"])"), std::string::npos) << told;
  EXPECT_EQ(get("/v1/page/events?since=99999-0").status, 410U);
  EXPECT_EQ(get("/v1/page/events?since=0-99999").status, 410U);
  EXPECT_EQ(get("/v1/page/events?since=7").status, 400U);
  EXPECT_EQ(get("/v1/page/events?since=0-0").status, 200U);
}

TEST_F(Page, MoreThanAStreamTellsIsReadAnew) {
  const HttpResponse stream = get("/v1/page/events");
  (void)next_piece(stream);
  std::string lines;
  for (int id = 1; id <= 301; ++id) {
    lines += fmt::format(
        "{{\"op\": \"submit\", \"id\": {}, \"shape\": \"slot=4/node\", \"duration\": 9}}\n", id);
  }
  ASSERT_EQ(made.ask("POST", "/v1/batch", lines).status, 200U);
  EXPECT_NE(next_piece(stream).find(R"("jobs": null)"), std::string::npos);
}

TEST_F(Page, WillItRun) {
  const Caller ada{Role::user, "ada"};
  const auto attempt = [&](std::string_view body) {
    return made.ask("POST", "/v1/page/try", body, ada);
  };
  HttpResponse got = attempt(R"({"shape": "slot=2/node", "duration": 60})");
  EXPECT_TRUE(has(got, R"("verdict": "now", "start": 100)")) << got.body;
  EXPECT_TRUE(has(got, R"("nodes": "n[2-3]")")) << got.body;
  submit(R"("id": 1, "shape": "slot=3/node", "duration": 100)");
  submit(R"("id": 2, "shape": "slot=4/node", "duration": 100)");
  const std::uint64_t before = made.service->session().engine().fingerprint();
  const journal::Sequence records = made.service->next();
  got = attempt(R"({"shape": "slot=1/node", "duration": 60})");
  EXPECT_TRUE(has(got, R"("verdict": "now")")) << got.body;
  got = attempt(R"({"shape": "slot=1/node", "duration": 101})");
  EXPECT_TRUE(has(got, R"("verdict": "later", "start": 300)")) << got.body;
  EXPECT_TRUE(has(got, R"("cause": "promises")")) << got.body;
  EXPECT_TRUE(has(got, R"({"kind": "shorter", "seconds": 100})")) << got.body;
  got = attempt(R"({"shape": "slot=5/node", "duration": 60})");
  EXPECT_TRUE(has(got, R"("verdict": "never")")) << got.body;
  EXPECT_TRUE(has(got, R"("explanation": {"verdict": "infeasible")")) << got.body;
  EXPECT_EQ(attempt(R"({"shape": "slot=1/node", "duration": 60, "queue": "none"})").status, 400U);
  EXPECT_EQ(attempt("{}").status, 400U);
  EXPECT_EQ(attempt("[]").status, 400U);
  EXPECT_EQ(attempt(R"({"shape": "slot=", "duration": 60})").status, 400U);
  EXPECT_EQ(made.service->session().engine().fingerprint(), before);
  EXPECT_EQ(made.service->next(), records);
  EXPECT_EQ(made.ask("POST", "/v1/page/try", "{}", {Role::guest, "g"}).status, 403U);
}

// What is tried is what a submitted job is told, whatever stands in the way.
// Not by the number of a grant that no client has heard of; in all texts and numbers.
TEST_F(Page, ReservationsHaveTheirNames) {
  ASSERT_EQ(made.ask("POST", "/v1/reservations",
                     R"({"name": "upkeep", "nodes": "n[0-1]", "start": 100, "duration": 500})")
                .status,
            200U);
  submit(R"("id": 1, "shape": "slot=1/node", "duration": 100)");
  const std::string all = R"({"shape": "slot=4/node", "duration": 60})";
  submit(R"("id": 2, "shape": "slot=4/node", "duration": 60)");
  const HttpResponse tried = made.ask("POST", "/v1/page/try", all);
  EXPECT_TRUE(has(tried, "reservation \\\"upkeep\\\" until 600 s")) << tried.body;
  const HttpResponse job = get("/v1/page/jobs/2"), why = get("/v1/jobs/2/why");
  const HttpResponse explained = made.ask("POST", "/v1/explain", all);
  for (const HttpResponse* got : {&tried, &job, &why, &explained}) {
    EXPECT_TRUE(has(*got, R"({"name": "reservation \"upkeep\"", )")) << got->body;
    EXPECT_FALSE(has(*got, "92233720368547758")) << got->body;
  }
  for (const HttpResponse* got : {&tried, &job}) {  // ids are texts there
    EXPECT_TRUE(has(*got, R"({"job": "1", "start")")) << got->body;
  }
}

TEST_F(Page, HealthNamesWhatIsDownAndWhoRunsThere) {
  submit(R"("id": 1, "shape": "slot=4/node", "duration": 100)");
  for (const char* name : {"n0", "n1"}) {
    ASSERT_EQ(made.ask("PATCH", fmt::format("/v1/nodes/{}", name), R"({"status": "drain"})").status,
              200U);
  }
  made.page->requests.add(std::chrono::microseconds(300));
  const HttpResponse got = get("/v1/page/health");
  EXPECT_TRUE(has(
      got,
      R"("drains": [{"nodes": "n[0-1]", "count": 2, "status": "draining", "by": "root", "at": 100, "jobs_total": 1, "jobs": ["1"]}])"))
      << got.body;
  EXPECT_TRUE(has(got, R"("requests": {"count": 1, "p50_us": 500)")) << got.body;
}

TEST_F(Page, AMachineWithoutLevelsHasNoFragmentation) {
  made.page->tick();
  EXPECT_TRUE(has(get("/v1/page/fragmentation"), R"({"level": "", "time": [], "share": []})"));
}

TEST_F(Page, WithoutAPageThereIsNone) {
  made.context->page = nullptr;
  EXPECT_EQ(get("/").status, 404U);
  EXPECT_EQ(get("/v1/page/state").status, 404U);
  EXPECT_EQ(get("/v1/page/events").status, 404U);
}

}  // namespace
}  // namespace copse::server
