// SPDX-License-Identifier: Apache-2.0
#include "queue_object.hpp"

#include <pybind11/stl.h>

#include "copse/discipline.hpp"
#include "host/plugins.hpp"
#include "match_object.hpp"
#include "queue/answers/answer_text.hpp"
#include "queue/priorities.hpp"

namespace py = pybind11;

namespace copse::python {

namespace {

const char* state_word(queue::JobState state) {
  switch (state) {
    case queue::JobState::on_hold: return "held";
    case queue::JobState::waiting: return "waiting";
    case queue::JobState::promised: return "promised";
    case queue::JobState::running: return "running";
  }
  return "";
}

template <auto kEvent>
void tell(QueueObject& self, JobId job) {
  check(self.ask([&](queue::JobQueue& queue) { return (queue.*kEvent)(job); }));
}

template <auto kEvent>
void tell_number(QueueObject& self, JobId job, std::int64_t number) {
  check(self.ask([&](queue::JobQueue& queue) { return (queue.*kEvent)(job, number); }));
}

template <auto kEvent>
void tell_time(QueueObject& self, std::int64_t time) {
  check(self.ask([&](queue::JobQueue& queue) { return (queue.*kEvent)(time); }));
}

template <auto kNumber>
auto number(QueueObject& self) {
  return self.ask([](queue::JobQueue& queue) { return (queue.*kNumber)(); });
}

py::list decisions_of(QueueObject& self) {
  py::list out;
  for (const queue::Decision& decision : self.work()) out.append(py::cast(decision));
  return out;
}

void add_events(py::class_<QueueObject>& type) {
  type.def("cancel", &tell<&queue::JobQueue::cancel>, py::arg("job"), "Cancels a waiting job.")
      .def("hold", &tell<&queue::JobQueue::hold>, py::arg("job"),
           "Holds a job: it does not start until release().")
      .def("release", &tell<&queue::JobQueue::release>, py::arg("job"), "Releases a held job.")
      .def("set_priority", &tell_number<&queue::JobQueue::set_priority>, py::arg("job"),
           py::arg("priority"), "Jobs of a higher priority come first.")
      .def("set_duration", &tell_number<&queue::JobQueue::set_duration>, py::arg("job"),
           py::arg("duration"), "Changes the duration of a waiting job, in seconds.")
      .def("set_end", &tell_number<&queue::JobQueue::set_end>, py::arg("job"), py::arg("time"),
           "Changes the end of a running job.")
      .def("ended", &tell_number<&queue::JobQueue::ended>, py::arg("job"), py::arg("time"),
           "Reports the end of a running job.")
      .def("advance", &tell_time<&queue::JobQueue::advance>, py::arg("time"),
           "Moves the clock; due promised starts happen.");
}

}  // namespace

QueueObject::QueueObject(EngineObject& engine, const std::string& discipline,
                         const std::string& priority)
    : engine_(engine.clone()) {
  std::vector<queue::QueueSpec> queues(1);
  queues[0].discipline = value_of(choose_discipline(discipline));
  queue_ = std::make_unique<queue::JobQueue>(engine_->engine(), std::move(queues), log_,
                                             value_of(queue::find_priority_rule(priority)));
}

void QueueObject::submit(JobId job, const py::object& what, std::optional<std::int64_t> duration_s,
                         std::int64_t priority, bool held, const std::string& user) {
  const std::string kind = text_of(what);
  const Request request = parse_request(what, duration_s, {}, {});
  const EngineObject::Use use(*engine_);
  (void)value_of(queue_->submit({.id = job,
                                 .submit_s = engine_->engine().now(),
                                 .duration_s = request.duration_s,
                                 .priority = priority,
                                 .on_hold = held,
                                 .user = user,
                                 .kind = kind,
                                 .request = &request}));
}

std::deque<queue::Decision> QueueObject::work() {
  const EngineObject::Use use(*engine_);
  {
    const py::gil_scoped_release others_run;
    while (!queue_->work()) {
    }
  }
  return std::exchange(log_.decisions(), {});
}

std::string QueueObject::why(JobId job) {
  const EngineObject::Use use(*engine_);
  std::string out;
  queue::append_answer_text(out, value_of(log_.answers(*queue_).of(job)));
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

std::optional<std::int64_t> QueueObject::when(JobId job) {
  const EngineObject::Use use(*engine_);
  return value_of(log_.answers(*queue_).of(job)).expected_s;
}

void bind_queue(py::module_& module) {
  using queue::Decision;
  py::class_<Decision>(module, "Decision",
                       "A decision of a queue about a job.\n"
                       "\n"
                       "Units: times in seconds of the queue's clock.\n"
                       "Shapes: a record; start and end are 0 where they mean nothing.\n"
                       "Raises: nothing.\n"
                       "Cost: O(1).\n"
                       "Source: docs/develop/queue.md.")
      .def_property_readonly(
          "what", [](const Decision& self) { return queue::word(self.what); },
          "'started', 'promised', 'withdrawn', 'denied' or 'unplaceable'.")
      .def_readonly("job", &Decision::job, "Its number.")
      .def_readonly("start", &Decision::start_s, "When it starts, if it started or is promised.")
      .def_readonly("end", &Decision::end_s, "When its grant ends, if it started.")
      .def_readonly("reason", &Decision::reason,
                    "A sentence, if it was denied or is unplaceable; else ''.")
      .def("__repr__", [](const Decision& self) {
        return std::string("<copse.Decision: job ") + std::to_string(self.job) + " " +
               queue::word(self.what) + ">";
      });
  py::class_<QueueObject> type(
      module, "Queue",
      "Jobs that wait for resources, run and end. It has no clock: the program reports events, and "
      "says\n"
      "what becomes of the jobs.\n"
      "\n"
      "Units: whole seconds; higher priorities come first.\n"
      "Shapes: jobs are numbers; work() gives a list of Decisions, in their order.\n"
      "Raises: Busy (another thread uses it), Invalid, NotFound (a job), Exists. A job that the\n"
      "  empty machine could not serve is a decision: denied.\n"
      "Cost: an event O(log jobs); work() looks at those that wait, as its discipline does,\n"
      "  without the GIL; the first why() or when() after a change answers for all jobs.\n"
      "Source: docs/develop/queue.md.");
  type.def(py::init<EngineObject&, const std::string&, const std::string&>(), py::arg("engine"),
           py::kw_only(), py::arg("discipline") = "easy", py::arg("priority") = "fifo",
           "Over a clone of the engine.")
      .def("submit", &QueueObject::submit, py::arg("job"), py::arg("request"),
           py::arg("duration") = py::none(), py::kw_only(), py::arg("priority") = 0,
           py::arg("held") = false, py::arg("user") = "",
           "Submits a job; its request is a shape or a jobspec. work() decides about it.")
      .def("work", &decisions_of,
           "Works on waiting jobs; returns the decisions since the last call.")
      .def("why", &QueueObject::why, py::arg("job"), "Why a job waits.")
      .def("when", &QueueObject::when, py::arg("job"), "When a job starts, if known.")
      .def(
          "state",
          [](QueueObject& self, JobId job) -> py::object {
            const auto state = self.ask([&](queue::JobQueue& queue) { return queue.state(job); });
            return state ? py::object(py::str(state_word(*state))) : py::none();
          },
          py::arg("job"), "held, waiting, promised or running; None: it is not there.")
      .def_property_readonly("engine", &QueueObject::engine, "For queries; do not change it.")
      .def_property_readonly("next_time", &number<&queue::JobQueue::next_time>,
                             "When advance() is wanted next; None: at no time that is known.")
      .def_property_readonly("waiting", &number<&queue::JobQueue::waiting>,
                             "The number of waiting jobs.")
      .def_property_readonly("running", &number<&queue::JobQueue::running>,
                             "The number of running jobs.");
  add_events(type);
}

}  // namespace copse::python
