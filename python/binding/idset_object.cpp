// SPDX-License-Identifier: Apache-2.0
#include "idset_object.hpp"

#include <optional>
#include <vector>

#include <pybind11/stl.h>

#include "base/idset_algebra.hpp"
#include "raise.hpp"

namespace py = pybind11;

namespace copse::python {

namespace {

// The set of a range. Throws Invalid.
Idset range_of(std::int64_t first, std::int64_t last) {
  if (first < 0 || last < first || last >= Idset::kIdMax) {
    throw Raised({ErrorCode::invalid, "ids are 0 or more, and ascend", {}});
  }
  Idset out;
  out.add_range(first, last);
  return out;
}

// Iterates over a copy of the set.
class Ids {
 public:
  explicit Ids(Idset set) : set_(std::move(set)) {}
  std::int64_t next() {
    const auto& ranges = set_.ranges();
    if (range_ == ranges.size()) throw py::stop_iteration();
    const std::int64_t id = ranges[range_].first + within_++;
    if (id == ranges[range_].second) {
      ++range_;
      within_ = 0;
    }
    return id;
  }

 private:
  Idset set_;
  std::size_t range_ = 0;
  std::int64_t within_ = 0;
};

std::optional<std::int64_t> next_after(const Idset& set, std::int64_t id) {
  for (const auto& [first, last] : set.ranges()) {
    if (last > id) return std::max(first, id + 1);
  }
  return std::nullopt;
}

using Operator = Idset (*)(const Idset&, const Idset&);

template <Operator kOperator>
Idset fold(const Idset& self, const py::args& others) {
  Idset out = self;
  for (const py::handle other : others) out = kOperator(out, idset_of(other));
  return out;
}

template <Operator kOperator>
Idset binary(const Idset& self, const py::object& other) {
  return kOperator(self, idset_of(other));
}

template <Operator kOperator>
py::object assign(const py::object& self, const py::object& other) {
  Idset& set = self.cast<Idset&>();
  set = kOperator(set, idset_of(other));
  return self;
}

void add_algebra(py::class_<Idset>& type) {
  type.def("__or__", &binary<unite>)
      .def("__add__", &binary<unite>)
      .def("__and__", &binary<intersect>)
      .def("__sub__", &binary<subtract>)
      .def("__iadd__", &assign<unite>)
      .def("__ior__", &assign<unite>)
      .def("__iand__", &assign<intersect>)
      .def("__isub__", &assign<subtract>)
      .def("union", &fold<unite>, "A new set: the ids of any of them.")
      .def("intersect", &fold<intersect>, "A new set: the ids of all of them.")
      .def("difference", &fold<subtract>, "A new set: its ids without those of the others.")
      .def("add", &assign<unite>, "Adds ids; the set itself.")
      .def("subtract", &assign<subtract>, "Removes ids; returns the set itself.");
}

}  // namespace

Idset idset_of(const py::handle& what) {
  if (py::isinstance<Idset>(what)) return what.cast<Idset>();
  if (py::isinstance<py::str>(what)) return value_of(Idset::parse(what.cast<std::string>()));
  if (py::isinstance<py::int_>(what)) {
    const auto id = what.cast<std::int64_t>();
    return range_of(id, id);
  }
  Idset out;
  for (const py::handle id : py::iter(what)) {
    const auto one = id.cast<std::int64_t>();
    out = unite(out, range_of(one, one));
  }
  return out;
}

void bind_idset(py::module_& module) {
  py::class_<Ids>(module, "_Ids")
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &Ids::next);
  py::class_<Idset> type(module, "Idset",
                         "A set of ids, such as '0-3,7'. Operators and methods take a set, its "
                         "text, an id or several.\n"
                         "\n"
                         "Units: ids, from 0 on.\n"
                         "Shapes: a sorted set; iterating gives each id once, ascending.\n"
                         "Raises: Invalid (a text that is no set, an id below 0).\n"
                         "Cost: O(ranges) each, 16 bytes a range; expand() and iterating O(ids).\n"
                         "Source: RFC 22 of Flux, with the names of flux.idset.IDset.");
  type.def(py::init([](const py::object& ids) { return idset_of(ids); }), py::arg("ids") = "")
      .def("__str__", [](const Idset& self) { return self.text(); })
      .def("__repr__", [](const Idset& self) { return "Idset('" + self.text() + "')"; })
      .def(
          "encode", [](const Idset& self, bool brackets) { return self.text(brackets); },
          py::arg("brackets") = false,
          "The set as a text: '0-3,7'; with brackets '[0-3,7]', if it has more than one id.")
      .def("__len__", &Idset::count)
      .def("count", &Idset::count, "The number of ids.")
      .def("__contains__", &Idset::contains)
      .def("test", &Idset::contains, "Whether it contains an id.")
      .def("__iter__", [](const Idset& self) { return Ids(self); })
      .def(
          "expand", [](const py::object& self) { return py::list(self); },
          "The ids as a list, ascending.")
      .def("__eq__",
           [](const Idset& self, const py::object& other) {
             return py::isinstance<Idset>(other) && self == other.cast<const Idset&>();
           })
      .def(
          "equal",
          [](const Idset& self, const py::object& other) { return self == idset_of(other); },
          "Whether the other set, or its text, has the same ids.")
      .def(
          "copy", [](const Idset& self) { return self; }, "A copy of the set.")
      .def("__copy__", [](const Idset& self) { return self; })
      .def(
          "set",
          [](const py::object& self, std::int64_t first, std::optional<std::int64_t> last) {
            Idset& set = self.cast<Idset&>();
            set = unite(set, range_of(first, last.value_or(first)));
            return self;
          },
          py::arg("first"), py::arg("last") = py::none(), "Adds an id or a range.")
      .def(
          "clear",
          [](const py::object& self, std::int64_t first, std::optional<std::int64_t> last) {
            Idset& set = self.cast<Idset&>();
            set = subtract(set, range_of(first, last.value_or(first)));
            return self;
          },
          py::arg("first"), py::arg("last") = py::none(), "Removes an id or a range.")
      .def(
          "first", [](const Idset& self) { return next_after(self, -1); },
          "The least id; None for an empty set.")
      .def("next", &next_after, py::arg("id"), "The least id above this one, or None.")
      .def(
          "last",
          [](const Idset& self) {
            return self.empty() ? std::nullopt : std::optional(self.ranges().back().second);
          },
          "The greatest id; None for an empty set.");
  add_algebra(type);
}

}  // namespace copse::python
