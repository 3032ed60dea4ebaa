// SPDX-License-Identifier: Apache-2.0
//
// copse run: a command with resources of a service while it runs.
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/clock/real_clock.hpp"
#include "host/host_name.hpp"
#include "tools/copse/client/client_commands.hpp"
#include "tools/copse/client/request_words.hpp"
#include "tools/copse/client/run/child_process.hpp"
#include "tools/copse/client/run/job_lease.hpp"
#include "tools/copse/client/run/job_place.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

constexpr std::int64_t kGrace_s = 30;
constexpr auto kSilence = std::chrono::seconds(5);  // of the service, before a waiting job says so

struct RunOptions {
  ClientOptions client;
  RequestWords request;
  JobWords job{.lease_s = 30};
  std::vector<std::string> command;
  std::int64_t grace_s = kGrace_s;  // between SIGTERM and SIGKILL
  bool unbound = false, quiet = false, any_host = false;
};

// Signals, read from a descriptor: while it exists, they have no other effect.
class Signals {
 public:
  Signals() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD}) {
      ::sigaddset(&set, one);
    }
    ::sigprocmask(SIG_BLOCK, &set, &before_);
    (void)::signal(SIGCHLD, SIG_DFL);  // if it is ignored, ends of children are not reported
    number_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~Signals() {
    ::close(number_);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  [[nodiscard]] int descriptor() const { return number_; }
  // The next one; none: there is none yet.
  struct Signal {
    int number = 0;
    bool of_terminal = false;  // from a key: all processes in the foreground have received it
  };
  [[nodiscard]] std::optional<Signal> next() const {
    signalfd_siginfo facts{};
    if (::read(number_, &facts, sizeof(facts)) != sizeof(facts)) return std::nullopt;
    return Signal{static_cast<int>(facts.ssi_signo), facts.ssi_code == SI_KERNEL};
  }

 private:
  sigset_t before_{};
  int number_ = -1;
};

class Run {
 public:
  Run(const RunOptions& options, const Signals& signals, const ServiceClient& service,
      LeasedJob job)
      : o_(options), signals_(signals), service_(service), job_(std::move(job)) {}

