// SPDX-License-Identifier: Apache-2.0
#include "resource_set.hpp"

#include <map>
#include <optional>

#include <pybind11/stl.h>

#include "base/hostlist.hpp"
#include "base/idset_algebra.hpp"
#include "engine_object.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "idset_object.hpp"
#include "raise.hpp"
#include "request/constraint.hpp"
#include "rset/rset_algebra.hpp"
#include "rset/rset_properties.hpp"

namespace py = pybind11;

namespace copse::python {

namespace {

using Self = ResourceSetObject;
using Operator = Result<RSet> (*)(const RSet&, const RSet&);

template <Operator kOperator>
Self binary(const Self& self, const py::object& other) {
  return Self(value_of(kOperator(self.set(), Self::of(other).set())));
}

template <Operator kOperator>
Self fold(const Self& self, const py::args& others) {
  Self out = self;
  for (const py::handle other : others) {
    out = Self(value_of(kOperator(out.set(), Self::of(other).set())));
  }
  return out;
}

template <Operator kOperator>
py::object assign(const py::object& self, const py::args& others) {
  Self& set = self.cast<Self&>();
  set = fold<kOperator>(set, others);
  return self;
}

std::string hosts_of(const Self& self) { return compress_hostlist(self.set().hosts); }

py::object remove_ranks(const py::object& self, const py::object& ranks) {
  Self& set = self.cast<Self&>();
  set = Self(select_ranks(set.set(), subtract(set.set().ranks(), idset_of(ranks))));
  return self;
}

void set_property(Self& self, const std::string& name, const py::object& ranks) {
  check(add_property(self.set(), name, ranks.is_none() ? self.set().ranks() : idset_of(ranks)));
  self = Self(self.set());
}

std::map<std::string, std::string> properties_of(const Self& self) {
  std::map<std::string, std::string> out;
  for (const auto& [name, ranks] : self.set().properties) out[name] = ranks.text();
  return out;
}

void add_algebra(py::class_<Self>& type) {
  type.def("__or__", &binary<unite>)
      .def("__and__", &binary<intersect>)
      .def("__sub__", &binary<subtract>)
      .def("union", &fold<unite>, "A new set: the union.")
      .def("intersect", &fold<intersect>, "A new set: the intersection.")
      .def("diff", &fold<subtract>, "A new set: the difference.")
      .def("append", &assign<append>, "Adds disjoint sets. Raises Exists.")
      .def("add", &assign<unite>, "Adds sets.");
}

void add_counts(py::class_<Self>& type) {
  type.def(
          "count",
          [](const Self& self, const std::string& name) { return count(self.set(), name); },
          py::arg("name"), "The number of 'node', 'core' or 'gpu'.")
      .def_property_readonly(
          "ranks", [](const Self& self) { return self.set().ranks(); }, "A new Idset.")
      .def_property_readonly(
          "nnodes", [](const Self& self) { return count(self.set(), "node"); }, "Nodes: ranks.")
      .def_property_readonly(
          "ncores", [](const Self& self) { return count(self.set(), "core"); },
          "Cores of all ranks.")
      .def_property_readonly(
          "ngpus", [](const Self& self) { return count(self.set(), "gpu"); }, "Gpus of all ranks.")
      .def_property_readonly(
          "nodelist",
          [](const Self& self) {
            return py::module_::import("copse.hostlist").attr("Hostlist")(hosts_of(self));
          },
          "A Hostlist: a host for each rank, ascending.")
      .def("host_ranks", &Self::host_ranks, py::arg("hosts"), py::arg("ignore_nomatch") = false,
           "The ranks of hosts, in the order of the hosts. Raises NotFound, or skips it.")
      .def("get_properties", &properties_of, "Ranks by property.")
      .def("set_property", &set_property, py::arg("name"), py::arg("ranks") = py::none(),
           "Sets a property of some ranks; None: all. Raises Invalid (the name).")
      .def_property(
          "starttime", [](const Self& self) { return self.set().starttime_s; },
          [](Self& self, double time) { self.set().starttime_s = time; },
          "Seconds since 1970; 0: unknown.")
      .def_property(
          "expiration", [](const Self& self) { return self.set().expiration_s; },
          [](Self& self, double time) { self.set().expiration_s = time; },
          "Seconds since 1970; 0: no end.");
}

}  // namespace

Self Self::of(const py::handle& what) {
  if (py::isinstance<Self>(what)) return what.cast<Self>();
  if (what.is_none()) return Self(RSet());
  return Self(value_of(read_r(text_of(py::reinterpret_borrow<py::object>(what)), "R")));
}

std::string Self::encode() const {
  std::string out;
  append_r(out, set_);
  return out;
}

std::string Self::dumps() const {
  std::string out;
  append_r_short(out, set_);
  return out;
}

Self Self::copy_constraint(const std::string& constraint) const {
  const Constraint wanted = value_of(parse_constraint(constraint, "constraint"));
  const HostsByRank hosts(set_);
  const Idset all = set_.ranks();
  Idset keep;
  for (const auto& [first, last] : all.ranges()) {
    for (std::int64_t rank = first; rank <= last; ++rank) {
      std::map<std::string, std::string> has;
      for (const auto& [name, ranks] : set_.properties) {
        if (ranks.contains(rank)) has.emplace(name, "");
      }
      const std::string* const host = hosts.find(rank);
      if (holds(wanted, {.name = host == nullptr ? std::string_view() : *host,
                         .rank = rank,
                         .properties = &has})) {
        keep.add(rank);
      }
    }
  }
  return Self(select_ranks(set_, keep));
}

std::vector<std::int64_t> Self::host_ranks(const std::string& hosts, bool ignore_nomatch) const {
  std::multimap<std::string, std::int64_t> by_host;
  const Idset all = set_.ranks();
  std::size_t place = 0;
  for (const auto& [first, last] : all.ranges()) {
    for (std::int64_t rank = first; rank <= last && place < set_.hosts.size(); ++rank) {
      by_host.emplace(set_.hosts[place++], rank);
    }
  }
  std::vector<std::int64_t> out;
  for (const std::string& host : value_of(expand_hostlist(hosts))) {
    const auto [begin, end] = by_host.equal_range(host);
    if (begin == end && !ignore_nomatch) {
      throw Raised({ErrorCode::not_found, "no rank has the host " + host, {}});
    }
    for (auto at = begin; at != end; ++at) out.push_back(at->second);
  }
  return out;
}

void bind_resource_set(py::module_& module) {
  py::class_<Self> type(
      module, "ResourceSet",
      "Cores, gpus and more by rank. Operators and methods take a set, R as a text, or a dict.\n"
      "\n"
      "Units: times in seconds since 1970, 0: none; counts in cores, gpus and ranks.\n"
      "Shapes: ranks are an Idset, hosts a Hostlist, one for each rank in its order.\n"
      "Raises: Invalid (what is no R, with line and column), LimitExceeded, NotFound (a host).\n"
      "Cost: O(entries of R) each; to_dict() and encode() O(length of the text).\n"
      "Source: RFC 20 of Flux, with the names of flux.resource.ResourceSet.");
  type.def(py::init([](const py::object& r) { return Self::of(r); }), py::arg("R") = py::none())
      .def("__str__", &Self::dumps)
      .def("dumps", &Self::dumps, "Short: 'rank[0-3]/core[0-7]'.")
      .def_property_readonly("rlist", &Self::dumps, "The same as dumps().")
      .def("encode", &Self::encode, "R as a text.")
      .def(
          "to_dict",
          [](const Self& self) { return py::module_::import("json").attr("loads")(self.encode()); },
          "R as a dict.")
      .def("__repr__", [](const Self& self) { return "<copse.ResourceSet " + self.dumps() + ">"; })
      .def("__bool__", [](const Self& self) { return !self.set().entries.empty(); })
      .def("__eq__",
           [](const Self& self, const py::object& other) {
             return py::isinstance<Self>(other) && self.encode() == other.cast<Self>().encode();
           })
      .def(
          "copy", [](const Self& self) { return self; }, "A copy of the set.")
      .def("__copy__", [](const Self& self) { return self; })
      .def(
          "copy_ranks",
          [](const Self& self, const py::object& ranks) {
            return Self(select_ranks(self.set(), idset_of(ranks)));
          },
          py::arg("ranks"), "A new set: its part on these ranks.")
      .def(
          "copy_constraint",
          [](const Self& self, const py::object& constraint) {
            return self.copy_constraint(text_of(constraint));
          },
          py::arg("constraint"),
          "A new set: the ranks that satisfy a constraint of RFC 31, a text or a dict.")
      .def("remove_ranks", &remove_ranks, py::arg("ranks"),
           "Removes ranks; returns the set itself.");
  add_algebra(type);
  add_counts(type);
}

}  // namespace copse::python
