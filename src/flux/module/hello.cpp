// SPDX-License-Identifier: Apache-2.0
#include "flux/module/hello.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

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
  for (const auto& [id, job] : pending_) {
    flux_future_destroy(job.r);
    flux_future_destroy(job.jobspec);
  }
}

Result<void> Hello::start() {
  jobs_ = flux_rpc_pack(h_, "job-manager.sched-hello", FLUX_NODEID_ANY, FLUX_RPC_STREAMING, "{s:b}",
                        "partial-ok", options_.partial ? 1 : 0);
  const auto next = [](flux_future_t*, void* self) { static_cast<Hello*>(self)->receive_job(); };
  if (jobs_ == nullptr || flux_future_then(jobs_, -1., next, this) < 0) {
    return std::unexpected(flux_failed("sched-hello"));
  }
  return {};
}

// May destroy this: callers return at once.
void Hello::end(Result<void> result) {
  const Done done = std::exchange(done_, {});
  if (done) done(std::move(result));
}

void Hello::end_if_done() {
  if (has_all_jobs_ && waiting_.empty() && pending_.empty()) end({});
}

// One response of the job manager; the last response is the error ENODATA.
void Hello::receive_job() noexcept {
  guarded(h_, [&] {
    json_int_t id = 0, priority = 0, userid = 0;
    double submit_s = 0;
    const char* freed = nullptr;
    if (flux_rpc_get_unpack(jobs_, "{s:I s:I s:I s:f s?s}", "id", &id, "priority", &priority,
                            "userid", &userid, "t_submit", &submit_s, "free", &freed) < 0) {
      has_all_jobs_ = true;
      if (errno == ENODATA) {
        if (auto ok = listed_(); !ok) return end(std::move(ok));
        return end_if_done();
      }
      return end(
          fail(ErrorCode::io, fmt::format("sched-hello: {}", flux_future_error_string(jobs_))));
    }
    HelloJob job{.id = static_cast<JobId>(id),
                 .priority = std::clamp<std::int64_t>(priority, 0, kPriorityMax),
                 .userid = static_cast<std::uint32_t>(userid),
                 .submit_s = submit_s,
                 .r = {},
                 .freed = ids(freed)};
    flux_future_reset(jobs_);
    if (!options_.resources) {
      [[maybe_unused]] const auto known = report_(job);
      return;
    }
    waiting_.push_back(std::move(job));
    look_up();
  });
}

flux_future_t* Hello::request(JobId job, const char* key) {
  std::array<char, 64> path{};
  if (flux_job_kvs_key(path.data(), path.size(), job, key) < 0) return nullptr;
  flux_future_t* future = flux_kvs_lookup(h_, nullptr, 0, path.data());
  const auto found = [](flux_future_t* of, void* self) {
    static_cast<Hello*>(self)->receive_text(of);
  };
  if (future == nullptr || flux_future_then(future, -1., found, this) < 0) {
    flux_future_destroy(future);
    return nullptr;
  }
  job_of_.emplace(future, job);
  return future;
}

void Hello::look_up() {
  while (!waiting_.empty() && pending_.size() < kPendingMax) {
    Job job{.of = std::move(waiting_.front())};
    waiting_.pop_front();
    const JobId id = job.of.id;
    job.r = request(id, "R");
    if (options_.jobspecs) job.jobspec = request(id, "jobspec");
    if (job.r == nullptr || (options_.jobspecs && job.jobspec == nullptr)) {
      raise(id, std::strerror(errno));
      continue;
    }
    pending_.emplace(id, std::move(job));
  }
}

void Hello::receive_text(flux_future_t* future) noexcept {
  guarded(h_, [&] {
    const JobId id = job_of_.at(future);
    Job& job = pending_.at(id);
    const auto has_arrived = [](flux_future_t* of) {
      return of == nullptr || flux_future_is_ready(of);
    };
    if (!has_arrived(job.r) || !has_arrived(job.jobspec)) return;
    report(job);
    for (flux_future_t* each : {job.r, job.jobspec}) {
      job_of_.erase(each);
      flux_future_destroy(each);
    }
    pending_.erase(id);
    look_up();
    end_if_done();
  });
}

void Hello::report(Job& job) {
  const char* r = text_of_lookup(job.r);
  if (r == nullptr) return raise(job.of.id, fmt::format("no R: {}", std::strerror(errno)));
  job.of.r = r;
  if (const char* jobspec = text_of_lookup(job.jobspec)) job.of.jobspec = jobspec;
  if (const auto adopted = report_(job.of); !adopted) raise(job.of.id, adopted.error().message());
}

// Only an exception of this type takes the resources from a job; no free follows.
void Hello::raise(JobId job, const std::string& why) {
  flux_log(h_, LOG_ERR, "hello: %s: %s", shown_id(job).c_str(), why.c_str());
  flux_future_destroy(
      flux_job_raise(h_, job, "scheduler-restart", 0, "failed to reallocate R for running job"));
}

Result<void> send_ready(flux_t* h, const std::string& mode) {
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
