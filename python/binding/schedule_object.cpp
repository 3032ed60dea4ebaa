// SPDX-License-Identifier: Apache-2.0
#include "schedule_object.hpp"

#include <vector>

#include <pybind11/stl.h>

#include "copse/discipline.hpp"
#include "draw/gantt.hpp"
#include "plan/jobs_csv.hpp"
#include "plan/streams/job_reader.hpp"
#include "plan/workload.hpp"
#include "queue/config/queue_config.hpp"

namespace py = pybind11;

namespace copse::python {

namespace {

JobsPointer shared(Result<plan::Jobs> jobs) {
  return std::make_shared<plan::Jobs>(value_of(std::move(jobs)));
}

JobsPointer read(std::string_view text, const std::string& file, std::int64_t per_node) {
  const py::gil_scoped_release others_run;
  return shared(plan::read_jobs(text, file, {.processors_per_node = per_node}));
}

JobsPointer generate(std::uint64_t jobs, std::int64_t nodes, double load, std::uint64_t seed) {
  const py::gil_scoped_release others_run;
  return shared(plan::generate({.jobs = jobs, .nodes = nodes, .load = load, .seed = seed}));
}

Table table_of(const plan::Jobs& jobs) {
  Texts ids;
  std::vector<std::int64_t> submit, duration, run, priority;
  for (const plan::Job& job : jobs.jobs) {
    ids.add(job.name);
    submit.push_back(job.submit_s);
    duration.push_back(job.duration_s);
    run.push_back(job.run_s);
    priority.push_back(job.priority);
  }
  Table out;
  out.add("id", std::move(ids));
  out.add("submit", std::move(submit));
  out.add("duration", std::move(duration));
  out.add("run", std::move(run));
  out.add("priority", std::move(priority));
  return out;
}

std::string swf(const plan::Jobs& jobs) {
  std::string out;
  plan::append_swf(out, jobs);
  return out;
}

}  // namespace

ScheduleObject::ScheduleObject(std::shared_ptr<EngineObject> engine, JobsPointer jobs)
    : engine_(std::move(engine)),
      jobs_(std::move(jobs)),
      lanes_(engine_->engine().graph()),
      record_(*jobs_, lanes_, true) {
  record_.add_others(engine_->engine());
}

void ScheduleObject::run(const std::string& discipline, const std::string& priority) {
  const queue::QueueConfig queues{.lines = {{.discipline = value_of(find_discipline(discipline))}},
                                  .rule = value_of(queue::find_priority_rule(priority))};
  discipline_ = discipline;
  const EngineObject::Use use(*engine_);
  const py::gil_scoped_release others_run;
  const plan::Watch watch = record_.watch();
  check(plan::schedule(*use, *jobs_, queues, watch));
}

std::string ScheduleObject::summary() const {
  return plan::summary_json(record_.summary(), discipline_, {}, true);
}

Table ScheduleObject::table() const {
  Texts ids;
  std::vector<std::int64_t> job, submit, start, end, nodes, cores;
  for (const plan::Record::Run& run : record_.runs()) {
    const plan::Job& of = jobs_->jobs[run.job];
    ids.add(of.name);
    job.push_back(run.job);
    submit.push_back(of.submit_s);
    start.push_back(run.start_s);
    end.push_back(run.end_s);
    nodes.push_back(run.use.nodes);
    cores.push_back(run.use.cores);
  }
  Table out;
  out.add("id", std::move(ids));
  out.add("job", std::move(job));
  out.add("submit", std::move(submit));
  out.add("start", std::move(start));
  out.add("end", std::move(end));
  out.add("nodes", std::move(nodes));
  out.add("cores", std::move(cores));
  return out;
}

std::string ScheduleObject::svg() const {
  std::string out;
  check(plan::write_gantt_svg(record_, discipline_, sink_into(out)));
  return out;
}

std::string ScheduleObject::csv() const {
  std::string out;
  const plan::CsvPart part{.record = record_};
  check(plan::write_jobs_csv({&part, 1}, sink_into(out)));
  return out;
}

void bind_schedule(py::module_& module) {
  py::class_<plan::Jobs, JobsPointer>(module, "Jobs", "A stream of jobs.")
      .def_static("read", &read, py::arg("text"), py::arg("file") = "jobs",
                  py::arg("processors_per_node") = 0, "Of JSON lines or a trace (SWF).")
      .def_static("generate", &generate, py::arg("jobs"), py::arg("nodes"), py::kw_only(),
                  py::arg("load") = 0.7, py::arg("seed") = 1,
                  "A synthetic stream for a machine of so many nodes.")
      .def("to_table", &table_of, "Columns id, submit, duration, run, priority.")
      .def("to_swf", &swf, "The stream as a trace.")
      .def("__len__", [](const plan::Jobs& self) { return self.jobs.size(); })
      .def("__repr__", [](const plan::Jobs& self) {
        return "<copse.plan.Jobs: " + std::to_string(self.jobs.size()) + " jobs>";
      });
  py::class_<ScheduleObject, std::shared_ptr<ScheduleObject>>(module, "Schedule",
                                                              "What became of a stream of jobs.")
      .def(py::init<std::shared_ptr<EngineObject>, JobsPointer>())
      .def("_run", &ScheduleObject::run)
      .def_property_readonly(
          "summary",
          [](const ScheduleObject& self) {
            return py::dict(py::module_::import("json").attr("loads")(self.summary())["summary"]);
          },
          "Waits, slowdown, use and more, as `copse plan --summary` writes them.")
      .def("to_table", &ScheduleObject::table, "Starts, ends and sizes of the jobs that ran.")
      .def("to_csv", &ScheduleObject::csv, "The table that Batsim writes and evalys reads.")
      .def("_repr_svg_", &ScheduleObject::svg)
      .def("__len__", [](const ScheduleObject& self) { return self.record().runs().size(); })
      .def("__repr__", [](const ScheduleObject& self) {
        return "<copse.plan.Schedule of " + std::to_string(self.record().runs().size()) + " runs>";
      });
}

}  // namespace copse::python
