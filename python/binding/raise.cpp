// SPDX-License-Identifier: Apache-2.0
#include "raise.hpp"

#include "explanation_object.hpp"
#include "match/shared/scores.hpp"

namespace py = pybind11;

namespace copse::python {

namespace {

const char* class_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid: return "Invalid";
    case ErrorCode::limit: return "LimitExceeded";
    case ErrorCode::not_found: return "NotFound";
    case ErrorCode::exists: return "Exists";
    case ErrorCode::insufficient: return "Insufficient";
    case ErrorCode::infeasible: return "Infeasible";
    case ErrorCode::unsupported: return "Unsupported";
    case ErrorCode::io: return "InputOutput";
  }
  return "Error";
}

void set_exception(const char* name, const py::object& exception) {
  const py::object type = py::module_::import("copse.errors").attr(name);
  PyErr_SetObject(type.ptr(), exception.ptr());
}

void raise(const Raised& raised) {
  const Error& error = raised.error();
  if (is_visit_failure(error)) {  // what a function in Python raised
    PyErr_SetString(PyExc_RuntimeError, error.text.c_str());
    return;
  }
  const char* const name = class_of(error.code);
  const py::object why =
      raised.why() == nullptr ? py::none() : py::cast(ExplanationObject(raised.why()));
  const py::object type = py::module_::import("copse.errors").attr(name);
  set_exception(name, type(error.message(), py::arg("file") = error.place.file,
                           py::arg("line") = error.place.line,
                           py::arg("column") = error.place.column, py::arg("explanation") = why));
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const Raised& raised) {
    raise(raised);
  } catch (const InUse&) {
    set_exception("Busy", py::str("another thread is using the object"));
  }
}

}  // namespace

void bind_errors(py::module_&) { py::register_local_exception_translator(translate); }

}  // namespace copse::python
