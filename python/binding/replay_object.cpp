// SPDX-License-Identifier: Apache-2.0
#include "replay_object.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <pybind11/stl.h>

#include "queue/config/job_limits.hpp"

namespace py = pybind11;

namespace copse::python {

namespace {

// The units of a type that a selection takes; all below an exclusive pool is taken.
std::int64_t units_of(const ResourceGraph& graph, const Selection& selection, TypeId type) {
  std::int64_t out = 0;
  PoolId covering = kNoPool;
  for (const SelectedPools& taken : selection.taken) {
    if (taken.hidden || (covering != kNoPool && graph.below(taken.first, covering))) continue;
    covering = kNoPool;
    if (!taken.exclusive && !taken.whole) continue;
    for (std::uint32_t v = taken.first.v; v < taken.first.v + taken.count; ++v) {
      const PoolId pool{v};
      out += (graph.type(pool) == type ? graph.size(pool) : 0) + graph.shape(pool).total(type);
    }
    if (!graph.leaf(taken.first)) covering = taken.first;
  }
  return out;
}

}  // namespace

ReplayObject::ReplayObject(std::shared_ptr<EngineObject> engine, StreamPointer stream,
                           std::string discipline)
    : engine_(std::move(engine)),
      stream_(std::move(stream)),
      jobs_(&stream_->jobs),
      schedule_(std::make_shared<ScheduleObject>(engine_, stream_)),
      observer_(schedule_->record().observer()),
      submits_(jobs_->jobs.size()),
      states_(jobs_->jobs.size(), State::ahead),
      requests_(jobs_->requests.size()),
      refused_(jobs_->requests.size()),
      looked_at_(jobs_->requests.size()) {
  if (!jobs_->events.empty() || !jobs_->after.empty() || !jobs_->reservations.empty()) {
    throw Raised({ErrorCode::unsupported,
                  "the stream has events, dependencies or reservations, which disciplines in "
                  "Python do not support",
                  {}});
  }
  schedule_->name(std::move(discipline));
  std::iota(submits_.begin(), submits_.end(), 0U);
  std::ranges::stable_sort(submits_, {}, [&](std::uint32_t j) { return jobs_->jobs[j].submit_s; });
  const EngineObject::Use use(*engine_);
  for (const JobId job : use->jobs()) first_grant_ = std::max(first_grant_, job + 1);
  if (!submits_.empty()) engine_->granted(first_grant_ + submits_.size() - 1);
}

PreparedRequest& ReplayObject::request_of(std::uint32_t job) {
  const std::uint32_t number = jobs_->jobs[job].request;
  requests_[number]->set_duration(jobs_->jobs[job].duration_s);
  return *requests_[number];
}

// Whether the empty machine serves a request; computed once.
bool ReplayObject::serves(std::uint32_t request) {
  if (looked_at_[request]) return !refused_[request];
  looked_at_[request] = true;
  Engine& engine = engine_->engine();
  auto prepared = engine.prepare(jobs_->requests[request]);
  if (!prepared) {
    refused_[request] = prepared.error();
    return false;
  }
  requests_[request] = std::move(*prepared);
  const auto matched = engine.match(Operation::satisfiability, *requests_[request], 0);
  if (!matched) refused_[request] = matched.error();
  return matched.has_value();
}

void ReplayObject::end_jobs(std::int64_t now_s) {
  head_.reset();
  Engine& engine = engine_->engine();
  for (; !ends_.empty() && ends_.top().time_s <= now_s; ends_.pop()) {
    const std::uint32_t job = ends_.top().job;
    check(engine.cancel(first_grant_ + job));
    states_[job] = State::over;
    observer_.ended(job, ends_.top().time_s);
  }
}

std::optional<std::vector<std::uint32_t>> ReplayObject::step() {
  const EngineObject::Use use(*engine_);
  const bool more = next_submit_ < submits_.size();
  if (!more && ends_.empty()) return std::nullopt;
  std::int64_t time_s = more ? jobs_->jobs[submits_[next_submit_]].submit_s : INT64_MAX;
  if (!ends_.empty()) time_s = std::min(time_s, ends_.top().time_s);
  time_s = std::max(time_s, use->now());
  end_jobs(time_s);
  check(use->advance(time_s));
  std::vector<std::uint32_t> out;
  for (; next_submit_ < submits_.size(); ++next_submit_) {
    const std::uint32_t job = submits_[next_submit_];
    if (jobs_->jobs[job].submit_s > time_s) break;
    const bool fits = serves(jobs_->jobs[job].request);
    states_[job] = fits ? State::waiting : State::over;
    if (fits) {
      out.push_back(job);
    } else {
      observer_.refused(job, time_s, *refused_[jobs_->jobs[job].request]);
    }
  }
  return out;
}

void ReplayObject::check_waiting(std::uint32_t job) const {
  if (job >= states_.size() || states_[job] != State::waiting) {
    throw Raised({ErrorCode::invalid, "job " + std::to_string(job) + " is not waiting", {}});
  }
}

bool ReplayObject::start(std::uint32_t job) {
  check_waiting(job);
  const EngineObject::Use use(*engine_);
  const auto matched = use->match(Operation::allocate, request_of(job), first_grant_ + job);
  if (!matched) return false;
  if (head_ && head_->fitting == job) {
    head_->fitting.reset();
  } else {
    head_.reset();
  }
  const plan::Job& of = jobs_->jobs[job];
  const std::int64_t end_s = std::min(use->now() + of.length_s(), (*matched)->end);
  states_[job] = State::running;
  observer_.started(job, use->now(), end_s,
                    of.run_s > of.duration_s ? plan::Ending::limit : plan::Ending::done,
                    *use->grant(first_grant_ + job));
  ends_.push({end_s, job});
  return true;
}

bool ReplayObject::fits(std::uint32_t job) {
  check_waiting(job);
  const EngineObject::Use use(*engine_);
  return use->match(Operation::without_allocating, request_of(job), 0).has_value();
}

std::vector<bool> ReplayObject::which_fit(const std::vector<std::uint32_t>& jobs) {
  std::map<std::pair<std::uint32_t, std::int64_t>, bool> known;
  std::vector<bool> out;
  out.reserve(jobs.size());
  for (const std::uint32_t job : jobs) {
    check_waiting(job);
    const plan::Job& of = jobs_->jobs[job];
    const auto [at, is_new] = known.try_emplace({of.request, of.duration_s}, false);
    if (is_new) at->second = fits(job);
    out.push_back(at->second);
  }
  return out;
}

std::optional<std::int64_t> ReplayObject::start_of_head(std::uint32_t head) {
  if (!head_ || head_->job != head) head_ = Head{.job = head, .start_s = earliest(head)};
  return head_->start_s;
}

// Which resources the job gets decides, so it is granted and taken back. If it ends by the head's
// start, they are free then.
bool ReplayObject::fits_beside(std::uint32_t job, std::uint32_t head) {
  check_waiting(job);
  check_waiting(head);
  if (job == head) return fits(job);
  const auto start_s = start_of_head(head);
  const EngineObject::Use use(*engine_);
  const std::int64_t left_s = start_s ? *start_s - use->now() : INT64_MAX;
  bool stays = true;
  if (jobs_->jobs[job].duration_s <= left_s) {
    stays = use->match(Operation::without_allocating, request_of(job), 0).has_value();
  } else {
    const JobId tried = first_grant_ + job, behind = first_grant_ + head;
    if (!use->match(Operation::allocate, request_of(job), tried)) return false;
    stays = use->match_between(request_of(head), behind, *start_s, *start_s + 1).has_value();
    if (stays) check(use->cancel(behind));
    check(use->cancel(tried));
  }
  if (stays) head_->fitting = job;
  return stays;
}

Table ReplayObject::running_jobs() const {
  struct Row {
    std::int64_t end_s, start_s, job;
    JobId grant;
    NodeUse use;
    std::int64_t gpus;
  };
  const EngineObject::Use use(*engine_);
  const ResourceGraph& graph = use->graph();
  const TypeId gpu = graph.find_type("gpu");
  std::vector<NodeRange> ranges;
  std::vector<Row> rows;
  for (const JobId id : use->jobs()) {
    const Grant& grant = *use->grant(id);
    if (grant.start > use->now()) continue;
    const bool own = id >= first_grant_ && id - first_grant_ < states_.size();
    rows.push_back({grant.end, grant.start, own ? static_cast<std::int64_t>(id - first_grant_) : -1,
                    id, schedule_->record().node_rows().taken(grant.selection, ranges),
                    units_of(graph, grant.selection, gpu)});
  }
  std::ranges::stable_sort(rows, {}, &Row::end_s);
  Table out;
  out.add_each("job", rows, &Row::job);
  out.add_each("grant", rows, [](const Row& row) { return static_cast<std::int64_t>(row.grant); });
  out.add_each("start", rows, &Row::start_s);
  out.add_each("end", rows, &Row::end_s);
  out.add_each("nodes", rows, [](const Row& row) { return row.use.nodes; });
  out.add_each("cores", rows, [](const Row& row) { return row.use.cores; });
  out.add_each("gpus", rows, &Row::gpus);
  return out;
}

std::int64_t ReplayObject::free(const std::string& type) const {
  const EngineObject::Use use(*engine_);
  const TypeId id = use->graph().find_type(type);
  return id == kNoType ? 0 : use->free_units(use->graph().root(), id);
}

std::optional<std::int64_t> ReplayObject::earliest(std::uint32_t job) {
  check_waiting(job);
  const EngineObject::Use use(*engine_);
  const auto matched = use->match(Operation::without_allocating_future, request_of(job), 0);
  return matched ? std::optional((*matched)->start) : std::nullopt;
}

void ReplayObject::refuse(std::uint32_t job) {
  check_waiting(job);
  states_[job] = State::over;
  observer_.refused(job, now(), {ErrorCode::insufficient, "the discipline never started it", {}});
}

Table ReplayObject::sizes() const {
  const ResourceGraph& graph = engine_->engine().graph();
  std::vector<queue::JobSize> by_request;
  by_request.reserve(jobs_->requests.size());
  for (std::uint32_t r = 0; r < jobs_->requests.size(); ++r) {
    by_request.push_back(queue::size_of(jobs_->requests[r], graph));
  }
  Table out;
  for (std::size_t i = 0; i < queue::kSizeKeys.size(); ++i) {
    out.add_each(std::string(queue::kSizeKeys[i].name), jobs_->jobs,
                 [&](const plan::Job& job) { return by_request[job.request][i]; });
  }
  return out;
}

void ReplayObject::waits(std::size_t jobs) { observer_.advanced(now(), jobs); }

void bind_replay(py::module_& module) {
  py::class_<ReplayObject>(module, "Replay", "A stream of jobs, run step by step.")
      .def(py::init<std::shared_ptr<EngineObject>, StreamPointer, std::string>(), py::arg("engine"),
           py::arg("jobs"), py::arg("discipline") = "own")
      .def("step", &ReplayObject::step)
      .def("start", &ReplayObject::start)
      .def("fits", &ReplayObject::fits)
      .def("which_fit", &ReplayObject::which_fit)
      .def("fits_beside", &ReplayObject::fits_beside)
      .def("earliest", &ReplayObject::earliest)
      .def("running_jobs", &ReplayObject::running_jobs)
      .def("free", &ReplayObject::free)
      .def("refuse", &ReplayObject::refuse)
      .def("sizes", &ReplayObject::sizes)
      .def("waits", &ReplayObject::waits)
      .def_property_readonly("now", &ReplayObject::now)
      .def_property_readonly("running", &ReplayObject::running)
      .def_property_readonly("engine", &ReplayObject::engine)
      .def_property_readonly("schedule", &ReplayObject::schedule);
}

}  // namespace copse::python
