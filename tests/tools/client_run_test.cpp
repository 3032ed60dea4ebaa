// SPDX-License-Identifier: Apache-2.0
//
// copse run, against a running service: the environment of the command, and how it and its job end.
#include <gtest/gtest.h>

#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "base/eventually.hpp"
#include "host/host_name.hpp"
#include "tools/copse/client/run/job_place.hpp"
#include "tools/live_service.hpp"
#include "tools/session_file.hpp"

namespace copse {
namespace {

class ClientRun : public ::testing::Test {
 protected:
  // copse run OPTIONS -- sh -c SCRIPT. The nodes of the machine are not this computer.
  [[nodiscard]] Outcome run_script(std::vector<std::string> options,
                                   const std::string& script) const {
    options.insert(options.begin(), {"run", "--any-host"});
    options.insert(options.end(), {"--quiet", "--", "sh", "-c", script});
    return service_.copse(options);
  }
  // A script of a shell, where $copse is the program and asks the service.
  [[nodiscard]] Outcome shell(const std::string& script) const {
    return run({.words = {"/bin/sh", "-c",
                          "copse=" + program("copse") +
                              "; export COPSE_SERVER=" + service_.socket() + "\n" + script},
                .input = {},
                .folder = service_.scratch().path()});
  }
  [[nodiscard]] std::string job(int id) const {
    return service_.ask(R"({"op": "job", "id": )" + std::to_string(id) + "}");
  }
  void await(int id, std::string_view text) const { service_.await_job(std::to_string(id), text); }
  // A script that runs until the test calls finish(), and ends with this status.
  static std::string until_finished(int status) {
    return "until [ -e finished ]; do sleep 0.05; done; exit " + std::to_string(status);
  }
  void finish() const { service_.scratch().write("finished", ""); }

