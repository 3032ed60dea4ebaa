// SPDX-License-Identifier: Apache-2.0
#include "policy_object.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <pybind11/stl.h>

#include "copse/policy/visit.hpp"
#include "host/plugins.hpp"
#include "raise.hpp"

namespace py = pybind11;

namespace copse::python {

namespace {

// A Visit as Python has it: it ends with the call.
class VisitObject {
 public:
  explicit VisitObject(Visit& visit) : visit_(&visit) {}
  void end() { visit_ = nullptr; }
  Visit& operator*() const {
    if (visit_ == nullptr) {
      throw Raised({ErrorCode::invalid, "a Visit is valid only while the policy is called", {}});
    }
    return *visit_;
  }
  Visit* operator->() const { return &**this; }

 private:
  Visit* visit_;
};

using SharedVisit = std::shared_ptr<VisitObject>;

const char* word(Visit::Event event) {
  switch (event) {
    case Visit::Event::pool: return "pool";
    case Visit::Event::slot: return "slot";
    default: return "request";
  }
}

py::dict dict_of(const WantedPools& wanted) {
  return py::dict(py::arg("type") = wanted.type, py::arg("least") = wanted.least,
                  py::arg("most") = wanted.most, py::arg("takes") = wanted.takes,
                  py::arg("label") = wanted.label);
}

std::vector<py::dict> below(const SharedVisit& self) {
  std::vector<py::dict> out;
  for (const WantedPools& wanted : (*self)->below()) out.push_back(dict_of(wanted));
  return out;
}

std::vector<py::dict> found(const SharedVisit& self) {
  Visit& visit = **self;
  std::vector<py::dict> out;
  for (const FoundPools& f : visit.found()) {
    out.push_back(py::dict(py::arg("type") = f.type, py::arg("name") = visit.graph.name(f.pool),
                           py::arg("id") = visit.graph.id(f.pool), py::arg("score") = f.score,
                           py::arg("units") = f.units));
  }
  return out;
}

// The best by a key: the highest first; without one, by score as the policy prefers.
std::int64_t choose_best(const SharedVisit& self, const std::string& type, std::int64_t units,
                         const py::object& key) {
  Visit& visit = **self;
  if (key.is_none()) return visit.choose_best(type, units);
  const std::vector<py::dict> all = found(self);
  std::vector<std::size_t> order;
  std::vector<py::object> keys(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (visit.found()[i].type != type) continue;
    keys[i] = key(all[i]);
    order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] > keys[b]; });
  std::int64_t chosen = 0;
  for (std::size_t i = 0; i < order.size() && chosen < units; ++i) {
    if (visit.choose(order[i])) chosen += visit.found()[order[i]].units;
  }
  return chosen;
}

std::vector<py::dict> above(const SharedVisit& self) {
  Visit& visit = **self;
  std::vector<py::dict> out;
  for (const PoolAbove& a : visit.above()) {
    out.push_back(py::dict(py::arg("subsystem") = a.subsystem,
                           py::arg("name") = visit.graph.name(a.pool), py::arg("size") = a.size,
                           py::arg("free") = a.free));
  }
  return out;
}

std::vector<std::pair<std::uint64_t, std::string>> jobs(const SharedVisit& self) {
  std::vector<std::pair<std::uint64_t, std::string>> out;
  for (const JobOnPool& other : (*self)->jobs((*self)->pool)) {
    out.emplace_back(other.job, other.user);
  }
  return out;
}

std::optional<std::string> property_of(const SharedVisit& self, const std::string& key) {
  const auto value = (*self)->graph.property((*self)->pool, key);
  return value ? std::optional<std::string>(*value) : std::nullopt;
}

// The exception of a policy becomes one of C++ while its text can be read.
Score call(Visit& visit) {
  const py::gil_scoped_acquire mine;
  const SharedVisit object = std::make_shared<VisitObject>(visit);
  try {
    const py::object function =
        py::reinterpret_borrow<py::object>(static_cast<PyObject*>(visit.context));
    const Score score = function(object).cast<Score>();
    object->end();
    return score;
  } catch (const std::exception& thrown) {  // of Python, or what it returned is not a number
    const std::string text = thrown.what();
    object->end();
    throw std::runtime_error(text);
  }
}

void release_policy(void* function) {
  if (Py_IsInitialized() == 0) return;
  const py::gil_scoped_acquire mine;
  py::reinterpret_steal<py::object>(static_cast<PyObject*>(function));
}

}  // namespace

