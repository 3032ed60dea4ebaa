// SPDX-License-Identifier: Apache-2.0
#include "replay_object.hpp"

#include <algorithm>
#include <numeric>

#include <pybind11/stl.h>

#include "queue/config/job_limits.hpp"

namespace py = pybind11;

namespace copse::python {

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
  const plan::Job& of = jobs_->jobs[job];
  const std::int64_t end_s = std::min(use->now() + of.length_s(), (*matched)->end);
  states_[job] = State::running;
  observer_.started(job, use->now(), end_s,
                    of.run_s > of.duration_s ? plan::Ending::limit : plan::Ending::done,
                    *use->grant(first_grant_ + job));
  ends_.push({end_s, job});
  return true;
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
      .def("earliest", &ReplayObject::earliest)
      .def("refuse", &ReplayObject::refuse)
      .def("sizes", &ReplayObject::sizes)
      .def("waits", &ReplayObject::waits)
      .def_property_readonly("now", &ReplayObject::now)
      .def_property_readonly("running", &ReplayObject::running)
      .def_property_readonly("engine", &ReplayObject::engine)
      .def_property_readonly("schedule", &ReplayObject::schedule);
}

}  // namespace copse::python