  LiveService service_;
};

TEST_F(ClientRun, GivesTheCommandWhatItHas) {
  const Outcome outcome = run_script(
      {"--shape", "slot=1/[core=3;gpu=1]", "--duration", "1m", "--name", "a"},
      "echo $COPSE_JOBID $COPSE_NODELIST $COPSE_NNODES $COPSE_CORES $COPSE_NCORES "
      "$COPSE_GPUS $CUDA_VISIBLE_DEVICES $HIP_VISIBLE_DEVICES $OMP_NUM_THREADS \"$COPSE_R\"");
  EXPECT_EQ(outcome.errors, "");
  EXPECT_TRUE(
      matches({R"(1 node0 1 0-2 3 0 0 0 3 {"version": 1, *"core": "0-2"*)"}, outcome.output))
      << outcome.output;
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(job(1).find(R"("result": "done")"), std::string::npos) << job(1);
  EXPECT_EQ(run_script({"--shape", "slot=1/core"}, "echo $CUDA_VISIBLE_DEVICES").output, "-1\n");
}

TEST_F(ClientRun, EndsAsItsCommandDoes) {
  EXPECT_EQ(run_script({"--shape", "slot=1/core"}, "exit 3").status, 3);
  EXPECT_NE(job(1).find(R"("status": 3)"), std::string::npos) << job(1);
  EXPECT_EQ(run_script({"--shape", "slot=1/core"}, "kill -9 $$").status, 137);
  EXPECT_NE(job(2).find(R"("state": "ended")"), std::string::npos) << job(2);
  const Outcome none = service_.copse(
      {"run", "--any-host", "--quiet", "--shape", "slot=1/core", "--", "no-such-program"});
  EXPECT_EQ(none.status, 127);
  EXPECT_EQ(none.errors, "copse: can't run \"no-such-program\": No such file or directory\n");
  EXPECT_NE(job(3).find(R"("status": 127)"), std::string::npos) << job(3);
  EXPECT_EQ(service_.copse({"run", "--any-host", "--quiet", "--shape", "slot=1/core", "--", "/tmp"})
                .status,
            126);
}

TEST_F(ClientRun, TakesTheWordsBehindTheDashesAsTheyAre) {
  EXPECT_EQ(service_
                .copse({"run", "--any-host", "--shape", "slot=1/core", "--quiet", "--", "echo",
                        "--shape", "", "[a]", "--", "-h"})
                .output,
            "--shape  [a] -- -h\n");
  const Outcome none = service_.copse({"run", "--shape", "slot=1/core"});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(none.errors.starts_with("copse: a command is missing: write it after --"));
  EXPECT_EQ(service_.copse({"run", "--shape", "slot=9/node", "--", "true"}).status, 1);
}

TEST_F(ClientRun, PassesSignalsOn) {
  const Outcome outcome = shell(
      "$copse run --any-host --quiet --shape slot=1/core -- sh -c 'trap \"echo caught; exit 9\" "
      "USR1; echo > "
      "ready; "
      "while :; do sleep 0.05; done' & run=$!\n"
      "until [ -e ready ]; do sleep 0.05; done\n"
      "kill -USR1 $run; wait $run; echo $?");
  EXPECT_EQ(outcome.output, "caught\n9\n");
  EXPECT_NE(job(1).find(R"("status": 9)"), std::string::npos) << job(1);
}

TEST_F(ClientRun, CancelsWhatStillWaits) {
  service_.ask(R"({"op": "submit", "id": 1, "shape": "slot=4/node{x}"})");
  const Outcome outcome = shell(
      "$copse run --any-host --shape slot=1/core -- echo never & run=$!\n"
      "until $copse jobs 2 >/dev/null 2>&1; do sleep 0.05; done\n"
      "kill -TERM $run; wait $run; echo $?");
  EXPECT_EQ(outcome.output, "143\n") << outcome.errors;
  await(2, R"("result": "cancelled")");
}

TEST_F(ClientRun, StopsWhenItsJobIsCancelled) {
  std::jthread canceller([this] {
    await(1, R"("state": "running")");
    service_.ask(R"({"op": "cancel", "id": 1})");
  });
  EXPECT_EQ(run_script({"--shape", "slot=1/core"}, "exec sleep 600").status, 143);
  EXPECT_NE(job(1).find(R"("result": "cancelled")"), std::string::npos) << job(1);
}

TEST_F(ClientRun, GivesEverythingBackWhenItIsKilled) {
  const Outcome outcome = shell(
      "$copse run --any-host --quiet --lease 2s --shape slot=1/core -- sh -c 'echo $$ > pid; exec "
      "sleep 600' "
      "& "
      "run=$!\n"
      "until [ -s pid ]; do sleep 0.05; done\n"
      "kill -9 $run; wait $run; cat pid");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  const pid_t command = std::atoi(outcome.output.c_str());
  ASSERT_GT(command, 0) << outcome.output;
  await(1, R"("result": "lost")");
  EXPECT_TRUE(eventually([&] { return ::kill(command, 0) != 0; })) << "its command still runs";
}

// --- What the command leaves behind

// The script writes the ids of its processes to the file pids.
class RunLeaves : public ClientRun {
 protected:
  static constexpr const char* kDetached =
      "(setsid sh -c 'echo $$ >> pids; exec sleep 600' & )\n"
      "(setsid sh -c 'setsid sh -c \"echo \\$\\$ >> pids; exec sleep 600\" & ' & )\n"
      "sh -c 'echo $$ >> pids; trap \"\" TERM INT HUP; exec sleep 600' &\n"
      "until [ $(wc -l < pids) -eq 3 ]; do sleep 0.05; done\n";
  [[nodiscard]] std::vector<pid_t> processes() const {
    std::vector<pid_t> out;
    std::istringstream text(service_.scratch().read("pids"));
    for (pid_t one = 0; text >> one;) out.push_back(one);
    return out;
  }
  void expect_no_process() const {
    const std::vector<pid_t> all = processes();
    ASSERT_EQ(all.size(), 3U);
    for (const pid_t one : all) {
      EXPECT_TRUE(eventually([&] { return ::kill(one, 0) != 0; })) << one << " still runs";
    }
  }
};

TEST_F(RunLeaves, NothingWhenItsCommandEnds) {
  EXPECT_EQ(run_script({"--shape", "slot=1/core"}, std::string(kDetached) + "exit 5").status, 5);
  for (const pid_t one : processes()) EXPECT_NE(::kill(one, 0), 0) << one << " still runs";
  expect_no_process();
}

TEST_F(RunLeaves, NothingWhenItsJobIsCancelled) {
  std::jthread canceller([this] {
    EXPECT_TRUE(eventually([&] { return processes().size() == 3; }));
    service_.ask(R"({"op": "cancel", "id": 1})");
  });
  const Outcome outcome =
      run_script({"--shape", "slot=1/core"}, std::string(kDetached) + "exec sleep 600");
  EXPECT_EQ(outcome.status, 143);
  expect_no_process();
  EXPECT_NE(job(1).find(R"("result": "cancelled")"), std::string::npos) << job(1);
}

TEST_F(RunLeaves, NothingWhenItIsKilled) {
  service_.scratch().write("script", std::string(kDetached) + "exec sleep 600");
  // Of a process group, too: nobody is left to tell the keeper.
  const Outcome outcome = shell(
      "setsid $copse run --any-host --quiet --lease 2s --shape slot=1/core -- sh script &\n"
      "until [ -e pids ] && [ $(wc -l < pids) -eq 3 ]; do sleep 0.05; done\n"
      "kill -9 -$!");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  expect_no_process();
  await(1, R"("result": "lost")");
}

TEST_F(RunLeaves, NothingThatIgnoresSignals) {
  std::jthread canceller([this] {
    await(1, R"("state": "running")");
    EXPECT_TRUE(eventually([&] {
      return std::filesystem::exists(std::filesystem::path(service_.scratch().path()) / "ready");
    }));
    service_.ask(R"({"op": "cancel", "id": 1})");
  });
  const Outcome outcome = run_script({"--shape", "slot=1/core", "--grace", "1s"},
                                     "trap '' TERM; echo > ready; while :; do sleep 0.05; done");
  EXPECT_EQ(outcome.status, 137);
}

// --- Limits, and other computers

TEST_F(ClientRun, EndsWhenTheTimeOfItsJobIsOver) {
  const Outcome outcome =
      service_.copse({"run", "--any-host", "--no-binding", "--shape", "slot=1/core", "--duration",
                      "1s", "--", "sh", "-c", "sleep 600; true"});
  EXPECT_EQ(outcome.status, 143);
  EXPECT_EQ(outcome.errors, "copse: the time of job 1 is over: its command is stopped\n");
  EXPECT_NE(job(1).find(R"("status": 143)"), std::string::npos) << job(1);
}

TEST_F(ClientRun, RefusesAJobOfOtherComputers) {
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"--", "sh", "-c", "echo it runs"});
    Outcome out = service_.copse(words);
    EXPECT_EQ(out.status, 126);
    EXPECT_EQ(out.output, "");
    return out.errors;
  };
  const std::string one = refused({"--shape", "slot=1/core"});
  EXPECT_TRUE(one.starts_with("copse: job 1 got node0, not this computer (")) << one;
  EXPECT_TRUE(one.ends_with("): --any-host runs it here\n")) << one;
  EXPECT_NE(job(1).find(R"("status": 126)"), std::string::npos) << job(1);
  const std::string several = refused({"--shape", "slot=2/node{x}"});
  EXPECT_NE(several.find("job 2 got node[0-1], not this computer"), std::string::npos) << several;
}

