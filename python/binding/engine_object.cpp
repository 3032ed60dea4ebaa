// SPDX-License-Identifier: Apache-2.0
#include "engine_object.hpp"

#include <pybind11/stl.h>

#include "copse/save.hpp"
#include "host/plugins.hpp"
#include "match/option_names.hpp"
#include "policy_object.hpp"
#include "request/constraint.hpp"
#include "request/hres.hpp"
#include "request/request_checks.hpp"
#include "request/shape.hpp"

namespace py = pybind11;

namespace copse::python {

namespace {

Result<Traverser> traverser_of(std::string_view name) {
  if (const auto known = parse_traverser(name)) return *known;
  return fail(ErrorCode::not_found, "traverser \"" + std::string(name.substr(0, 64)) +
                                        "\" is not one of simple, flexible, loop-aware, treepool");
}

bool is_jobspec(std::string_view text) {
  return text.find('\n') != text.npos || text.find_first_not_of(" \t") == text.find('{');
}

}  // namespace

std::string text_of(const py::object& what) {
  if (py::isinstance<py::str>(what)) return what.cast<std::string>();
  return py::module_::import("json").attr("dumps")(what).cast<std::string>();
}

Request parse_request(const py::object& what, std::optional<std::int64_t> duration_s,
                      const std::string& constraint, const std::string& hres) {
  const std::string text = text_of(what);
  Request out;
  if (is_jobspec(text)) {
    out = value_of(parse_jobspec(text, "jobspec"));
  } else {
    out = value_of(parse_shape(text, "shape"));
    out.slots_share = true;
  }
  if (duration_s && *duration_s < 0) {
    throw Raised({ErrorCode::invalid, "the duration is below 0", {}});
  }
  if (duration_s) {
    out.duration_s = *duration_s;
    out.duration_invalid = false;
  }
  if (!constraint.empty()) out.constraint = value_of(parse_constraint(constraint, "constraint"));
  if (!hres.empty()) out.hres = value_of(parse_hres_request(hres, SourceLocation{"hres", 1, 1}));
  return out;
}

std::shared_ptr<EngineObject> EngineObject::create(const MachineObject& machine,
                                                   const py::object& policy,
                                                   const std::string& traverser, std::int64_t now,
                                                   std::int64_t horizon) {
  EngineOptions options{.policy = policy_of(policy)};
  options.traverser = value_of(traverser_of(traverser));
  options.now = now;
  if (horizon > 0) options.horizon = horizon;
  if (now < 0 || options.horizon <= now || options.horizon > INT64_MAX / 2) {
    throw Raised(
        {ErrorCode::invalid, "the clock must start at 0 or later, and before its end", {}});
  }
  bound_by_times(machine.machine(), options);
  const py::gil_scoped_release others_run;
  return std::make_shared<EngineObject>(
      value_of(Engine::create(machine.graph(), std::move(options), machine.machine().layouts)), 1,
      machine.file());
}

std::shared_ptr<EngineObject> EngineObject::load(std::string_view bytes) {
  const py::gil_scoped_release others_run;
  auto loaded = value_of(copse::load(bytes, value_of(policies_of_environment())));
  auto out = std::make_shared<EngineObject>(std::move(loaded.engine));
  for (const JobId job : out->engine().jobs()) out->granted(job);
  return out;
}

std::shared_ptr<EngineObject> EngineObject::clone() {
  const Use use(*this);
  const py::gil_scoped_release others_run;
  return std::make_shared<EngineObject>(use->clone(), next_job_, machine_file_);
}

JobId EngineObject::job_of(std::optional<JobId> named) {
  if (named && *named == 0) throw Raised({ErrorCode::invalid, "a job must not be 0", {}});
  if (named) return *named;
  // Queues and replays grant without this object.
  while (next_job_ == 0 || engine_->grant(next_job_) != nullptr) ++next_job_;
  return next_job_;
}

RequestObject RequestObject::of(const std::shared_ptr<EngineObject>& engine, const py::object& what,
                                std::optional<std::int64_t> duration_s,
                                const std::string& constraint, const std::string& hres) {
  Request request = parse_request(what, duration_s, constraint, hres);
  const EngineObject::Use use(*engine);
  if (auto wrong = fit_units(use->graph(), request)) throw Raised(std::move(*wrong));
  return {engine, value_of(use->prepare(std::move(request)))};
}

PreparedRequest& RequestObject::prepared(const EngineObject& engine) {
  if (engine_.get() != &engine) {
    throw Raised(
        {ErrorCode::invalid, "the request belongs to another engine: prepare it for this one", {}});
  }
  return prepared_;
}

void RequestObject::set_duration(std::int64_t duration_s) {
  if (duration_s < 0) throw Raised({ErrorCode::invalid, "the duration is below 0", {}});
  const EngineObject::Use use(*engine_);
  prepared_.set_duration(duration_s);
}

void bind_engine(py::module_& module) {
  py::class_<RequestObject>(
      module, "Request",
      "A request, compiled for one engine; Engine.prepare() makes it.\n"
      "\n"
      "Units: a duration in whole seconds, 0: without end.\n"
      "Shapes: none; it is given to match(), reserve() and the others as it is.\n"
      "Raises: Invalid (a duration below 0, another engine's request), Busy.\n"
      "Cost: O(1) each; a match with it looks up no names.\n"
      "Source: RFC 14 and 25 of Flux (jobspecs), RFC 46 (shapes).")
      .def("set_duration", &RequestObject::set_duration, py::arg("seconds"),
           "Changes the duration of the request; 0: no end.");

  EngineClass engine(
      module, "Engine",
      "A machine, what runs on it and what is reserved. For one thread at a time.\n"
      "\n"
      "Units: whole seconds of its own clock, which begins at `now` and ends at `horizon`.\n"
      "Shapes: jobs are numbers from 1 on; grants() is a Table, free() a Column with a node each.\n"
      "Raises: Busy (another thread uses it), Invalid, LimitExceeded, Unsupported; NotFound for\n"
      "  what does not exist, Exists for a job that already exists. A call that raises changes "
      "nothing.\n"
      "Cost: a match looks at what its policy visits, microseconds mostly; clone() shares memory;\n"
      "  cancel() O(what the job has); grants() O(grants); save() O(machine + grants).\n"
      "Source: docs/library/python.md; include/copse/engine.hpp has the costs one by one.");
  engine
      .def(py::init(&EngineObject::create), py::arg("machine"), py::kw_only(),
           py::arg("policy") = "compact", py::arg("traverser") = "simple", py::arg("now") = 0,
           py::arg("horizon") = 0,
           "`policy` is a name, or a plugin of your own, as for `copse -P`: './own.so'; or a "
           "function\n"
           "that is called with a Visit for each pool and returns its score (much slower). The "
           "function\n"
           "may have an attribute `prefer_high`. What it raises becomes a RuntimeError; in a queue "
           "it "
           "refuses the job.")
      .def_static(
          "load", [](const py::bytes& bytes) { return EngineObject::load(std::string(bytes)); },
          py::arg("bytes"), "The engine that save() wrote.")
      .def("clone", &EngineObject::clone,
           "An engine in the same state. The two share memory until one of them changes.")
      .def("__copy__", &EngineObject::clone)
      .def("prepare", &RequestObject::of, py::arg("request"), py::arg("duration") = py::none(),
           py::kw_only(), py::arg("constraint") = "", py::arg("hres") = "",
           "Compiles a jobspec (a text or a dict) or a shape such as 'slot=1/core=2'.");
  bind_matches(engine);
  bind_views(engine);
}

}  // namespace copse::python
