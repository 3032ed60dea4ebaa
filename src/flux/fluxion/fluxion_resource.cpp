// SPDX-License-Identifier: Apache-2.0
#include "flux/fluxion/fluxion_resource.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/idset_algebra.hpp"
#include "formats/allocation_file.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/selection_set.hpp"
#include "host/stopwatch.hpp"
#include "match/option_names.hpp"
#include "rset/rset.hpp"
#include "text/json_writer.hpp"

namespace copse::flux {

namespace {

// The least extension of a job that reached its end and was not cancelled.
constexpr std::int64_t kExtension_s = 60;
// Fluxion's tools begin with job 0, but the number of a grant is at least 1.
constexpr JobId kGrantOfJob0 = JobId{1} << 62;

RpcError error_of_match(const Error& error) {
  if (error.code == ErrorCode::insufficient) return {EBUSY};
  if (error.code == ErrorCode::infeasible) return {ENODEV};
  return {EINVAL, error.message()};
}

JobId grant_number(std::int64_t job) { return job == 0 ? kGrantOfJob0 : static_cast<JobId>(job); }

// The pools that a selection has exclusively.
std::vector<PoolId> exclusive_pools(const ResourceGraph& graph, const Selection& selection) {
  std::vector<ExpandedPool> pools;
  expand(graph, selection, pools);
  std::vector<PoolId> out;
  for (const ExpandedPool& expanded : pools) {
    if (expanded.exclusive) out.push_back(expanded.pool);
  }
  return out;
}

}  // namespace

FluxionResource::FluxionResource(std::shared_ptr<Engine> engine, ResourceOptions options,
                                 double load_s, std::int64_t now_s)
    : engine_(std::move(engine)),
      options_(std::move(options)),
      resource_(*engine_, options_.match_format),
      pools_(resource_),
      load_s_(load_s),
      began_s_(now_s),
      cleared_s_(now_s) {}

void FluxionResource::release() {
  for (auto& [id, job] : jobs_) {
    const Grant* grant = engine_->grant(job.grant);
    job.pools.clear();
    if (grant == nullptr || grant->start > engine_->now()) continue;
    job.pools = exclusive_pools(engine_->graph(), grant->selection);
    job.end_s = grant->end;
  }
  for (const JobId id : engine_->jobs()) {
    [[maybe_unused]] const auto cancelled = engine_->cancel(id);
  }
}

void FluxionResource::share_with(Scheduler* scheduler) {
  scheduler_ = scheduler;
  resource_.share_with(scheduler);
  if (scheduler == nullptr) return;
  std::erase_if(jobs_, [&](const auto& job) {
    return !scheduler_->add_outside_job(job.second.grant, job.second.pools, job.second.end_s);
  });
}

// --- Time

void FluxionResource::advance(std::int64_t now_s) {
  if (scheduler_ != nullptr || now_s <= engine_->now()) return;
  extend_running(now_s);
  [[maybe_unused]] const auto advanced = engine_->advance(now_s);
}

void FluxionResource::extend_running(std::int64_t until_s) {
  for (auto& [id, job] : jobs_) {
    const Grant* grant = engine_->grant(job.grant);
    if (grant == nullptr || grant->start > engine_->now() || grant->end > until_s) continue;
    job.overdue = true;
    const std::int64_t end_s = until_s + kExtension_s;
    if (engine_->set_end(job.grant, end_s)) continue;
    std::erase_if(jobs_, [&](const auto& other) {
      const Grant* plan = engine_->grant(other.second.grant);
      if (plan == nullptr || plan->start <= engine_->now() || plan->start >= end_s) return false;
      return engine_->cancel(other.second.grant).has_value();
    });
    [[maybe_unused]] const auto set = engine_->set_end(job.grant, end_s);
  }
}

// --- Jobs

std::string FluxionResource::text_of(const Selection& selection, std::int64_t start_s,
                                     std::int64_t end_s, std::string_view queue) {
  std::string out;
  resource_.writer().write(engine_->graph(),
                           {.selection = selection,
                            .start = start_s,
                            .end = end_s,
                            .queue = queue,
                            .labels = selection.labels},
                           out);
  return out;
}

RpcResult<FluxionResource::Matched> FluxionResource::recorded(std::int64_t job, Matched matched,
                                                              JobId grant) {
  matched.job = job;
  matched.status = matched.at_s == engine_->now() ? "ALLOCATED" : "RESERVED";
  jobs_[job] = {.grant = grant, .matched = matched};
  return matched;
}

RpcResult<FluxionResource::Matched> FluxionResource::match(Operation operation, std::int64_t job,
                                                           PreparedRequest& request) {
  const JobId grant = grant_number(job);
  // The scheduler records the job: the engine only finds the pools.
  const Operation search =
      scheduler_ != nullptr && allocates(operation) ? Operation::without_allocating : operation;
  const auto found = engine_->match(search, request, grant);
  if (!found) {
    const bool again = search != operation && operation == Operation::allocate_with_satisfiability;
    if (again && found.error().code == ErrorCode::insufficient) {
      const auto ever = engine_->match(Operation::satisfiability, request, 0);
      if (!ever) return std::unexpected(error_of_match(ever.error()));
      return refuse(EBUSY);
    }
    return std::unexpected(error_of_match(found.error()));
  }
  if (operation == Operation::satisfiability)
    return Matched{.job = -1, .status = "MATCHED", .r = {}};
  const Match& match = **found;
  Matched out{.r = text_of(match.selection, match.start, match.end, request.request().queue),
              .at_s = match.start};
  if (!allocates(operation)) {
    out.job = -1;
    out.status = "MATCHED";
    return out;
  }
  if (scheduler_ != nullptr) {
    const auto added = scheduler_->add_outside_job(
        grant, exclusive_pools(engine_->graph(), match.selection), match.end);
    if (!added) return std::unexpected(error_of_match(added.error()));
  }
  return recorded(job, std::move(out), grant);
}

std::vector<JobId> FluxionResource::overdue() const {
  std::vector<JobId> out;
  for (const auto& [id, job] : jobs_) {
    if (job.overdue && engine_->grant(job.grant) != nullptr) out.push_back(job.grant);
  }
  if (scheduler_ != nullptr) {
    const auto more = scheduler_->overdue();
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

// A job beyond its limit has no known end: what it has is not counted on, and neither is
// a reservation that does.
RpcResult<FluxionResource::Matched> FluxionResource::match_without(const std::vector<JobId>& late,
                                                                   std::string_view jobspec) {
  const auto other = engine_->clone();
  for (const JobId grant : late) {
    if (!other->set_end(grant, other->options().horizon)) return refuse(EBUSY);
  }
  const auto request = other->prepare(jobspec, {});
  if (!request) return refuse(EINVAL, request.error().message());
  const auto found = other->match(Operation::without_allocating_future, **request, 0);
  if (!found) return std::unexpected(error_of_match(found.error()));
  const Match& match = **found;
  return Matched{.job = -1,
                 .status = "MATCHED",
                 .r = text_of(match.selection, match.start, match.end, (*request)->request().queue),
                 .at_s = match.start};
}

RpcResult<FluxionResource::Matched> FluxionResource::match(std::string_view command,
                                                           std::int64_t job,
                                                           std::string_view jobspec) {
  const Stopwatch watch;
  const auto operation = parse_operation(command);
  if (!operation) {
    failed_.count(job, watch.seconds());
    return refuse(EINVAL, fmt::format("unknown cmd: {}", command));
  }
  if (job < 0 && allocates(*operation)) return refuse(EINVAL, "a job has an id of 0 or more");
  if (allocates(*operation) && !cancel_reservation(job)) {
    return refuse(EINVAL, fmt::format("existent job ({})", job));
  }
  const auto request = engine_->prepare(jobspec, {});
  auto out = request ? match(*operation, job, **request)
                     : std::unexpected(RpcError{EINVAL, request.error().message()});
  if (out && *operation == Operation::without_allocating_future && out->at_s > engine_->now()) {
    if (const auto late = overdue(); !late.empty()) out = match_without(late, jobspec);
  }
  const double overhead_s = watch.seconds();
  (out ? succeeded_ : failed_).count(job, overhead_s);
  if (!out) return out;
  out->overhead_s = overhead_s;
  if (allocates(*operation)) jobs_[job].matched.overhead_s = overhead_s;
  return out;
}

// A qmanager that was reloaded requests jobs again for which its predecessor had made reservations.
// Fluxion refuses this, and the job is denied; here the reservation is replaced. False: the job has an
// allocation.
bool FluxionResource::cancel_reservation(std::int64_t job) {
  const Grant* grant = engine_->grant(grant_number(job));
  if (grant == nullptr) return true;
  const bool reserved = scheduler_ == nullptr && grant->start > engine_->now();
  return reserved && cancel(job).has_value();
}

// Whether R lists the same ids on the same ranks.
bool FluxionResource::has_same(const Job& job, std::string_view r) const {
  const Grant* grant = engine_->grant(job.grant);
  const auto given = read_r(r, "R", {.rules = RRules::merging});
  if (grant == nullptr || !given) return false;
  const RSet has = canonical(SelectionSet().make(engine_->graph(), grant->selection));
  const RSet other = canonical(*given);
  return std::ranges::equal(has.entries, other.entries, [](const auto& a, const auto& b) {
    return a.ranks == b.ranks && a.children == b.children;
  });
}

RpcResult<FluxionResource::Matched> FluxionResource::update(std::int64_t job, std::string_view r) {
  if (const auto known = jobs_.find(job); known != jobs_.end()) {
    if (has_same(known->second, r)) return known->second.matched;
    return refuse(EINVAL, fmt::format("jobid ({}) with different R exists!", job));
  }
  const Stopwatch watch;
  auto out = allocate_r(job, r);
  const double overhead_s = watch.seconds();
  (out ? succeeded_ : failed_).count(job, overhead_s);
  if (out) out->overhead_s = jobs_[job].matched.overhead_s = overhead_s;
  return out;
}

RpcResult<FluxionResource::Matched> FluxionResource::allocate_r(std::int64_t job,
                                                                std::string_view r) {
  const auto taken = read_allocation(engine_->graph(), r, "R");
  if (!taken) return refuse(EINVAL, taken.error().message());
  if (!taken->missing.empty()) return refuse(EINVAL, taken->missing.front());
  const std::int64_t now_s = engine_->now(), horizon_s = engine_->options().horizon;
  const std::int64_t start_s = std::max(taken->times.start_s, now_s);
  // A job beyond its end goes on; see advance().
  std::int64_t end_s = taken->times.end_s > 0 ? taken->times.end_s : horizon_s;
  end_s = std::min(std::max(end_s, start_s + kExtension_s), horizon_s);
  const JobId grant = grant_number(job);
  if (job < 0 || start_s >= end_s) return refuse(EINVAL, "the job, or its times, cannot be");
  if (scheduler_ != nullptr) {
    const auto done = start_s > now_s
                          ? fail(ErrorCode::unsupported, "the scheduler alone reserves")
                          : scheduler_->add_outside_job(grant, taken->taken.pools, end_s);
    if (!done) return refuse(EINVAL, done.error().message());
  } else if (auto done = engine_->update(grant, taken->taken, start_s, end_s - start_s); !done) {
    return refuse(EINVAL, done.error().message());
  }
  Matched out{.r = text_of(engine_->grant(grant)->selection, taken->times.start_s, end_s, {}),
              .at_s = start_s};
  return recorded(job, std::move(out), grant);
}

void FluxionResource::free(const Job& job) {
  if (scheduler_ != nullptr) {
    scheduler_->end_outside_job(job.grant);
  } else {
    // not_found: the grant was removed together with its part of the machine.
    [[maybe_unused]] const auto cancelled = engine_->cancel(job.grant);
  }
}

RpcResult<void> FluxionResource::cancel(std::int64_t job) {
  const auto known = jobs_.find(job);
  if (known == jobs_.end()) return refuse(ENOENT);
  free(known->second);
  jobs_.erase(known);
  return {};
}

RpcResult<bool> FluxionResource::partial_cancel(std::int64_t job, std::string_view r) {
  const auto known = jobs_.find(job);
  if (known == jobs_.end()) return refuse(ENOENT);
  const auto given = read_r(r, "R", {.rules = RRules::merging, .any_hosts = true});
  if (!given) return refuse(EINVAL, given.error().message());
  const Grant* grant = engine_->grant(known->second.grant);
  const Idset had =
      grant == nullptr ? Idset() : SelectionSet().make(engine_->graph(), grant->selection).ranks();
  const auto pools = pools_of_ranks(engine_->graph(), intersect(given->ranks(), had));
  if (!pools || pools->empty()) return refuse(EINVAL, "the job has none of these ranks");
  const auto emptied = scheduler_ != nullptr
                           ? scheduler_->release_pools(known->second.grant, *pools)
                           : engine_->cancel_part(known->second.grant, *pools);
  if (!emptied) return refuse(EINVAL, emptied.error().message());
  if (*emptied) jobs_.erase(known);
  return *emptied;
}

RpcResult<FluxionResource::Matched> FluxionResource::info(std::int64_t job) const {
  const auto known = jobs_.find(job);
  const Grant* grant =
      engine_->grant(known == jobs_.end() ? grant_number(job) : known->second.grant);
  if (known == jobs_.end() && grant != nullptr) {  // the scheduler's
    const bool runs = grant->start <= engine_->now();
    return Matched{
        .job = job, .status = runs ? "ALLOCATED" : "RESERVED", .r = {}, .at_s = grant->start};
  }
  if (known == jobs_.end()) return refuse(ENOENT);
  Matched out = known->second.matched;
  if (grant == nullptr) {
    out.status = "CANCELED";
  } else if (grant->start <= engine_->now()) {
    out.status = "ALLOCATED";
  }
  return out;
}

std::int64_t FluxionResource::next_job() const {
  return jobs_.empty() ? 0 : std::prev(jobs_.end())->first + 1;
}

RpcResult<void> FluxionResource::feasible(std::string_view jobspec) {
  const auto request = engine_->prepare(jobspec, {});
  if (!request) return refuse(EINVAL, "Internal match error: " + request.error().text);
  const auto match = engine_->match(Operation::satisfiability, **request, 0);
  if (match) return {};
  if (match.error().code == ErrorCode::infeasible) return refuse(ENODEV, "Unsatisfiable request");
  return refuse(EINVAL, "Internal match error: " + match.error().message());
}

std::string FluxionResource::stats() const {
  const auto statistics = engine_->graph().statistics();
  std::map<std::uint64_t, Idset> ranks_by_size;
  for (const auto& [rank, pools] : statistics.pools_by_rank) {
    if (rank >= 0) ranks_by_size[pools].add(rank);
  }
  return object_text([&](JsonWriter& json) {
    json.member("V", statistics.pools);
    json.member("E", statistics.edges);
    json.object("by_rank", [&] {
      for (const auto& [size, ranks] : ranks_by_size) json.member(ranks.text(true), size);
    });
    json.member_json("load-time", fluxion::real_text(load_s_));
    json.member("graph-uptime", engine_->now() - began_s_);
    json.member("time-since-reset", engine_->now() - cleared_s_);
    json.object("match", [&] {
      json.key("succeeded");
      succeeded_.write(json);
      json.key("failed");
      failed_.write(json);
    });
  });
}

void FluxionResource::clear_stats() {
  succeeded_.clear();
  failed_.clear();
  cleared_s_ = engine_->now();
}

}  // namespace copse::flux
