// SPDX-License-Identifier: Apache-2.0
//
// Hello: requests the running jobs from the job manager (RFC 27), and the R of each from the KVS. The
// job manager sends all jobs at once. From then until it knows that the scheduler is ready, it drops
// what jobs free: so that is to be said before the R of each job is read. The KVS gets a few requests at a time, because each pending
// request slows down the others.
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
    bool partial = true;    // also report jobs with ranks that housekeeping has freed
    bool jobspecs = false;  // fill in HelloJob::jobspec
    bool resources = true;  // fill in HelloJob::r
  };
  using Report = std::function<Result<void>(const HelloJob&)>;
  using Listed = std::function<Result<void>()>;
  using Done = std::function<void(Result<void>)>;
  // The reactor calls `listed` once the job manager has named all jobs, `report` for each job, then
  // `done` once, which may destroy this. If `report` fails, an exception is raised for the job
  // (RFC 27). Errors passed to `done`: io, and those of `listed`.
  Hello(flux_t* h, Options options, Listed listed, Report report, Done done)
      : h_(h),
        options_(options),
        listed_(std::move(listed)),
        report_(std::move(report)),
        done_(std::move(done)) {}
  ~Hello();
  Hello(const Hello&) = delete;
  Hello& operator=(const Hello&) = delete;

  [[nodiscard]] Result<void> start();  // errors: io

 private:
  static constexpr std::size_t kPendingMax = 64;
  struct Job {
    HelloJob of{};
    flux_future_t* r = nullptr;
    flux_future_t* jobspec = nullptr;
  };

  void receive_job() noexcept;
  void add(const HelloJob& job);
  void look_up();
  flux_future_t* request(JobId job, const char* key);
  void receive_text(flux_future_t* future) noexcept;
  void report(Job& job);
  void raise(JobId job, const std::string& why);
  void end_if_done();
  void end(Result<void> result);

  flux_t* const h_;
  const Options options_;
  Listed listed_;
  Report report_;
  Done done_;
  flux_future_t* jobs_ = nullptr;  // the job manager's answers
  bool has_all_jobs_ = false;
  std::deque<HelloJob> waiting_{};
  std::unordered_map<JobId, Job> pending_{};
  std::unordered_map<flux_future_t*, JobId> job_of_{};
};

// Tells the job manager to send alloc requests (RFC 27), as many at a time as `mode` says: "unlimited"
// or "limited=N". Waits for the answer. Errors: io.
[[nodiscard]] Result<void> send_ready(flux_t* h, const std::string& mode);

}  // namespace copse::flux
