// SPDX-License-Identifier: Apache-2.0
//
// The program `copse serve` with jobs, killed with SIGKILL: no job that was answered is lost, none
// starts twice, and what comes next is answered as if nothing had happened. COPSE_SEEDS: times as many
// kills.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "journal/temporary_folder.hpp"
#include "paths.hpp"
#include "serving.hpp"

namespace copse::server {
namespace {

std::string desk_machine() { return source_dir() + "/examples/machines/desk.graphml"; }

std::uint64_t number_at(const std::string& line, std::string_view key) {
  const std::size_t at = line.find(key);
  return at == std::string::npos ? 0 : std::strtoull(&line[at + key.size()], nullptr, 10);
}

// Ends what starts. It goes on where it was when the service is there again.
class JobRunner {
 public:
  std::set<std::uint64_t> started{}, ended{};  // ended: the service has said so

  void run(const Serving& serving) {
    const auto socket = serving.connect();
    if (socket == nullptr) return;
    std::vector<std::uint64_t> asked;  // ends that are not answered
    std::size_t answered = 0;
    (void)socket->send(fmt::format("{{\"op\": \"watch\", \"since\": {}}}\n", next_));
    EXPECT_EQ(socket->line().find("error"), std::string::npos);
    for (;;) {
      const std::string line = socket->line();
      if (line.empty()) return;
      if (!line.starts_with("{\"seq\": ")) {
        // Refused, if the job ended while no client received its events.
        if (answered < asked.size() && line == "{}") ended.insert(asked[answered]);
        ++answered;
        continue;
      }
      EXPECT_EQ(number_at(line, "{\"seq\": "), next_) << line;
      ++next_;
      if (line.find("\"event\": \"start\"") == std::string::npos) continue;
      const std::uint64_t job = number_at(line, "\"job\": ");
      EXPECT_TRUE(started.insert(job).second) << line;
      asked.push_back(job);
      (void)socket->send(fmt::format("{{\"op\": \"end\", \"id\": {}}}\n", job));
    }
  }

 private:
  std::uint64_t next_ = 0;
};

// Of jobs that started, and whose end was not answered, the executor tells again that they ended.
void end_what_runs(LineSocket& socket) {
  const std::string text = socket.ask(R"({"op": "jobs", "state": "running", "limit": 10000})");
  for (std::size_t at = 0; (at = text.find("{\"id\": ", at)) != std::string::npos; ++at) {
    const std::string line =
        fmt::format(R"({{"op": "end", "id": {}}})", number_at(text.substr(at, 40), "{\"id\": "));
    EXPECT_EQ(socket.ask(line), "{}") << line;
  }
}

TEST(ServeKilled, JobsThatWereAnsweredAreThereAgain) {
  const char* seeds = std::getenv("COPSE_SEEDS");
  const int kills = 5 * (seeds == nullptr ? 1 : std::max(1, std::atoi(seeds)));
  const journal::TemporaryFolder folder;
  std::mt19937_64 random(1);
  std::set<std::uint64_t> submitted;
  JobRunner runner;
  for (int i = 0; i <= kills; ++i) {
    Serving serving(folder.path().string(), desk_machine());
    const auto socket = serving.connect();
    ASSERT_NE(socket, nullptr);
    const std::string all = socket->ask(R"({"op": "jobs", "state": "all", "limit": 10000})");
    for (const std::uint64_t id : submitted) {
      const std::string key = fmt::format("{{\"id\": {}, ", id);
      const std::size_t at = all.find(key);
      ASSERT_NE(at, std::string::npos) << "kill " << i << ": job " << id << " is lost\n" << all;
      EXPECT_EQ(all.find(key, at + 1), std::string::npos) << "job " << id << " is there twice";
      if (runner.ended.contains(id)) {
        EXPECT_EQ(all.compare(at + key.size(), 16, R"("state": "ended")"), 0)
            << all.substr(at, 200);
      }
    }
    if (i == kills || HasFailure()) break;
    end_what_runs(*socket);
    std::jthread executor([&] { runner.run(serving); });
    RequestCount count;
    std::jthread killer([&serving, &count, at = static_cast<int>(random() % 200)] {
      count.wait_for(at);
      serving.kill(SIGKILL);
    });
    for (int asked = 0; asked < 300; ++asked, count.add()) {
      const std::string got = socket->ask(fmt::format(
          R"({{"op": "submit", "shape": "slot=1/core={}", "duration": 0}})", 1 + random() % 4));
      if (got.empty()) break;
      const std::uint64_t id = number_at(got, "{\"id\": ");
      EXPECT_TRUE(id > 0 && submitted.insert(id).second) << got;
    }
  }
  EXPECT_GT(runner.started.size(), 0U);
}

// Requests without times: nothing depends on when they are asked.
class TimelessRequests {
 public:
  std::string next() {
    const std::uint64_t id = 1 + below(last_ + 1);
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
        ++last_;
        return fmt::format(R"({{"op": "submit", "shape": "slot={}/core={}", "duration": 0}})",
                           1 + below(3), 1 + below(3));
      case 4:
      case 5:
      case 6: return of("end", id);
      case 7: return of("cancel", id);
      case 8: return of("hold", id);
      case 9: return of("release", id);
      case 10:
        return fmt::format(R"({{"op": "priority", "id": {}, "priority": {}}})", id, below(3));
      case 11:
        return fmt::format(R"({{"op": "alloc", "id": {}, "shape": "slot=1/core", "duration": 0}})",
                           1'000'000 + below(6));
      case 12: return of("free", 1'000'000 + below(6));
      case 13:
        return fmt::format(R"({{"op": "{}", "ranks": "{}"}})", below(3) == 0 ? "down" : "up",
                           below(4));
      case 14: return R"({"op": "jobs", "state": "all", "limit": 10000})";
      default: return R"({"op": "info"})";
    }
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  static std::string of(std::string_view op, std::uint64_t id) {
    return fmt::format(R"({{"op": "{}", "id": {}}})", op, id);
  }
  std::mt19937_64 random_{1};
  std::uint64_t last_ = 0;
};

// Numbers of ten digits are times of the computer.
std::string without_times(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end - at == 10) out += 'T';
    if (end - at != 10) out += text.substr(at, end - at);
    if (end < text.size()) out += text[end];
    at = end + 1;
  }
  return out;
}

TEST(ServeKilled, AnswersTheNextThousandRequestsAsOneThatWasNot) {
  const journal::TemporaryFolder folder, other;
  Serving calm(other.path().string(), desk_machine());
  const auto expected = calm.connect();
  ASSERT_NE(expected, nullptr);
  TimelessRequests requests;
  {
    Serving first(folder.path().string(), desk_machine());
    const auto socket = first.connect();
    ASSERT_NE(socket, nullptr);
    for (int i = 0; i < 300; ++i) {
      const std::string line = requests.next();
      ASSERT_EQ(without_times(socket->ask(line)), without_times(expected->ask(line))) << line;
    }
    first.kill(SIGKILL);
  }
  Serving again(folder.path().string(), desk_machine());
  const auto socket = again.connect();
  ASSERT_NE(socket, nullptr);
  for (int i = 0; i < 1'000; ++i) {
    const std::string line = requests.next();
    ASSERT_EQ(without_times(socket->ask(line)), without_times(expected->ask(line)))
        << i << ": " << line;
  }
}

}  // namespace
}  // namespace copse::server