// A machine whose hosts are these.
class ClientRunOn : public ::testing::Test {
 protected:
  void start(int nodes, const std::string& hosts) {
    const std::string ranks = nodes == 1 ? "0" : "0-" + std::to_string(nodes - 1);
    scratch_.write("r.json", R"({"version": 1, "execution": {"R_lite": [{"rank": ")" + ranks +
                                 R"(", "children": {"core": "0"}}], "nodelist": [")" + hosts +
                                 R"("], "starttime": 0, "expiration": 0}})");
    service_.emplace(std::vector<std::string>{}, (scratch_.path() / "r.json").string());
  }
  [[nodiscard]] Outcome run_on(const std::string& shape) const {
    return service_->copse(
        {"run", "--quiet", "--no-binding", "--shape", shape, "--", "sh", "-c", "echo it runs"});
  }
  Scratch scratch_;
  std::optional<LiveService> service_;
};

TEST_F(ClientRunOn, ThisComputerNeedsNoOption) {
  start(2, host_name() + ",other");
  EXPECT_EQ(run_on("slot=1/core").output, "it runs\n");
  const Outcome both = run_on("slot=2/node{x}");
  EXPECT_EQ(both.status, 126);
  EXPECT_EQ(both.errors,
            "copse: job 2 got 2 hosts, and copse run uses one: --any-host runs it here\n");
}

TEST_F(ClientRunOn, TheOnlyNodeIsThisComputer) {
  start(1, "whatever");
  EXPECT_EQ(run_on("slot=1/core").output, "it runs\n");
}

// It renews after each third of the lease, so its fourth request since the start comes after the
// first lease would have ended.
TEST_F(ClientRun, RenewsItsLease) {
  std::jthread finisher([this] {
    await(1, R"("state": "running")");
    const auto requests = [this] {
      return service_.metric(R"(copse_http_requests_total{op="batch",code="200"})");
    };
    const std::int64_t before = requests();
    EXPECT_TRUE(eventually([&] { return requests() >= before + 5; }));
    finish();
  });
  EXPECT_EQ(run_script({"--lease", "6s", "--shape", "slot=1/core"}, until_finished(5)).status, 5);
  EXPECT_NE(job(1).find(R"("result": "done")"), std::string::npos) << job(1);
}

