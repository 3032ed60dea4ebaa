// SPDX-License-Identifier: Apache-2.0
//
// FluxionResource: what Fluxion's module sched-fluxion-resource answers, over an engine, without
// Flux. `flux ion-resource` and Fluxion's qmanager ask it (the names of requests are theirs).
//
//   FluxionResource resource(engine, options, load_s, now_s);
//   resource.advance(now_s);                          // before each request
//   auto matched = resource.match("allocate", 7, jobspec);
//
// Alone it keeps the books of its jobs: what a job got it has until it is cancelled, also beyond
// its end; reservations in the way of that are cancelled. Beside a Scheduler on the same engine
// (serve_beside), its jobs are booked with the scheduler as jobs that run, and it cannot reserve.
//
// Refusals have the errno that Fluxion's have. Thread safety: none. Costs: those of the engine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "flux/fluxion/fluxion_pools.hpp"
#include "flux/fluxion/match_statistics.hpp"
#include "flux/fluxion/resource_options.hpp"
#include "flux/fluxion/rpc_error.hpp"
#include "flux/scheduler.hpp"

namespace copse::flux {

class FluxionResource {
 public:
  FluxionResource(std::shared_ptr<Engine> engine, ResourceOptions options, double load_s,
                  std::int64_t now_s);

  // A scheduler comes: the engine is to have no grants. What jobs have now is kept aside.
  void release();
  // From now on jobs are booked with the scheduler; nullptr: with the engine again. What jobs have
  // stays theirs. REQUIRES release() before, unless nullptr.
  void serve_beside(Scheduler* scheduler);
  [[nodiscard]] Engine& engine() { return *engine_; }
  [[nodiscard]] const std::shared_ptr<Engine>& shared_engine() const { return engine_; }
  [[nodiscard]] const ResourceOptions& options() const { return options_; }

  // --- Time
  void advance(std::int64_t now_s);

  // --- Jobs
  struct Matched {
    std::int64_t job = 0;
    const char* status = "";  // ALLOCATED, RESERVED, MATCHED
    double overhead_s = 0;
    std::string r;
    std::int64_t at_s = 0;
  };
  // A reservation that the job has is given up first. EINVAL (the job has something; an unknown
  // command; no jobspec), EBUSY, ENODEV.
  [[nodiscard]] RpcResult<Matched> match(std::string_view command, std::int64_t job,
                                         std::string_view jobspec);
  // Books what R says; a job that has the same already is answered as it was. EINVAL.
  [[nodiscard]] RpcResult<Matched> update(std::int64_t job, std::string_view r);
  [[nodiscard]] RpcResult<void> cancel(std::int64_t job);  // ENOENT
  // True if the job has nothing left. ENOENT (it has no allocation), EINVAL.
  [[nodiscard]] RpcResult<bool> partial_cancel(std::int64_t job, std::string_view r);
  [[nodiscard]] RpcResult<Matched> info(std::int64_t job) const;  // ENOENT
  [[nodiscard]] std::int64_t next_job() const;
  // ENODEV; EINVAL with the parser's text.
  [[nodiscard]] RpcResult<void> feasible(std::string_view jobspec);

  // --- Answers
  [[nodiscard]] std::string stats() const;
  void clear_stats();
  [[nodiscard]] FluxionPools& pools() { return pools_; }

 private:
  struct Job {
    JobId grant = 0;  // the number of its grant
    Matched matched;
    std::vector<PoolId> pools{};  // kept aside: what it has, and until when
    std::int64_t end_s = 0;
  };
  [[nodiscard]] RpcResult<Matched> booked(std::int64_t job, Matched matched, JobId grant);
  [[nodiscard]] RpcResult<Matched> book(Operation operation, std::int64_t job,
                                        PreparedRequest& request);
  [[nodiscard]] RpcResult<Matched> book_r(std::int64_t job, std::string_view r);
  [[nodiscard]] std::string text_of(const Selection& selection, std::int64_t start_s,
                                    std::int64_t end_s, std::string_view queue) const;
  [[nodiscard]] bool has_same(const Job& job, std::string_view r) const;
  void give_back(const Job& job);
  [[nodiscard]] bool leave_reservation(std::int64_t job);
  void run_on(std::int64_t until_s);

  std::shared_ptr<Engine> engine_;
  ResourceOptions options_;
  FluxionPools pools_;
  Scheduler* scheduler_ = nullptr;
  std::map<std::int64_t, Job> jobs_;
  double load_s_;
  std::int64_t began_s_, cleared_s_;
  MatchStatistics succeeded_, failed_;
};

}  // namespace copse::flux
