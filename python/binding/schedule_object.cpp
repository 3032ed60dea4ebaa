// SPDX-License-Identifier: Apache-2.0
#include "schedule_object.hpp"

#include <vector>

#include <pybind11/stl.h>

#include "base/version.hpp"
#include "draw/gantt.hpp"
#include "host/plugins.hpp"
#include "match/option_names.hpp"
#include "plan/output/jobs_csv.hpp"
#include "plan/output/summary_text.hpp"
#include "queue/config/queue_config.hpp"

namespace py = pybind11;

namespace copse::python {

ScheduleObject::ScheduleObject(std::shared_ptr<EngineObject> engine, StreamPointer stream)
    : engine_(std::move(engine)),
      stream_(std::move(stream)),
      rows_(engine_->engine().graph()),
      record_(stream_->jobs, rows_, true) {
  const EngineObject::Use use(*engine_);
  record_.add_outside_jobs(*use);
}

void ScheduleObject::run(const std::string& discipline, const std::string& priority) {
  const queue::QueueConfig queues{
      .queues = {{.discipline = value_of(choose_discipline(discipline))}},
      .rule = value_of(queue::find_priority_rule(priority))};
  discipline_ = discipline;
  priority_ = priority;
  const EngineObject::Use use(*engine_);
  const py::gil_scoped_release others_run;
  const plan::ScheduleObserver observer = record_.observer();
  check(plan::schedule(*use, stream_->jobs, queues, observer));
}

std::size_t ScheduleObject::runs() const {
  const EngineObject::Use use(*engine_);
  return record_.runs().size();
}

std::string ScheduleObject::summary() const {
  const EngineObject::Use use(*engine_);
  const EngineOptions& options = use->options();
  return plan::summary_json(record_.summary(), discipline_,
                            {.version = version(),
                             .machine = engine_->machine_file(),
                             .policy = options.policy.name,
                             .traverser = word(options.traverser),
                             .stream = stream_->file,
                             .priority = priority_,
                             .offered_load = stream_->offered_load,
                             .seed = stream_->seed});
}

Table ScheduleObject::table() const {
  using Run = plan::Record::Run;
  const EngineObject::Use use(*engine_);
  const auto& runs = record_.runs();
  const auto job = [&](const Run& run) -> const plan::Job& { return stream_->jobs.jobs[run.job]; };
  Table out;
  out.add_each("id", runs, [&](const Run& run) { return std::string_view(job(run).name); });
  out.add_each("job", runs, &Run::job);
  out.add_each("submit", runs, [&](const Run& run) { return job(run).submit_s; });
  out.add_each("start", runs, &Run::start_s);
  out.add_each("end", runs, &Run::end_s);
  out.add_each("nodes", runs, [](const Run& run) { return run.use.nodes; });
  out.add_each("cores", runs, [](const Run& run) { return run.use.cores; });
  return out;
}

std::string ScheduleObject::svg() const {
  const EngineObject::Use use(*engine_);
  std::string out;
  check(draw::write_gantt_svg(record_, discipline_, sink_into(out)));
  return out;
}

std::string ScheduleObject::csv() const {
  const EngineObject::Use use(*engine_);
  std::string out;
  const plan::CsvPart part{.record = record_};
  check(plan::write_jobs_csv({&part, 1}, sink_into(out)));
  return out;
}

void bind_schedule(py::module_& module) {
  py::class_<ScheduleObject, std::shared_ptr<ScheduleObject>>(
      module, "Schedule",
      "The result of a stream of jobs.\n"
      "\n"
      "Units: whole seconds of the stream; use in shares of 1.\n"
      "Shapes: to_table() has a row for each run, in the order of starts; len() counts them.\n"
      "Raises: Busy (another thread fills it, or uses its engine).\n"
      "Cost: O(runs) each.\n"
      "Source: docs/tools/plan.md; to_csv() writes what Batsim writes.")
      .def(py::init<std::shared_ptr<EngineObject>, StreamPointer>())
      .def("_run", &ScheduleObject::run)
      .def_property_readonly(
          "summary",
          [](const ScheduleObject& self) {
            return py::dict(py::module_::import("json").attr("loads")(self.summary())["summary"]);
          },
          "Waits (seconds), slowdown, use (shares of 1) and more, as `copse plan --summary` writes "
          "them; with what makes the schedule again: machine, policy, version.")
      .def("to_table", &ScheduleObject::table, "Starts, ends and sizes of the jobs that ran.")
      .def("to_csv", &ScheduleObject::csv, "The table that Batsim writes and evalys reads.")
      .def("_repr_svg_", &ScheduleObject::svg)
      .def("__len__", &ScheduleObject::runs)
      .def("__repr__", [](const ScheduleObject& self) {
        return "<copse.plan.Schedule of " + std::to_string(self.runs()) + " runs>";
      });
}

}  // namespace copse::python
