// SPDX-License-Identifier: Apache-2.0
#include "flux/module/hello.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include "base/job_id.hpp"
#include "flux/module/wire.hpp"

namespace copse::flux {

namespace {

const char* text_of_lookup(flux_future_t* future) {
  const char* text = nullptr;
  return future != nullptr && flux_kvs_lookup_get(future, &text) == 0 ? text : nullptr;
}

}  // namespace

Hello::~Hello() {
  flux_future_destroy(jobs_);
  for (const auto& [id, job] : asked_) {
    flux_future_destroy(job.r);
    flux_future_destroy(job.jobspec);
  }
}

Result<void> Hello::start() {
  jobs_ = flux_rpc_pack(h_, "job-manager.sched-hello", FLUX_NODEID_ANY, FLUX_RPC_STREAMING, "{s:b}",
                        "partial-ok", options_.partial ? 1 : 0);
  const auto next = [](flux_future_t*, void* self) { static_cast<Hello*>(self)->said(); };
  if (jobs_ == nullptr || flux_future_then(jobs_, -1., next, this) < 0) {
    return std::unexpected(flux_failed("sched-hello"));
  }
  return {};
}

// Nothing of this may be touched afterwards.
void Hello::end(Result<void> result) {
  const Over over = std::exchange(over_, {});
  if (over) over(std::move(result));
}

void Hello::end_if_over() {
  if (all_said_ && waiting_.empty() && asked_.empty()) end({});
}

// One response of the job manager; the last one is the error ENODATA.
void Hello::said() noexcept {
  try {
    json_int_t id = 0, priority = 0, userid = 0;
    double submit_s = 0;
    const char* given_back = nullptr;
    if (flux_rpc_get_unpack(jobs_, "{s:I s:I s:I s:f s?s}", "id", &id, "priority", &priority,
                            "userid", &userid, "t_submit", &submit_s, "free", &given_back) < 0) {
      all_said_ = true;
      if (errno == ENODATA) return end_if_over();
      return end(
          fail(ErrorCode::io, fmt::format("sched-hello: {}", flux_future_error_string(jobs_))));
    }
    waiting_.push_back({.id = static_cast<JobId>(id),
                        .priority = std::clamp<std::int64_t>(priority, 0, kPriorityMax),
                        .userid = static_cast<std::uint32_t>(userid),
                        .submit_s = submit_s,
                        .r = {},
                        .given_back = ids(given_back)});
    flux_future_reset(jobs_);
    look_up();
  } catch (const std::exception& thrown) {
    flux_log(h_, LOG_CRIT, "internal error: %s", thrown.what());
    flux_reactor_stop_error(flux_get_reactor(h_));
  }
}

flux_future_t* Hello::ask(JobId job, const char* key) {
  std::array<char, 64> path{};
  if (flux_job_kvs_key(path.data(), path.size(), job, key) < 0) return nullptr;
  flux_future_t* future = flux_kvs_lookup(h_, nullptr, 0, path.data());
  const auto found = [](flux_future_t* of, void* self) { static_cast<Hello*>(self)->found(of); };
  if (future == nullptr || flux_future_then(future, -1., found, this) < 0) {
    flux_future_destroy(future);
    return nullptr;
  }
  whose_.emplace(future, job);
  return future;
}

void Hello::look_up() {
  while (!waiting_.empty() && asked_.size() < kAtOneTime) {
    Job job{.of = std::move(waiting_.front())};
    waiting_.pop_front();
    const JobId id = job.of.id;
    job.r = ask(id, "R");
    if (options_.jobspecs) job.jobspec = ask(id, "jobspec");
    if (job.r == nullptr || (options_.jobspecs && job.jobspec == nullptr)) {
      raise(id, std::strerror(errno));
      continue;
    }
    asked_.emplace(id, std::move(job));
  }
}

void Hello::found(flux_future_t* future) noexcept {
  try {
    const JobId id = whose_.at(future);
    Job& job = asked_.at(id);
    const auto is_there = [](flux_future_t* of) {
      return of == nullptr || flux_future_is_ready(of);
    };
    if (!is_there(job.r) || !is_there(job.jobspec)) return;
    tell(job);
    for (flux_future_t* each : {job.r, job.jobspec}) {
      whose_.erase(each);
      flux_future_destroy(each);
    }
    asked_.erase(id);
    look_up();
    end_if_over();
  } catch (const std::exception& thrown) {
    flux_log(h_, LOG_CRIT, "internal error: %s", thrown.what());
    flux_reactor_stop_error(flux_get_reactor(h_));
  }
}

void Hello::tell(Job& job) {
  const char* r = text_of_lookup(job.r);
  if (r == nullptr) return raise(job.of.id, fmt::format("no R: {}", std::strerror(errno)));
  job.of.r = r;
  if (const char* jobspec = text_of_lookup(job.jobspec)) job.of.jobspec = jobspec;
  if (const auto taken = tell_(job.of); !taken) raise(job.of.id, taken.error().message());
}

// The exception of this type alone takes a job's resources from it: no free follows.
void Hello::raise(JobId job, const std::string& why) {
  flux_log(h_, LOG_ERR, "hello: %s: %s", f58_text(job).c_str(), why.c_str());
  flux_future_destroy(
      flux_job_raise(h_, job, "scheduler-restart", 0, "failed to reallocate R for running job"));
}

Result<void> say_ready(flux_t* h, const std::string& mode) {
  constexpr std::string_view kLimited = "limited=";
  flux_future_t* future =
      mode.starts_with(kLimited)
          ? flux_rpc_pack(h, "job-manager.sched-ready", FLUX_NODEID_ANY, 0, "{s:s s:i}", "mode",
                          "limited", "limit", std::atoi(mode.c_str() + kLimited.size()))
          : flux_rpc_pack(h, "job-manager.sched-ready", FLUX_NODEID_ANY, 0, "{s:s}", "mode",
                          mode.c_str());
  const bool ready = future != nullptr && flux_future_get(future, nullptr) == 0;
  Result<void> out;
  if (!ready) out = std::unexpected(flux_failed("sched-ready"));
  flux_future_destroy(future);
  return out;
}

}  // namespace copse::flux