Policy policy_of(const py::object& what) {
  if (py::isinstance<py::str>(what))
    return value_of(choose_policy(what.cast<std::string>())).policy;
  if (PyCallable_Check(what.ptr()) == 0) {
    throw Raised({ErrorCode::not_found, "a policy is a name or a function", {}});
  }
  Policy out;
  out.name = py::str(py::getattr(what, "__name__", py::type::of(what).attr("__name__")))
                 .cast<std::string>();
  out.prefer_high = py::getattr(what, "prefer_high", py::bool_(true)).cast<bool>();
  out.visit = call;
  out.context = std::shared_ptr<void>(py::object(what).release().ptr(), release_policy);
  return out;
}

void bind_policy(py::module_& module) {
  py::class_<VisitObject, SharedVisit>(
      module, "Visit",
      "What a policy is called with: a pool that a request names, after everything below it was\n"
      "visited. The function returns a score; 0 or less refuses the pool.\n"
      "\n"
      "Units: times in seconds of the engine's clock; sizes as the machine counts them.\n"
      "Shapes: lists of dicts.\n"
      "Raises: Invalid (used after the call).\n"
      "Cost: a call of Python for each pool; each member O(what it lists).\n"
      "Source: include/copse/policy/visit.hpp; docs/reference/policies.md.")
      .def_property_readonly(
          "event", [](const SharedVisit& self) { return word((*self)->event); },
          "'pool'; 'slot', for a slot that can be formed; 'request' at the end.")
      .def_property_readonly(
          "wanted", [](const SharedVisit& self) { return dict_of((*self)->wanted); },
          "The vertex of the request: {'type', 'least', 'most', 'label'}.")
      .def_property_readonly(
          "type",
          [](const SharedVisit& self) { return std::string((*self)->graph.type((*self)->pool)); },
          "The pool's type.")
      .def_property_readonly(
          "name", [](const SharedVisit& self) { return (*self)->graph.name((*self)->pool); },
          "The pool's name.")
      .def_property_readonly(
          "path", [](const SharedVisit& self) { return (*self)->graph.path((*self)->pool); },
          "The pool's path.")
      .def_property_readonly(
          "id", [](const SharedVisit& self) { return (*self)->graph.id((*self)->pool); },
          "The pool's id; -1: none.")
      .def_property_readonly(
          "size", [](const SharedVisit& self) { return (*self)->graph.size((*self)->pool); },
          "The pool's units.")
      .def("property", &property_of, py::arg("key"), "A property of the pool; None: it has none.")
      .def_property_readonly(
          "score", [](const SharedVisit& self) { return (*self)->score; },
          "The score without the policy: the id and 2; of a slot 1 and the scores of its pools.")
      .def_property_readonly(
          "start", [](const SharedVisit& self) { return (*self)->start; }, "The window begins.")
      .def_property_readonly(
          "end", [](const SharedVisit& self) { return (*self)->end; }, "The window ends.")
      .def_property_readonly(
          "job", [](const SharedVisit& self) { return (*self)->job; }, "The job; 0: a question.")
      .def_property_readonly(
          "user", [](const SharedVisit& self) { return std::string((*self)->user); },
          "Its user; '': not known.")
      .def_property_readonly("below", &below,
                             "What the request names below: [{'type', 'least', 'most', 'takes'}].")
      .def_property_readonly("found", &found,
                             "What was found below: [{'type', 'name', 'id', 'score', 'units'}].")
      .def(
          "units",
          [](const SharedVisit& self, const std::string& type) { return (*self)->units(type); },
          py::arg("type"), "Units of a type that were found below.")
      .def(
          "choose",
          [](const SharedVisit& self, std::size_t number) { return (*self)->choose(number); },
          py::arg("number"), "Chooses found[number], after those chosen before.")
      .def("choose_best", &choose_best, py::arg("type"), py::arg("units"),
           py::arg("key") = py::none(),
           "Chooses the best of a type until they have these units: by a key of found, highest "
           "first.")
      .def_property_readonly(
          "above", &above,
          "Pools above in auxiliary subsystems: [{'subsystem', 'name', 'size', 'free'}].")
      .def("jobs", &jobs, "The other jobs that have something of the pool: [(job, user)].");
}

}  // namespace copse::python
