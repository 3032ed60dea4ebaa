// SPDX-License-Identifier: Apache-2.0
//
// copse._copse: the classes written in C++.
#include <string>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "base/hostlist.hpp"
#include "base/version.hpp"
#include "engine_object.hpp"
#include "explanation_object.hpp"
#include "idset_object.hpp"
#include "machine_object.hpp"
#include "match_object.hpp"
#include "policy_object.hpp"
#include "queue_object.hpp"
#include "raise.hpp"
#include "replay_object.hpp"
#include "resource_set.hpp"
#include "schedule_object.hpp"
#include "stream_object.hpp"
#include "table.hpp"

namespace py = pybind11;

namespace {

// copse/__init__.py checks this before it loads the module, because loading may enable the GIL.
// This check covers programs that load the module directly, and builds without a GIL.
void refuse_free_threads() {
  const py::module_ sys = py::module_::import("sys");
  if (!py::hasattr(sys, "_is_gil_enabled") || sys.attr("_is_gil_enabled")().cast<bool>()) return;
  throw py::import_error(
      "copse needs the GIL: its objects are not made for several threads at one "
      "time; run python with PYTHON_GIL=1, or one that has a GIL");
}

}  // namespace

PYBIND11_MODULE(_copse, module) {
  namespace own = copse::python;
  refuse_free_threads();
  module.doc() = "The engine of Copse.";
  module.attr("__version__") = copse::version();
  own::bind_errors(module);
  own::bind_explanation(module);
  own::bind_idset(module);
  own::bind_resource_set(module);
  own::bind_machine(module);
  own::bind_table(module);
  own::bind_match(module);
  own::bind_policy(module);
  own::bind_engine(module);
  own::bind_stream(module);
  own::bind_schedule(module);
  own::bind_replay(module);
  own::bind_queue(module);
  module.def(
      "expand_hostlist",
      [](const std::string& text) { return own::value_of(copse::expand_hostlist(text)); },
      py::arg("text"));
  module.def("compress_hostlist", &copse::compress_hostlist, py::arg("hosts"));
}
