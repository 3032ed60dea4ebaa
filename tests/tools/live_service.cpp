// SPDX-License-Identifier: Apache-2.0
#include "tools/live_service.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "base/eventually.hpp"
#include "server/http_socket.hpp"
#include "server/line_socket.hpp"

namespace copse {

LiveService::LiveService(std::vector<std::string> more, std::string machine)
    : more_(std::move(more)), machine_(std::move(machine)) {
  start();
}

LiveService::~LiveService() { end(SIGKILL); }

void LiveService::start() {
  std::vector<std::string> words{program("copse"), "serve", "-L",       machine_, "-P", "low",
                                 "--state",        state(), "--socket", socket()};
  words.insert(words.end(), more_.begin(), more_.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string folder = scratch_.path().string(), log = folder + "/log";
  process_ = ::fork();
  if (process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int file = ::open(log.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(file, stream);
    if (::chdir(folder.c_str()) == 0) ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  // Its first answer means that it listens on all sockets, and has logged where.
  const bool answers = eventually([&] {
    server::LineSocket asking(socket());
    return asking.connected() && !asking.ask(R"({"op": "status"})").empty();
  });
  if (!answers) throw std::runtime_error("no service listens: " + this->log());
}

void LiveService::tell(int signal) const { ::kill(process_, signal); }

void LiveService::end(int signal) {
  if (process_ <= 0) return;
  ::kill(process_, signal);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::string LiveService::url() const {
  const std::string said = log();
  constexpr std::string_view kBefore = "listening at http";
  const std::size_t found = said.find(kBefore);
  if (found == std::string::npos) return "";
  const std::size_t at = found + kBefore.size() - 4;
  return said.substr(at, said.find('\n', at) - at);
}

Outcome LiveService::copse(const std::vector<std::string>& words,
                           const std::vector<std::string>& environment,
                           std::string_view input) const {
  std::vector<std::string> all{"/usr/bin/env", "COPSE_SERVER=" + socket()};
  all.insert(all.end(), environment.begin(), environment.end());
  all.push_back(program("copse"));
  all.insert(all.end(), words.begin(), words.end());
  return run({.words = std::move(all), .input = input, .folder = scratch_.path()});
}

std::string LiveService::ask(std::string_view line) const {
  return server::LineSocket(socket()).ask(line);
}

std::int64_t LiveService::metric(std::string_view name) const {
  const std::string text = server::HttpSocket(socket()).ask("GET", "/v1/metrics").body;
  const std::string before = "\n" + std::string(name) + ' ';
  const std::size_t at = text.find(before);
  return at == std::string::npos ? 0 : std::atoll(&text[at + before.size()]);
}

void LiveService::await_job(std::string_view id, std::string_view text) const {
  std::string job;
  const auto has_text = [&] {
    job = ask(R"({"op": "job", "id": )" + std::string(id) + "}");
    return job.find(text) != std::string::npos;
  };
  EXPECT_TRUE(eventually(has_text)) << text << " is not in " << job;
}

std::int64_t LiveService::streams_opened() const {
  return metric(R"(copse_http_requests_total{op="events",code="200"})");
}

void LiveService::await_streams(std::int64_t count) const {
  EXPECT_TRUE(eventually([&] { return streams_opened() >= count; }));
}

const LiveService& service_with_jobs() {
  static const LiveService kService;
  static const bool kHasJobs = [] {
    const std::string most = R"("shape": "slot=3/node{x}"})", all = R"("shape": "slot=4/node{x}"})";
    const auto ask = [](const std::string& line) {
      if (kService.ask(line).find("error") != std::string::npos) throw std::runtime_error(line);
    };
    ask(R"({"op": "submit", "id": 1, "shape": "slot=1/core"})");
    ask(R"({"op": "end", "id": 1})");
    ask(R"({"op": "submit", "id": 2, "duration": "1h", )" + most);
    ask(R"({"op": "submit", "id": 3, "duration": "1h", )" + all);
    ask(R"({"op": "submit", "id": 4, "held": true, )" + all);
    ask(R"({"op": "submit", "id": 5, "duration": "30m", "shape": "slot=1/core"})");
    ask(R"({"op": "add-reservation", "reservation": {"name": "course", "nodes": "node1", )"
        R"("start": "2033-02-01", "duration": "1h"}})");
    return true;
  }();
  if (!kHasJobs) throw std::runtime_error("no jobs");
  return kService;
}

}  // namespace copse
