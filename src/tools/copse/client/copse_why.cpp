// SPDX-License-Identifier: Apache-2.0
//
// copse why, copse when: why a job of a service waits, and when it starts.
#include <chrono>
#include <memory>
#include <thread>

#include "host/clock/real_clock.hpp"
#include "text/printable.hpp"
#include "tools/copse/client/client_commands.hpp"
#include "tools/copse/client/service/service_client.hpp"
#include "tools/copse/client/why_words.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

struct WhyOptions {
  ClientOptions client;
  std::int64_t id = 0;
  bool whole = false;
};

// The service forecasts in slices of work: an early answer may ask to repeat the request.
Result<ServiceAnswer> ask_until_known(const ServiceClient& service, const std::string& line) {
  constexpr int kTimes = 100;
  constexpr auto kPause = std::chrono::milliseconds(50);
  for (int i = 0;; ++i) {
    auto answer = service.ask(line);
    if (!answer || i == kTimes || !answer->top().is_true("searching")) return answer;
    std::this_thread::sleep_for(kPause);
  }
}

int run_client_why(const WhyOptions& o, bool when) {
  const auto service = ServiceClient::of(o.client);
  if (!service) return unusable(service.error());
  if (!o.client.json) {
    const auto job = service->ask(job_line("job", o.id));
    if (!job) return not_served(job.error());
    if (const std::string past = past_words(job->top()); !past.empty()) return write_words(past);
  }
  // `why` has the answer of `when`, too, once the service has forecast it.
  const auto start = ask_until_known(*service, job_line("when", o.id));
  if (!start) return not_served(start.error());
  if (when) {
    return o.client.json ? write_line(start->text) : write_words(when_words(start->top()));
  }
  const auto why = service->ask(job_line("why", o.id));
  if (!why) return not_served(why.error());
  return o.client.json ? write_line(why->text)
                       : write_words(why_words(why->top(), real_time_s(), o.whole));
}

void add_question(CommandLine& line, const char* name, const std::string& about, bool when) {
  auto o = std::make_shared<WhyOptions>();
  CommandLine sub = line.command(name, about, std::string("Examples:\n  copse ") + name + " 7",
                                 [o, when] { return run_client_why(*o, when); });
  sub.option("job", o->id, "the id of the job").not_negative().unit("ID").required();
  if (!when) {
    sub.flag("--long", o->whole,
             "the whole sentence: all numbers, and the jobs that have the rest");
  }
  add_client_options(sub, o->client);
}

}  // namespace

void add_why(CommandLine& line) {
  add_question(line, "why", "Explain why a job of a service waits, and what would help", false);
  add_question(line, "when", "Show when a job of a service starts, if nothing else happens", true);
}

}  // namespace copse
