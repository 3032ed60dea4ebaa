// SPDX-License-Identifier: Apache-2.0
#include "fake_flux.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/idset_algebra.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "rset/rset_algebra.hpp"

namespace copse::flux {

namespace {

constexpr std::size_t kJobsMax = 60;  // waiting or running at a time

std::set<std::int64_t> numbers(const Idset& ids) {
  std::set<std::int64_t> out;
  for (const auto& [first, last] : ids.ranges()) {
    for (std::int64_t id = first; id <= last; ++id) out.insert(id);
  }
  return out;
}

Idset idset(const std::set<std::int64_t>& of) {
  Idset out;
  for (const std::int64_t id : of) out.add(id);
  return out;
}

}  // namespace

FakeFlux::FakeFlux(const FakeSetup& setup) : setup_(setup), random_(setup.seed) {
  if (chance(50)) down_.insert(below(setup_.nodes));
  load();
}

std::int64_t FakeFlux::below(std::int64_t bound) {
  return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
}

std::string FakeFlux::inventory() const {
  const int last = setup_.nodes - 1;
  return fmt::format(
      R"({{"version": 1, "execution": {{"R_lite": [{{"rank": "0-{0}", "children": {{"core": "0-{1}"}}}}],)"
      R"( "nodelist": ["n[0-{0}]"], "properties": {{"fast": "0-{2}", "+local": "0"}},)"
      R"( "starttime": 0.0, "expiration": 0.0}}}})",
      last, setup_.cores - 1, setup_.nodes / 2);
}

void FakeFlux::load() {
  const std::string r = inventory();
  std::set<std::int64_t> up;
  for (int rank = 0; rank < setup_.nodes; ++rank) {
    // Lost ranks are in the inventory again, but never come up.
    if (!down_.contains(rank) && !gone_.contains(rank)) up.insert(rank);
  }
  Setup setup{.inventory = r, .up = idset(up), .now_s = now_s_};
  setup.policy = *find_policy(chance(50) ? "first" : "low");
  setup.queues.queues = {{.discipline = *find_discipline(setup_.queue_policy)}};
  auto made = Scheduler::create(setup, *this);
  if (!made) return fault("create: " + made.error().message());
  scheduler_ = std::move(*made);
  hello_all();
  work();
}

void FakeFlux::hello_all() {
  for (auto& [id, job] : jobs_) {
    if (job.state != Job::State::running) continue;
    const auto ok = scheduler_->hello({.id = id,
                                       .priority = job.priority,
                                       .submit_s = job.submit_s,
                                       .r = job.r,
                                       .expiration_s = static_cast<double>(job.end_s),
                                       .freed = job.freed});
    if (!ok) fault(fmt::format("hello {}: {}", id, ok.error().message()));
  }
  // Until the scheduler is ready, it is not told what jobs free.
  for (auto& [id, job] : jobs_) {
    if (job.state != Job::State::running || !chance(20)) continue;
    if (chance(50) && job.has.size() > 1) {
      drop(job, {job.has.begin()->first});
    } else {
      drop(job, ranks_of(job));
      job.state = Job::State::over;
    }
  }
  std::unordered_map<JobId, Idset> held;
  for (const auto& [id, job] : jobs_) {
    if (job.state == Job::State::running) held.emplace(id, job.freed);
  }
  scheduler_->confirm(held);
  for (auto& [id, job] : jobs_) {
    if (job.state != Job::State::pending) continue;
    scheduler_->alloc(
        {.id = id, .priority = job.priority, .submit_s = job.submit_s, .jobspec = job.jobspec});
  }
}

void FakeFlux::work() {
  for (bool done = false; !done;) {
    queue::WorkBudget budget;
    budget.jobs = static_cast<std::uint64_t>(1 + below(20));
    done = scheduler_->work(now_s_, budget);
    while (!to_free_.empty()) {
      const JobId id = to_free_.back();
      to_free_.pop_back();
      free(id, idset([&] {
             std::set<std::int64_t> ranks;
             for (const auto& [rank, cores] : jobs_[id].has) ranks.insert(rank);
             return ranks;
           }()),
           true);
      done = false;
    }
  }
  scheduler_->check();
}

JobId FakeFlux::any(Job::State state) {
  std::vector<JobId> of;
  for (const auto& [id, job] : jobs_) {
    if (job.state == state && !job.cancelled) of.push_back(id);
  }
  return of.empty() ? 0 : of[static_cast<std::size_t>(below(std::ssize(of)))];
}

void FakeFlux::submit() {
  Job job;
  job.duration_s = chance(10) ? 0 : 1 + below(400);
  job.priority = chance(70) ? 16 : 1 + below(30);
  job.submit_s = static_cast<double>(now_s_) + 0.25;
  job.fast = chance(20);
  std::string resources;
  if (chance(50)) {
    job.nodes = 1 + below(setup_.nodes + (chance(5) ? 3 : 0));
    job.cores = job.nodes * setup_.cores;
    resources = fmt::format(
        R"({{"type":"node","count":{},"exclusive":true,"with":[{{"type":"slot","count":1,"label":"task","with":[{{"type":"core","count":1}}]}}]}})",
        job.nodes);
  } else {
    const std::int64_t slots = 1 + below(setup_.cores * 2), each = 1 + below(2);
    job.cores = slots * each;
    resources = fmt::format(
        R"({{"type":"slot","count":{},"label":"task","with":[{{"type":"core","count":{}}}]}})",
        slots, each);
  }
  job.jobspec = fmt::format(
      R"({{"version":1,"resources":[{}],"tasks":[{{"command":["a"],"slot":"task","count":{{"per_slot":1}}}}],"attributes":{{"system":{{"duration":{}{}}}}}}})",
      resources, job.duration_s, job.fast ? R"(,"constraints":{"properties":["fast"]})" : "");
  const JobId id = next_id_++;
  if (chance(2)) job.jobspec = "{\"version\":1}";
  jobs_[id] = job;
  scheduler_->alloc({.id = id,
                     .priority = job.priority,
                     .userid = static_cast<std::uint32_t>(below(3)),
                     .submit_s = job.submit_s,
                     .jobspec = jobs_[id].jobspec});
}

void FakeFlux::cancel(JobId id) {
  jobs_[id].cancelled = true;
  scheduler_->cancel(id);
  if (chance(20)) scheduler_->cancel(id);  // it may come twice
}

std::set<std::int64_t> FakeFlux::ranks_of(const Job& job) {
  std::set<std::int64_t> out;
  for (const auto& [rank, cores] : job.has) out.insert(rank);
  return out;
}

void FakeFlux::drop(Job& job, const std::set<std::int64_t>& ranks) {
  for (const std::int64_t rank : ranks) {
    for (const std::int64_t core : job.has[rank]) held_.erase({rank, core});
    job.has.erase(rank);
  }
  job.freed = unite(job.freed, idset(ranks));
}

void FakeFlux::free(JobId id, const Idset& ranks, bool last) {
  Job& job = jobs_[id];
  drop(job, numbers(ranks));
  if (last) job.state = Job::State::over;
  scheduler_->free(id, ranks, last);
}

void FakeFlux::end(JobId id) {
  std::set<std::int64_t> ranks;
  for (const auto& [rank, cores] : jobs_[id].has) ranks.insert(rank);
  free(id, idset(ranks), true);
}

void FakeFlux::free_some(JobId id) {
  const auto& has = jobs_[id].has;
  if (has.size() < 2) return;
  const auto at = std::next(has.begin(), below(std::ssize(has)));
  free(id, idset({at->first}), false);
}

void FakeFlux::step() {
  now_s_ += chance(30) ? below(60) : 0;
  const JobId pending = any(Job::State::pending), running = any(Job::State::running);
  std::size_t live = 0;
  for (const auto& [id, job] : jobs_) live += job.state != Job::State::over ? 1 : 0;
  switch (below(14)) {
    case 0:
    case 1:
    case 2:
    case 3:
      if (live < kJobsMax) submit();
      break;
    case 4:
    case 5:
      if (running != 0) end(running);
      break;
    case 6:
      if (running != 0) free_some(running);
      break;
    case 7:
      if (pending != 0) cancel(pending);
      break;
    case 8:
      if (pending != 0) {
        jobs_[pending].priority = 1 + below(30);
        scheduler_->prioritize(pending, jobs_[pending].priority);
      }
      break;
    case 9:
      if (running != 0) {
        jobs_[running].end_s = now_s_ + 1 + below(500);
        const auto set =
            scheduler_->set_expiration(running, static_cast<double>(jobs_[running].end_s));
        if (!set) fault(fmt::format("expiration {}: {}", running, set.error().message()));
      }
      break;
    case 10: {
      const std::int64_t rank = below(setup_.nodes);
      if (gone_.contains(rank)) break;
      const bool comes = down_.erase(rank) > 0;
      if (!comes) down_.insert(rank);
      ResourceUpdate update;
      (comes ? update.up : update.down).add(rank);
      scheduler_->update(update);
      break;
    }
    case 11:  // faults
      scheduler_->cancel(running != 0 ? running : 999'999);
      scheduler_->prioritize(running != 0 ? running : 999'999, 3);
      scheduler_->free(888'888, idset({0}), true);
      ++expected_complaints_;
      break;
    case 12:
      if (!chance(15)) break;
      ++reloads_;
      load();
      break;
    default:
      if (!setup_.shrinks || !chance(3) || std::ssize(gone_) + 2 > setup_.nodes) break;
      const std::int64_t rank = below(setup_.nodes);
      gone_.insert(rank);
      scheduler_->update({.up = {}, .down = idset({rank}), .shrink = idset({rank})});
  }
  work();
  compare();
}

// Compares the three sets of sched.resource-status with the records.
void FakeFlux::compare() {
  const std::string status = scheduler_->status();
  const std::size_t at = status.find("\"allocated\": ");
  const auto r = read_r(std::string_view(status).substr(at + 13, status.size() - at - 14), "status",
                        {.rules = RRules::merging});
  if (!r) return fault("status: " + r.error().message());
  std::map<Unit, int> units;
  for (const RSet::Entry& entry : r->entries) {
    const Idset* cores = find_ids(entry.children, "core");
    for (const std::int64_t rank : numbers(entry.ranks)) {
      for (const std::int64_t core : numbers(cores == nullptr ? Idset() : *cores)) {
        ++units[{rank, core}];
      }
    }
  }
  for (const auto& [unit, job] : held_) {
    // A removed rank may be in the inventory again after a reload.
    if (units.erase(unit) == 0 && !gone_.contains(unit.first)) {
      return fault(
          fmt::format("rank {} core {} of job {} is not allocated", unit.first, unit.second, job));
    }
  }
  if (!units.empty()) {
    const Unit unit = units.begin()->first;
    fault(fmt::format("rank {} core {} is not allocated", unit.first, unit.second));
  }
}

void FakeFlux::finish() {
  for (auto& [id, job] : jobs_) {
    if (job.state == Job::State::pending && !job.cancelled) cancel(id);
  }
  work();
  std::vector<JobId> running;
  for (auto& [id, job] : jobs_) {
    if (job.state == Job::State::pending) fault(fmt::format("job {} was never answered", id));
    if (job.state == Job::State::running) running.push_back(id);
  }
  for (const JobId id : running) end(id);
  work();
  compare();
  if (scheduler_->running() != 0 || scheduler_->waiting() != 0) fault("jobs are left");
  if (complaints_ != expected_complaints_) {
    fault(fmt::format("{} complaints, not {}", complaints_, expected_complaints_));
  }
}

// --- Answers

void FakeFlux::succeed(JobId id, const std::string& text, const std::string&) {
  Job& job = jobs_[id];
  if (job.state != Job::State::pending) return fault(fmt::format("job {} succeeds again", id));
  job.state = Job::State::running;
  ++started_;
  const auto r = read_r(text, "R", {.rules = RRules::strict});
  if (!r) return fault(fmt::format("R of job {}: {}", id, r.error().message()));
  std::int64_t cores = 0;
  for (const RSet::Entry& entry : r->entries) {
    const Idset* of = find_ids(entry.children, "core");
    for (const std::int64_t rank : numbers(entry.ranks)) {
      if (down_.contains(rank) || gone_.contains(rank)) {
        fault(fmt::format("job {} got rank {}, which is down", id, rank));
      }
      if (job.fast && rank > setup_.nodes / 2) fault(fmt::format("job {} is on rank {}", id, rank));
      for (const std::int64_t core : numbers(*of)) {
        ++cores;
        job.has[rank].insert(core);
        const auto [other, is_free] = held_.emplace(Unit{rank, core}, id);
        if (!is_free) {
          fault(fmt::format("job {} got rank {} core {} of job {}", id, rank, core, other->second));
        }
      }
    }
  }
  if (cores != job.cores) fault(fmt::format("job {} got {} cores of {}", id, cores, job.cores));
  if (job.nodes > 0 && std::ssize(job.has) != job.nodes) fault(fmt::format("job {}: nodes", id));
  if (r->starttime_s != static_cast<double>(now_s_)) fault(fmt::format("job {}: starttime", id));
  job.end_s = static_cast<std::int64_t>(r->expiration_s);
  if (job.end_s != (job.duration_s == 0 ? 0 : now_s_ + job.duration_s)) {
    fault(fmt::format("job {}: expiration {}", id, job.end_s));
  }
  job.r = text;
  if (job.cancelled) to_free_.push_back(id);
}

void FakeFlux::annotate(JobId id, const std::string& annotations) {
  if (jobs_[id].state != Job::State::pending) fault(fmt::format("job {} is annotated", id));
  if (annotations.find("\"sched\": {}") != std::string::npos) fault("an empty annotation");
}

void FakeFlux::deny(JobId id, const std::string& note) {
  Job& job = jobs_[id];
  if (job.state != Job::State::pending) fault(fmt::format("job {} is denied, again", id));
  job.state = Job::State::over;
  const std::int64_t fast = setup_.nodes / 2 + 1;
  std::int64_t nodes = 0;
  for (std::int64_t rank = 0; rank < (job.fast ? fast : setup_.nodes); ++rank) {
    nodes += gone_.contains(rank) ? 0 : 1;
  }
  const bool parsed = note.find("cannot parse") == std::string::npos;
  if (parsed && job.nodes <= nodes && job.cores <= nodes * setup_.cores &&
      job.jobspec.find("\"count\":2}") == std::string::npos) {
    fault(fmt::format("job {} is denied: {}", id, note));
  }
}

void FakeFlux::cancelled(JobId id) {
  Job& job = jobs_[id];
  if (job.state != Job::State::pending || !job.cancelled) {
    fault(fmt::format("job {} is answered as cancelled", id));
  }
  job.state = Job::State::over;
}

void FakeFlux::complain(const std::string& line) {
  ++complaints_;
  if (line.find("has no resources") == std::string::npos) fault(line);
}

}  // namespace copse::flux