// The command of the run that lost its nodes is stopped, and reports no end; that of the next run does.
TEST_F(ClientRun, RunsAgainWhenItsJobIsSubmittedAgain) {
  LiveService service({"--down-grace", "1s"});
  Outcome outcome;
  std::jthread runner([&] {
    outcome = service.copse(
        {"run", "--any-host", "--quiet", "--requeue", "--shape", "slot=4/node{x}", "--", "sh", "-c",
         "trap 'echo stopped; exit 3' TERM; echo run $COPSE_RESTARTS; [ $COPSE_RESTARTS = 1 ] && "
         "exit 9; while :; do sleep 0.05; done"});
  });
  service.await_job("1", R"("state": "running")");
  service.ask(R"({"op": "down", "ranks": "3"})");
  service.await_job("1", R"("restarts": 1)");
  service.await_job("1", R"("state": "pending")");
  service.ask(R"({"op": "up", "ranks": "3"})");
  runner.join();
  EXPECT_EQ(outcome.output, "run 0\nstopped\nrun 1\n") << outcome.errors;
  EXPECT_EQ(outcome.status, 9);
  service.await_job("1", R"("status": 9)");
}

TEST_F(ClientRun, GoesOnWhileTheServiceIsStartedAgain) {
  Outcome outcome;
  std::jthread runner([&] {
    outcome = run_script({"--lease", "10s", "--shape", "slot=1/core"}, until_finished(6));
  });
  await(1, R"("state": "running")");
  service_.end(SIGKILL);
  service_.start();
  service_.await_streams(1);  // its stream of events, opened again
  finish();
  runner.join();
  EXPECT_EQ(outcome.status, 6);
  EXPECT_NE(job(1).find(R"("status": 6)"), std::string::npos) << job(1) << service_.log();
}

// The service ends once the command itself runs: a `copse run` without a command would wait for the
// service to come back.
// A service that is gone for good does not leave somebody waiting without a word.
TEST_F(ClientRun, SaysThatItWaitsForAServiceThatIsGone) {
  service_.ask(R"({"op": "submit", "id": 1, "shape": "slot=4/node{x}"})");
  std::jthread ender([&] {
    await(2, R"("state": "pending")");
    service_.end(SIGKILL);
  });
  const Outcome outcome = shell(
      "$copse run --any-host --shape slot=1/core -- echo never 2> words & run=$!\n"
      "until grep -q 'does not answer' words; do sleep 0.05; done\n"
      "kill -INT $run; wait $run; echo $?; cat words");
  EXPECT_TRUE(outcome.output.starts_with("130\ncopse: the service at ")) << outcome.output;
  EXPECT_TRUE(outcome.output.ends_with(
      " does not answer: job 2 waits for it until it is back; an interrupt (Ctrl-C) ends the "
      "wait\n"))
      << outcome.output;
}

TEST_F(ClientRun, SaysThatTheServiceWasNotTold) {
  const std::filesystem::path ready = std::filesystem::path(service_.scratch().path()) / "ready";
  std::jthread ender([&] {
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(ready); }));
    service_.end(SIGKILL);
    finish();
  });
  const Outcome alone =
      service_.copse({"run", "--any-host", "--no-binding", "--shape", "slot=1/core", "--", "sh",
                      "-c", "echo > ready; " + until_finished(7)});
  EXPECT_EQ(alone.status, 7);
  EXPECT_NE(alone.errors.find("the end of job "), std::string::npos) << alone.errors;
}

// --- Places

constexpr std::string_view kR =
    R"({"version": 1, "execution": {"R_lite": [{"rank": "2", "children": {"core": "4-5"}},)"
    R"( {"rank": "0-1", "children": {"core": "0-3", "gpu": "1"}}], "nodelist": ["n[0-2]"],)"
    R"( "starttime": 0, "expiration": 0}})";

TEST(JobPlaces, AreThoseOfTheHost) {
  const auto third = place_of(kR, "n2.example.org");
  ASSERT_TRUE(third.has_value());
  EXPECT_EQ(third->host, "n2");
  EXPECT_EQ(third->cores.text(), "4-5");
  EXPECT_TRUE(third->gpus.empty());
  EXPECT_TRUE(third->is_here);
  EXPECT_EQ(third->nodes, 3);
  EXPECT_EQ(third->nodelist, "n[0-2]");
  const auto second = place_of(kR, "n1");
  EXPECT_EQ(second->host, "n1");
  EXPECT_EQ(second->gpus.text(), "1");
  const auto elsewhere = place_of(kR, "other");
  EXPECT_FALSE(elsewhere->is_here);
  EXPECT_EQ(elsewhere->host, "n0");
  EXPECT_EQ(elsewhere->end_s, 0);
  EXPECT_TRUE(place_of("null", "n0")->cores.empty());
  EXPECT_FALSE(place_of("{}", "n0").has_value());
}

TEST(JobPlaces, HaveProcessors) {
  Idset first, far;
  first.add(0);
  far.add(100'000);
  const auto processors = processors_of(first);
  ASSERT_TRUE(processors.has_value()) << processors.error().message();
  EXPECT_FALSE(processors->empty());
  EXPECT_FALSE(processors_of(far).has_value());
}

}  // namespace
}  // namespace copse