  int until_the_end() {
    for (;;) {
      std::array<pollfd, 2> ready{
          {{signals_.descriptor(), POLLIN, 0}, {job_.descriptor(), POLLIN, 0}}};
      (void)::poll(ready.data(), ready.size(), wait_ms());
      while (const auto signal = signals_.next()) take(*signal);
      const bool there = (ready[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
      if (job_.descriptor() >= 0 && (there || job_.has_pending())) take(job_.hear());
      take(job_.tick());
      note_silence();
      if (limit_at_ && Clock::now() >= *limit_at_ && child_) stop_at_limit();
      if (kill_at_ && Clock::now() >= *kill_at_ && child_) child_->send_all(SIGKILL);
      if (child_ && child_->status()) {
        if (!requeued_) return end(*child_->status());
        run_again();
      }
      if (result_) return *result_;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] int wait_ms() const {
    int out = job_.wait_ms();
    const auto at_most = [&out](std::int64_t ms) {
      constexpr std::int64_t kMost = 60'000;
      const auto bounded = static_cast<int>(std::clamp<std::int64_t>(ms, 0, kMost));
      out = out < 0 ? bounded : std::min(out, bounded);
    };
    constexpr int kLook = 100;
    if (kill_at_) at_most(kLook);
    if (limit_at_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*limit_at_ - Clock::now());
      at_most(left.count());
    }
    return out;
  }

  // A service that is started again is back soon. One that is not leaves a waiting job waiting.
  void note_silence() {
    if (job_.descriptor() >= 0) {
      if (silence_noted_) warn("the service answers again");
      silent_since_.reset();
      silence_noted_ = false;
      return;
    }
    if (!silent_since_) silent_since_ = Clock::now();
    if (child_ || silence_noted_ || Clock::now() - *silent_since_ < kSilence) return;
    silence_noted_ = true;
    warn(
        fmt::format("the service at {} does not answer: job {} waits for it until it is back; an "
                    "interrupt (Ctrl-C) ends the wait",
                    service_.address().name, job_.id()));
  }

  // All of its processes get SIGTERM, and SIGKILL after the grace.
  void stop() {
    limit_at_.reset();
    child_->send_all(SIGTERM);
    kill_at_ = Clock::now() + std::chrono::seconds(o_.grace_s);
  }

  void stop_at_limit() {
    warn(fmt::format("the time of job {} is over: its command is stopped", job_.id()));
    stop();
  }

  void take(const Signals::Signal& signal) {
    if (signal.number == SIGCHLD) return;
    if (child_) {
      if (!signal.of_terminal) child_->send(signal.number);
      return;
    }
    if (signal.number == SIGUSR1 || signal.number == SIGUSR2) return;
    (void)job_.cancel();
    result_ = 128 + signal.number;
  }

  void take(const LeasedJob::News& news) {
    if (result_) return;  // it has ended, with this result
    if (news.ended && !child_) {
      result_ = unusable(
          {ErrorCode::invalid, fmt::format("job {} does not run: {}", job_.id(), news.ending), {}});
      return;
    }
    if (news.requeued && child_ && !requeued_) {
      warn(
          fmt::format("job {} has lost its nodes: its command is stopped, and runs again when the "
                      "job starts",
                      job_.id()));
      requeued_ = true;
      if (!kill_at_) stop();
    }
    if (requeued_) {  // until its command has ended
      if (news.requeued) next_r_.reset();
      if (news.started) next_r_ = news.r;
      if (news.ended) requeued_ = false, lost_ = true;
      return;
    }
    if (news.started && !child_) start(news.r);
    if (!child_ || kill_at_) return;
    if (news.ended) {
      (void)unusable(
          {ErrorCode::invalid,
           fmt::format("job {} has ended ({}): its command is killed", job_.id(), news.ending),
           {}});
      child_->send_all(SIGKILL);
      kill_at_ = Clock::now();
      limit_at_.reset();
      lost_ = true;
    } else if (news.stop) {
      stop();
    }
  }

  // The command of a run that lost its nodes has ended.
  void run_again() {
    child_.reset();
    kill_at_.reset();
    limit_at_.reset();
    requeued_ = false;
    if (const auto r = std::exchange(next_r_, {})) start(*r);
  }

  void start(const std::string& r) {
    auto place = place_of(r, host_name());
    if (!place) return give_up(ChildProcess::kNoProgram, place.error());
    if (auto ok = check_host(*place); !ok) return give_up(ChildProcess::kNoProgram, ok.error());
    std::vector<unsigned> processors;
    if (!o_.unbound && place->is_here && !place->cores.empty()) {
      auto found = processors_of(place->cores);
      found ? void(processors = std::move(*found))
            : warn("the command is not bound to its cores: " + found.error().message());
    }
    Variables variables = variables_of(*place, job_.id(), r, server_name());
    variables.emplace_back("COPSE_RESTARTS", std::to_string(job_.restarts()));
    if (const std::string& ca = service_.address().ca; !ca.empty()) {
      variables.emplace_back("COPSE_CA", std::filesystem::absolute(ca).string());
    }
    auto child = ChildProcess::start(o_.command, variables, processors);
    if (!child) {
      const bool found = child.error().code != ErrorCode::not_found;
      return give_up(found ? ChildProcess::kNoProgram : ChildProcess::kNotFound, child.error());
    }
    child_.emplace(std::move(*child));
    if (place->end_s <= 0) return;
    const std::int64_t left_s = std::max<std::int64_t>(place->end_s - real_time_s(), 0);
    constexpr std::int64_t kMost_s = 100LL * 366 * 86'400;
    if (left_s < kMost_s) limit_at_ = Clock::now() + std::chrono::seconds(left_s);
  }

  // The only node of a machine is this computer, whatever its name. Errors: invalid.
  [[nodiscard]] Result<void> check_host(JobPlace& place) const {
    if (!place.is_here && place.nodes == 1) place.is_here = machine_has_one_node();
    if (o_.any_host || (place.is_here && place.nodes <= 1)) return {};
    if (!place.is_here) {
      return fail(ErrorCode::invalid,
                  fmt::format("job {} got {}, not this computer ({}): --any-host runs it here",
                              job_.id(), place.nodelist, host_name()));
    }
    return fail(ErrorCode::invalid,
                fmt::format("job {} got {} hosts, and copse run uses one: --any-host runs it here",
                            job_.id(), place.nodes));
  }

  [[nodiscard]] bool machine_has_one_node() const {
    const auto machine = service_.get("/v1/machine");
    return machine && machine->top().number("nodes") == 1;
  }

  // Its command may change the folder.
  [[nodiscard]] std::string server_name() const {
    const ServiceAddress& address = service_.address();
    return address.path.empty() ? address.name : std::filesystem::absolute(address.path).string();
  }

  void warn(const std::string& text) const {
    if (!o_.quiet) write_error("copse: " + text + "\n");
  }

  void give_up(int status, const Error& error) {
    (void)unusable(error);
    result_ = end(status);
  }

  // A job that has ended is not reported again.
  int end(int status) {
    if (lost_) return status;
    if (auto reported = job_.end(status); !reported) {
      warn(fmt::format("the end of job {} can't be reported; its lease ends it: {}", job_.id(),
                       reported.error().message()));
    }
    return status;
  }

  const RunOptions& o_;
  const Signals& signals_;
  const ServiceClient& service_;
  LeasedJob job_;
  std::optional<ChildProcess> child_{};
  std::optional<int> result_{};
  std::optional<Clock::time_point> limit_at_{}, kill_at_{};
  std::optional<Clock::time_point> silent_since_{};  // the service
  bool silence_noted_ = false;
  bool lost_ = false;
  bool requeued_ = false;                // and the command of the run before is being stopped
  std::optional<std::string> next_r_{};  // of the run that has started meanwhile
};

int run_run(RunOptions o) {
  if (o.command.empty()) {
    return unusable({ErrorCode::invalid,
                     "a command is missing: write it after --, as in copse run --shape slot=1/core "
                     "-- ./simulate (see copse run --help)",
                     {}});
  }
  Result<void> written;
  if (o.job.name.empty()) o.job.name = o.command.front().substr(o.command.front().rfind('/') + 1);
  const std::string line = object_text([&](JsonWriter& json) {
    json.member("op", "submit");
    written = write_request(json, o.request);
    write_job_words(json, o.job);
  });
  if (!written) return unusable(written.error());
  const auto service = ServiceClient::of(o.client);
  if (!service) return unusable(service.error());
  const Signals signals;  // before the submission, so that no signal leaves a job behind
  auto job = LeasedJob::submit(*service, line, o.job.lease_s);
  if (!job) return not_served(job.error());
  return Run(o, signals, *service, std::move(*job)).until_the_end();
}

}  // namespace

void add_run(CommandLine& line) {
  auto o = std::make_shared<RunOptions>();
  CommandLine sub = line.command(
      "run", "Run a command on this computer with resources of a service",
      "The job waits in the queue. copse run then sets COPSE_… and CUDA_VISIBLE_DEVICES, binds the "
      "command to its cores, forwards signals, and releases all resources at the end. The command "
      "ends at the end of the job's time. All processes that it started end with it, also if copse "
      "run is killed; the lease then ends the job. A job that got other hosts than this computer "
      "is "
      "refused.\n"
      "Exit status: that of the command; 126 or 127 if it can't be run; 1 if the "
      "request can never be met; 2 if the service refuses it.\n"
      "Examples:\n"
      "  copse run --shape 'slot=1/[core=4;gpu=1]' --duration 1h -- ./train "
      "--epochs 10\n"
      "  copse run job.yaml -- make -j4",
      [o] { return run_run(*o); });
  add_request_options(sub, o->request);
  add_job_options(sub, o->job);
  sub.duration("--lease", o->job.lease_s, 0,
               "if this program is killed, release its resources after this time (default: 30 "
               "s; inf: never)");
  sub.duration("--grace", o->grace_s, 0,
               "between SIGTERM and SIGKILL, when the job is cancelled or its time is over "
               "(default: 30 s)");
  sub.flag("--requeue", o->job.requeue,
           "run the command again if its job loses its nodes, once it has others");
  sub.flag("--any-host", o->any_host,
           "run the command here even if the job got other hosts, or several");
  sub.flag("--no-binding", o->unbound, "let the command use all cores");
  sub.flag("--quiet", o->quiet, "write no warnings");
  add_client_options(sub, o->client, "");
  sub.after_dashes(o->command);
}

}  // namespace copse
