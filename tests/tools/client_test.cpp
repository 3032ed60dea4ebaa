// SPDX-License-Identifier: Apache-2.0
//
// The commands that ask a service, against a service that runs.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/eventually.hpp"
#include "tools/live_service.hpp"
#include "tools/session_file.hpp"

namespace copse {
namespace {

constexpr const char* kAll = "slot=4/node{x}";

// What the command says, whatever it says it by.
std::string said(const Outcome& outcome) { return outcome.output + outcome.errors; }

class Client : public ::testing::Test {
 protected:
  [[nodiscard]] Outcome copse(const std::vector<std::string>& words) const {
    return service_.copse(words);
  }
  // The id, without its line end.
  std::string submit(std::vector<std::string> words) const {
    words.insert(words.begin(), "submit");
    const Outcome outcome = copse(words);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return outcome.output.substr(0, outcome.output.find('\n'));
  }
  void await(const std::string& id, std::string_view state) const {
    await_job(service_, id, state);
  }

  LiveService service_;
};

TEST_F(Client, SubmitsAShapeOrAJobspec) {
  EXPECT_EQ(submit({"--shape", "slot=1/core", "--duration", "1h", "--name", "a b"}), "1");
  service_.scratch().write(
      "job.yaml",
      "version: 1\nresources:\n  - {type: slot, label: t, count: 1, with: [{type: core, count: "
      "2}]}\n"
      "attributes: {system: {duration: 60.0}}\ntasks:\n  - {command: [\"7\"], slot: t, count: "
      "{per_slot: 1}}\n");
  EXPECT_EQ(submit({"job.yaml", "--priority", "-3"}), "2");
  EXPECT_EQ(submit({"--shape", "slot=1/core", "--hold", "--lease", "1m", "--id", "40"}), "40");
  const std::string first = service_.ask(R"({"op": "job", "id": 1})");
  EXPECT_NE(first.find(R"("name": "a b")"), std::string::npos) << first;
  EXPECT_NE(first.find(R"("duration": 3600)"), std::string::npos) << first;
  const std::string second = service_.ask(R"({"op": "job", "id": 2})");
  EXPECT_NE(second.find(R"("command": ["7"])"), std::string::npos) << second;
  EXPECT_NE(second.find(R"("priority": -3)"), std::string::npos) << second;
  const std::string third = service_.ask(R"({"op": "job", "id": 40})");
  EXPECT_NE(third.find(R"("lease": 60)"), std::string::npos) << third;
  EXPECT_NE(third.find(R"("held": true)"), std::string::npos) << third;
  EXPECT_EQ(copse({"submit", "--json", "--shape", "slot=1/core"}).output, "{\"id\": 3}\n");
}

TEST_F(Client, AddsListsAndEndsReservations) {
  const std::vector<std::string> add{
      "reservation",       "add",        "upkeep", "--nodes",  "node[0-1]", "--at",
      "2033-01-01T08:00Z", "--duration", "4h",     "--repeat", "weekly",    "--nobody"};
  const std::string said_of_it =
      "upkeep: 2033-01-01T08:00:00Z to 2033-01-01T12:00:00Z on node[0-1], weekly, for no jobs, "
      "by *";
  const Outcome added = copse(add);
  EXPECT_EQ(added.status, 0) << added.errors;
  EXPECT_TRUE(matches({said_of_it}, added.output)) << added.output;
  EXPECT_TRUE(matches({said_of_it}, copse({"reservation", "list"}).output));
  const Outcome again = copse(add);
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.errors.find("a reservation \"upkeep\" already"), std::string::npos);
  const Outcome nodes =
      copse({"reservation", "add", "b", "--nodes", "node9", "--at", "2h", "--duration", "1h"});
  EXPECT_NE(nodes.errors.find("no node \"node9\""), std::string::npos) << nodes.errors;
  EXPECT_EQ(nodes.errors.find("column"), std::string::npos) << nodes.errors;
  const Outcome many =
      copse({"reservation", "add", "b", "--nodes", "500", "--at", "2h", "--duration", "1h"});
  EXPECT_EQ(many.errors, "copse: infeasible: it asks for 500 nodes, and the machine has 4\n");
  const Outcome none = copse({"reservation", "add", "b", "--at", "08:00", "--duration", "1h"});
  EXPECT_NE(none.errors.find("no nodes are named"), std::string::npos) << none.errors;
  EXPECT_EQ(copse({"reservation", "end", "upkeep"}).status, 0);
  EXPECT_EQ(copse({"reservation", "list"}).output, "");
}

TEST_F(Client, SaysWhatAReservationWouldDo) {
  submit({"--shape", kAll, "--duration", "1h"});
  await("1", "running");
  submit({"--shape", kAll, "--duration", "1h"});
  await("2", "planned");
  const Outcome tried = copse({"reservation", "add", "upkeep", "--nodes", "node0", "--at", "30m",
                               "--duration", "1h", "--dry-run"});
  EXPECT_TRUE(
      matches({"upkeep: 20* on node0, by *", "job 1 keeps node0 until 20*",
               "job 2 starts at 20*Z, not at 20*Z as promised", "nothing is reserved (--dry-run)"},
              tried.output))
      << said(tried);
  EXPECT_EQ(copse({"reservation", "list"}).output, "");
}

TEST_F(Client, SaysWhichTimesThereAre) {
  for (const char* when : {"friday", "25:00", "8:61"}) {
    const Outcome wrong =
        copse({"reservation", "add", "b", "--nodes", "node0", "--at", when, "--duration", "1h"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_EQ(
        wrong.errors,
        std::string("copse: --at: \"") + when +
            "\" is not a time: give a date (2026-11-22T08:00), a time of day from 00:00 to 23:59 "
            "(the next one), how long from now (2h), or now\n");
  }
}

TEST_F(Client, EndsAJobWithoutAnExecutor) {
  submit({"--shape", "slot=1/core"});
  await("1", "running");
  EXPECT_EQ(said(copse({"cancel", "1"})), "");  // its executor is to stop it, and there is none
  await("1", "running");
  EXPECT_EQ(said(copse({"end", "1"})), "job 1 ended: cancelled\n");
  await("1", "ended");
  EXPECT_EQ(copse({"end", "1"}).status, 2);
}

TEST_F(Client, TakesAndSaysHowAJobEnded) {
  struct Row {
    std::vector<std::string> words;
    std::string_view said;
  };
  const Row rows[] = {{{}, "done"},
                      {{"--status", "0"}, "done"},
                      {{"--status", "3"}, "failed with status 3"},
                      {{"--failed"}, "failed with status 1"}};
  int id = 0;
  for (const Row& row : rows) {
    const std::string job = std::to_string(++id);
    submit({"--shape", "slot=1/core"});
    await(job, "running");
    std::vector<std::string> words{"end", job};
    words.insert(words.end(), row.words.begin(), row.words.end());
    EXPECT_EQ(said(copse(words)), "job " + job + " ended: " + std::string(row.said) + "\n");
  }
  EXPECT_EQ(copse({"end", "1", "--status", "3", "--failed"}).status, 2);
  EXPECT_EQ(copse({"end", "1", "--status", "256"}).status, 2);
}

TEST_F(Client, TellsGrantsFromJobs) {
  EXPECT_EQ(copse({"reserve", "--shape", "slot=1/core", "--duration", "1h", "--id", "103"}).status,
            0);
  EXPECT_NE(copse({"why", "103"}).errors.find("there is no job 103: that is a grant"),
            std::string::npos);
  EXPECT_NE(copse({"submit", "--shape", "slot=1/core", "--id", "103"})
                .errors.find("there is a grant 103 already"),
            std::string::npos);
  EXPECT_NE(copse({"submit", "--shape", "slot=1/core", "-q", "nope"})
                .errors.find("unknown queue \"nope\"; there is one queue, which has no name"),
            std::string::npos);
}

TEST_F(Client, SaysWhatIsWrongWithARequest) {
  const Outcome never = copse({"submit", "--shape", "slot=9/node"});
  EXPECT_EQ(never.status, 1);
  EXPECT_TRUE(never.errors.starts_with("copse: infeasible: ")) << never.errors;
  const Outcome shape = copse({"submit", "--shape", "slot=/node"});
  EXPECT_EQ(shape.status, 2);
  EXPECT_TRUE(shape.errors.starts_with("copse: --shape:1:")) << shape.errors;
  const Outcome queue = copse({"submit", "--shape", "slot=1/core", "-q", "fast"});
  EXPECT_EQ(queue.status, 2);
  EXPECT_NE(queue.errors.find("queue"), std::string::npos) << queue.errors;
  const Outcome constraint =
      copse({"submit", "--shape", "slot=1/node", "--constraint", "hostlist: [\"node9\"]"});
  EXPECT_EQ(constraint.status, 1) << constraint.errors;
  const Outcome named =
      copse({"submit", "--shape", "slot=1/node", "--constraint", "{hostlist: [\"node3\"]}"});
  EXPECT_EQ(named.status, 0) << named.errors;
  EXPECT_EQ(copse({"jobs", "-o", "nodelist", "--no-header"}).output, "node3\n");
}

TEST_F(Client, ListsJobs) {
  EXPECT_EQ(copse({"jobs"}).output,
            "     ID NAME           USER     STATE         TIME NODES INFO\n");
  submit({"--shape", kAll, "--duration", "1h", "--name", "weather-of-tomorrow"});
  await("1", "running");
  submit({"--shape", kAll, "--duration", "1h"});
  submit({"--shape", kAll, "--hold"});
  await("2", "planned");
  const std::string table = copse({"jobs"}).output;
  EXPECT_TRUE(matches({"     ID NAME           USER     STATE         TIME NODES INFO",
                       "      1 weather-of-to+ *running   00:00:0*     4 node[0-3]",
                       "      2                *planned          -     - starts in *",
                       "      3                *pending          -     - held"},
                      table))
      << table;
  for (std::string_view rest = table; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    EXPECT_LE(end, 80U);
    rest.remove_prefix(end + 1);
  }
  EXPECT_EQ(copse({"jobs", "--state", "pending", "-o", "id,held,st", "--no-header"}).output,
            "      3 yes  PD\n");
  EXPECT_EQ(copse({"jobs", "-o", "<{jobid:^5}> {{{state:.3+}}}", "1", "3"}).output,
            "< ID  > {ST+}\n<  1  > {ru+}\n<  3  > {pe+}\n");
  EXPECT_EQ(copse({"jobs", "--user", "nobody-here", "--no-header"}).output, "");
  const std::string reasons = copse({"jobs", "-o", "{id} {reason}", "2-3"}).output;
  EXPECT_TRUE(
      matches({"ID REASON", "2 waits for 4 of 0 free nodes, until *", "3 it is held*"}, reasons))
      << reasons;
  const std::string json = copse({"jobs", "--json"}).output;
  EXPECT_TRUE(json.starts_with(R"({"jobs": [{"id": 1, "state": "running")")) << json;
  EXPECT_EQ(std::ranges::count(json, '\n'), 1);
  EXPECT_EQ(copse({"jobs", "9"}).errors, "copse: there is no job 9\n");
  EXPECT_EQ(copse({"jobs", "9"}).status, 2);
  EXPECT_EQ(copse({"jobs", "x"}).errors, "copse: \"x\" is not a job id: write 7, or 3-5,9\n");
  EXPECT_EQ(copse({"jobs", "0-99999999"}).errors, "copse: more than 9999 jobs\n");
}

TEST_F(Client, SaysWhyAndWhen) {
  submit({"--shape", kAll, "--duration", "1h"});
  submit({"--shape", kAll, "--duration", "1h"});
  submit({"--shape", kAll, "--hold"});
  await("2", "planned");
  const std::string why = copse({"why", "2"}).output;
  EXPECT_TRUE(matches(
      {"job 2 waits; no job is ahead", "  why:  waits for 4 of 0 free nodes, until *:* (in 60 min)",
       "  when: 20*Z (promised)"},
      why))
      << why;
  const std::string whole = copse({"why", "2", "--long"}).output;
  EXPECT_TRUE(whole.contains("  why:  needs 4 nodes")) << whole;
  EXPECT_TRUE(matches({"20*Z (promised)"}, copse({"when", "2"}).output));
  EXPECT_TRUE(matches({"job 3 is held", "  why:  *"}, copse({"why", "3"}).output));
  EXPECT_EQ(copse({"when", "3"}).output, "unknown (copse why 3 explains why it waits)\n");
  EXPECT_TRUE(matches({"job 1 has been running since 20*Z"}, copse({"why", "1"}).output));
  EXPECT_TRUE(
      copse({"why", "--json", "2"}).output.starts_with(R"({"job": 2, "state": "promised")"));
  EXPECT_TRUE(matches({R"({"id": 2, "start": *, "promised": true})"},
                      copse({"when", "--json", "2"}).output));
  EXPECT_EQ(copse({"when", "9"}).errors, "copse: there is no job 9\n");
  service_.ask(R"({"op": "end", "id": 1, "status": 4})");
  EXPECT_TRUE(matches({"job 1 ended at 20*Z: failed with status 4"}, copse({"when", "1"}).output));
}

TEST_F(Client, CancelsHoldsAndReleases) {
  submit({"--shape", kAll, "--duration", "1h"});
  submit({"--shape", kAll, "--duration", "1h"});
  submit({"--shape", kAll, "--duration", "1h"});
  await("2", "planned");
  EXPECT_EQ(said(copse({"hold", "2-3"})), "");
  EXPECT_EQ(copse({"jobs", "-o", "info", "--no-header", "2-3"}).output, "held\nheld\n");
  EXPECT_EQ(said(copse({"release", "3"})), "");
  await("3", "planned");
  const Outcome some = copse({"cancel", "--json", "2", "7", "3"});
  EXPECT_EQ(some.status, 2);
  EXPECT_EQ(some.output, "{}\n{}\n");
  EXPECT_EQ(some.errors, "copse: there is no job 7\n");
  EXPECT_EQ(copse({"jobs", "-o", "st,result", "--no-header", "2-3"}).output,
            "CA cancelled\nCA cancelled\n");
  EXPECT_EQ(copse({"cancel", "2"}).errors, "copse: job 2 has ended\n");
  EXPECT_EQ(said(copse({"cancel", "1"})), "");
  EXPECT_EQ(copse({"jobs", "-o", "st,info", "--no-header"}).output, "CG stopping node[0-3]\n");
}

TEST_F(Client, GivesWaitingJobsAnotherPriority) {
  for (int job = 1; job <= 3; ++job) submit({"--shape", kAll, "--duration", "1h"});
  await("2", "planned");
  EXPECT_EQ(said(copse({"priority", "3", "--to", "9"})), "");
  service_.ask(R"({"op": "end", "id": 1})");
  await("3", "running");
  EXPECT_EQ(copse({"jobs", "-o", "id,priority", "--no-header", "3"}).output, "      3        9\n");
  const Outcome some = copse({"priority", "2", "3", "7", "--to", "-1"});
  EXPECT_EQ(some.status, 2);
  EXPECT_EQ(some.errors, "copse: job 3 runs already\ncopse: there is no job 7\n");
  EXPECT_EQ(copse({"priority", "2"}).status, 2);
}

TEST_F(Client, WaitsAndWatches) {
  submit({"--shape", "slot=1/core", "--name", "a"});
  submit({"--shape", "slot=1/core"});
  await("2", "running");
  std::jthread ender([this] {
    service_.await_streams(1);
    service_.ask(R"({"op": "end", "id": 1})");
    service_.ask(R"({"op": "end", "id": 2, "status": 3})");
  });
  const Outcome both = copse({"wait", "1-2"});
  EXPECT_EQ(both.status, 1);
  EXPECT_TRUE(
      matches({"20*Z job 1 ended: done", "20*Z job 2 ended: failed with status 3"}, both.output))
      << said(both);
  EXPECT_EQ(copse({"wait", "1"}).status, 0);
  EXPECT_TRUE(matches({"job 1 ended at 20*Z: done"}, copse({"wait", "1"}).output));
  EXPECT_EQ(copse({"wait", "2"}).status, 1);
  EXPECT_EQ(copse({"wait", "9"}).errors, "copse: there is no job 9\n");
  EXPECT_EQ(copse({"wait", "9"}).status, 2);
  submit({"--shape", kAll, "--hold"});
  std::jthread changer([this, before = service_.streams_opened()] {
    service_.await_streams(before + 1);
    service_.ask(R"({"op": "release", "id": 3})");
    await("3", "running");
    service_.ask(R"({"op": "cancel", "id": 3})");
    service_.ask(R"({"op": "end", "id": 3})");
  });
  const Outcome watched = copse({"watch", "3"});
  EXPECT_EQ(watched.status, 0);
  EXPECT_TRUE(matches({"20*Z job 3 is released", "20*Z job 3 starts on node[0-3]",
                       "20*Z job 3 is asked to stop", "20*Z job 3 ended: cancelled"},
                      watched.output))
      << said(watched);
}

TEST_F(Client, ShowsAndDrainsNodes) {
  EXPECT_EQ(copse({"nodes"}).output, "STATE      NODES NODELIST\nfree           4 node[0-3]\n");
  submit({"--shape", "slot=1/node{x}", "--constraint", "{ranks: [\"0\"]}"});
  submit({"--shape", "slot=1/core", "--constraint", "{ranks: [\"1\"]}"});
  await("2", "running");
  EXPECT_EQ(said(copse({"drain", "node[0,3]"})), "");
  EXPECT_EQ(copse({"nodes"}).output,
            "STATE      NODES NODELIST\nfree           1 node2\nmixed          1 node1\n"
            "draining       1 node0\ndrained        1 node3\n");
  EXPECT_EQ(copse({"undrain", "--json", "0,3"}).output, "{\"nodes\": \"node[0,3]\"}\n");
  EXPECT_EQ(copse({"nodes", "--long"}).output,
            "NAME    RANK STATE      JOBS PATH\n"
            "node0      0 allocated  1    /desk0/rack0/node0\n"
            "node1      1 mixed      2    /desk0/rack0/node1\n"
            "node2      2 free       -    /desk0/rack0/node2\n"
            "node3      3 free       -    /desk0/rack0/node3\n");
  EXPECT_EQ(copse({"nodes", "node[1,0]"}).output,
            "NAME    RANK STATE      JOBS PATH\n"
            "node1      1 mixed      2    /desk0/rack0/node1\n"
            "node0      0 allocated  1    /desk0/rack0/node0\n");
  EXPECT_EQ(copse({"nodes", "1,0"}).output, copse({"nodes", "node[1,0]"}).output);
  const Outcome one = copse({"nodes", "--json", "1"});
  EXPECT_TRUE(one.output.starts_with(R"({"name": "node1", "rank": 1,)")) << one.output;
  EXPECT_NE(one.output.find(R"("jobs": "2"})"), std::string::npos) << one.output;
  EXPECT_EQ(copse({"nodes", "node9"}).errors, "copse: the machine has no node \"node9\"\n");
  EXPECT_EQ(copse({"nodes", "node[9"}).status, 2);
  EXPECT_TRUE(copse({"nodes", "--json"}).output.starts_with(R"({"nodes": [{"name": "node0")"));
  EXPECT_EQ(copse({"drain", "node9"}).errors,
            "copse: the machine has no node \"node9\"; did you mean \"node0\"?\n");
  EXPECT_EQ(copse({"drain", "9"}).status, 2);
}

TEST_F(Client, DrainsForAReason) {
  EXPECT_EQ(copse({"nodes", "-R"}).output,
            "REASON               USER      TIMESTAMP            NODELIST\n");
  EXPECT_EQ(said(copse({"drain", "node[0-1]", "--reason", "new fans"})), "");
  EXPECT_TRUE(matches({"REASON               USER      TIMESTAMP            NODELIST",
                       "new fans             * 20*Z node[0-1]"},
                      copse({"nodes", "-R"}).output));
  EXPECT_EQ(said(copse({"down", "node1", "--reason", "power supply"})), "");
  EXPECT_EQ(said(copse({"down", "2"})), "");
  const Outcome rack = copse({"undrain", "rack0"});
  EXPECT_EQ(rack.status, 0);
  EXPECT_EQ(rack.errors, "copse: still down: node[1-2]\n");
  EXPECT_EQ(copse({"nodes"}).output,
            "STATE      NODES NODELIST\nfree           2 node[0,3]\ndown           2 node[1-2]\n");
  const std::string reasons = copse({"nodes", "-R"}).output;
  EXPECT_TRUE(reasons.contains("power supply         ")) << reasons;
  EXPECT_TRUE(reasons.contains("is down              ")) << reasons;
  EXPECT_EQ(said(copse({"up", "node[1-2]"})), "");
  EXPECT_EQ(copse({"nodes"}).output, "STATE      NODES NODELIST\nfree           4 node[0-3]\n");
  EXPECT_EQ(copse({"up", "node9"}).status, 2);
}

TEST_F(Client, ReservesBesideTheQueue) {
  submit({"--shape", "slot=1/core", "--duration", "1h"});
  await("1", "running");
  const Outcome reserved = copse({"reserve", "--shape", kAll, "--duration", "2h"});
  EXPECT_TRUE(matches({"2 from 20*Z to 20*Z on node[0-3]"}, reserved.output)) << said(reserved);
  EXPECT_EQ(copse({"reserve", "--shape", kAll, "--id", "2"}).status, 2);
  EXPECT_EQ(copse({"reserve", "--shape", "slot=9/node"}).status, 1);
  EXPECT_EQ(said(copse({"cancel", "2"})), "");
  EXPECT_EQ(copse({"cancel", "2"}).errors, "copse: there is no job 2\n");
  const Outcome endless = copse({"reserve", "--shape", "slot=1/node{x}"});
  EXPECT_TRUE(matches({"* from 20*Z on, without end on node*"}, endless.output)) << said(endless);
  EXPECT_NE(
      copse({"reserve", "--shape", "slot=1/node{x}", "--json"}).output.find("\"expiration\": 0"),
      std::string::npos);
}

// --- What goes wrong

TEST_F(Client, SaysThatThereIsNoService) {
  for (const char* command : {"jobs", "nodes"}) {
    const Outcome none = copse({command, "--server", "/nowhere/socket"});
    EXPECT_EQ(none.status, 2);
    EXPECT_EQ(
        none.errors,
        "copse: no service listens at /nowhere/socket: start one with copse serve -L MACHINE, "
        "or name it (COPSE_SERVER, --server)\n");
  }
  service_.end(SIGKILL);  // its socket is still there
  const Outcome dead = copse({"why", "1"});
  EXPECT_EQ(dead.status, 2);
  EXPECT_TRUE(dead.errors.starts_with("copse: no service listens at ")) << dead.errors;
  EXPECT_NE(copse({"jobs", "--server", "https://127.0.0.1:1"}).errors.find("--tls-cert"),
            std::string::npos);
  EXPECT_EQ(copse({"jobs", "--server", "http://a"}).status, 2);
  EXPECT_NE(copse({"jobs", "--server", "127.0.0.1:1"}).errors.find("--listen 127.0.0.1:1"),
            std::string::npos);
}

TEST_F(Client, SaysThatTheServiceHasGone) {
  submit({"--shape", kAll, "--hold"});
  static constexpr std::string_view kAsked = R"(copse_http_requests_total{op="batch",code="200"})";
  std::jthread killer([this, before = service_.metric(kAsked)] {
    service_.await_streams(1);
    EXPECT_TRUE(eventually([&] { return service_.metric(kAsked) > before; }));  // for the job
    service_.end(SIGKILL);
  });
  const Outcome outcome = copse({"wait", "1"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1);
  EXPECT_TRUE(outcome.errors.starts_with("copse: the service at ")) << outcome.errors;
}

}  // namespace
}  // namespace copse
