// SPDX-License-Identifier: Apache-2.0
//
// FluxionResource: the requests of Fluxion's module sched-fluxion-resource on an engine, without Flux.
// `flux ion-resource` and Fluxion's qmanager send them.
//
//   FluxionResource resource(engine, options, load_s, now_s);
//   resource.advance(now_s);                          // before each request
//   auto matched = resource.match("allocate", 7, jobspec);
//
// Without a Scheduler it grants resources itself. A job keeps its resources until it is cancelled,
// also beyond its end; reservations that conflict with that are cancelled. With a Scheduler on the
// same engine (share_with), its jobs are recorded there as running jobs, and it cannot reserve.
//
// Errors have the errno of Fluxion. Thread safety: none. Costs: those of the engine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "flux/fluxion/fluxion_pools.hpp"
#include "flux/fluxion/resource_options.hpp"
#include "flux/scheduler.hpp"
#include "fluxion/match_statistics.hpp"
#include "fluxion/resource.hpp"

namespace copse::flux {

class FluxionResource {
 public:
  FluxionResource(std::shared_ptr<Engine> engine, ResourceOptions options, double load_s,
                  std::int64_t now_s);

  // Removes all grants from the engine, before a scheduler is made on it; remembers the pools of jobs.
  void release();
  // From now on the scheduler records the jobs; nullptr: the engine does so again. Jobs keep their
  // pools. REQUIRES release() before, unless nullptr.
  void share_with(Scheduler* scheduler);
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
  // A reservation of the job is cancelled first. EINVAL (the job has resources; an unknown command;
  // the jobspec), EBUSY, ENODEV.
  [[nodiscard]] RpcResult<Matched> match(std::string_view command, std::int64_t job,
                                         std::string_view jobspec);
  // Allocates the pools of an R. A job that has the same R already gets the same answer. EINVAL.
  [[nodiscard]] RpcResult<Matched> update(std::int64_t job, std::string_view r);
  [[nodiscard]] RpcResult<void> cancel(std::int64_t job);  // ENOENT
  // True if the job has no resources left. ENOENT (it has no allocation), EINVAL.
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
    std::vector<PoolId> pools{};  // after release(): its pools, and their end
    std::int64_t end_s = 0;
    bool overdue = false;  // it reached its end and was not cancelled
  };
  [[nodiscard]] std::vector<JobId> overdue() const;
  // The earliest start without the resources of these jobs. Errors: EBUSY.
  [[nodiscard]] RpcResult<Matched> match_without(const std::vector<JobId>& late,
                                                 std::string_view jobspec);
  [[nodiscard]] RpcResult<Matched> recorded(std::int64_t job, Matched matched, JobId grant);
  [[nodiscard]] RpcResult<Matched> match(Operation operation, std::int64_t job,
                                         PreparedRequest& request);
  [[nodiscard]] RpcResult<Matched> allocate_r(std::int64_t job, std::string_view r);
  [[nodiscard]] std::string text_of(const Selection& selection, std::int64_t start_s,
                                    std::int64_t end_s, std::string_view queue);
  [[nodiscard]] bool has_same(const Job& job, std::string_view r) const;
  void free(const Job& job);
  [[nodiscard]] bool cancel_reservation(std::int64_t job);
  void extend_running(std::int64_t until_s);

  std::shared_ptr<Engine> engine_;
  ResourceOptions options_;
  fluxion::Resource resource_;
  FluxionPools pools_;
  Scheduler* scheduler_ = nullptr;
  std::map<std::int64_t, Job> jobs_;
  double load_s_;
  std::int64_t began_s_, cleared_s_;
  fluxion::MatchStatistics succeeded_, failed_;
};

}  // namespace copse::flux
