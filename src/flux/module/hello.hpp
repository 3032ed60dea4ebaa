// SPDX-License-Identifier: Apache-2.0
//
// Hello: asks the job manager which jobs have resources already (RFC 27), and the KVS for what each
// of them has. The job manager says all of them at once; what they have is asked for a few at one
// time, as each answer that waits makes the others slower.
//
// Cost: two messages a job.
#pragma once

#include <flux/core.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/idset.hpp"
#include "copse/error.hpp"
#include "flux/messages.hpp"

namespace copse::flux {

class Hello {
 public:
  struct Options {
    bool partial = true;    // jobs that housekeeping has given back in part are told, too
    bool jobspecs = false;  // HelloJob::jobspec is filled in
  };
  using Tell = std::function<Result<void>(const HelloJob&)>;
  using Over = std::function<void(Result<void>)>;
  // From the reactor, `tell` is called for each job, then `over` once; that may destroy this. A job
  // that `tell` refuses gets an exception, as Flux asks for. Errors: io (the job manager refuses).
  Hello(flux_t* h, Options options, Tell tell, Over over)
      : h_(h), options_(options), tell_(std::move(tell)), over_(std::move(over)) {}
  ~Hello();
  Hello(const Hello&) = delete;
  Hello& operator=(const Hello&) = delete;

  [[nodiscard]] Result<void> start();  // errors: io

 private:
  static constexpr std::size_t kAtOneTime = 64;
  struct Job {
    HelloJob of{};
    flux_future_t* r = nullptr;
    flux_future_t* jobspec = nullptr;
  };

  void said() noexcept;
  void add(const HelloJob& job);
  void look_up();
  flux_future_t* ask(JobId job, const char* key);
  void found(flux_future_t* future) noexcept;
  void tell(Job& job);
  void raise(JobId job, const std::string& why);
  void end_if_over();
  void end(Result<void> result);

  flux_t* const h_;
  const Options options_;
  Tell tell_;
  Over over_;
  flux_future_t* jobs_ = nullptr;  // the job manager's answers
  bool all_said_ = false;
  std::deque<HelloJob> waiting_{};
  std::unordered_map<JobId, Job> asked_{};
  std::unordered_map<flux_future_t*, JobId> whose_{};
};

// What comes after it (RFC 27): from now on the job manager sends requests, `mode` of them at one
// time: "unlimited", or "limited=N". Waits for its answer. Errors: io.
[[nodiscard]] Result<void> say_ready(flux_t* h, const std::string& mode);

}  // namespace copse::flux
