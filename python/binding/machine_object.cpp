// SPDX-License-Identifier: Apache-2.0
#include "machine_object.hpp"

#include <map>

#include <pybind11/stl.h>

#include "base/saturating.hpp"
#include "draw/machine_svg.hpp"
#include "formats/jgf/graph_jgf.hpp"
#include "formats/machine_formats.hpp"
#include "raise.hpp"

namespace py = pybind11;

namespace copse::python {

namespace {

std::map<std::string, std::int64_t> count_types(const ResourceGraph& graph) {
  std::map<std::string, std::int64_t> out;
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    std::int64_t& units = out[graph.type_name(PoolId{v})];
    units = saturating_sum(units, graph.size(PoolId{v}));
  }
  return out;
}

}  // namespace

MachineObject MachineObject::load(const std::string& path, const std::string& format,
                                  const std::string& subsystem, const std::string& divisible) {
  const py::gil_scoped_release others_run;
  return MachineObject(value_of(load_machine({.path = path,
                                              .format = format,
                                              .dominant = subsystem,
                                              .divisible = divisible,
                                              .treepool = true,
                                              .dash_is_input = false},
                                             nullptr)),
                       path);
}

MachineObject MachineObject::read(std::string_view text, const std::string& format,
                                  const std::string& subsystem, const std::string& divisible) {
  const py::gil_scoped_release others_run;
  return MachineObject(value_of(read_machine_text({.text = text,
                                                   .file = "text",
                                                   .dominant = subsystem,
                                                   .divisible = divisible,
                                                   .treepool = true},
                                                  format)));
}

std::int64_t MachineObject::units(std::string_view type) const {
  const auto all = count_types(graph());
  const auto at = all.find(std::string(type));
  return at == all.end() ? 0 : at->second;
}

std::string MachineObject::svg() const {
  const py::gil_scoped_release others_run;
  std::string out;
  check(draw::write_machine_svg({.graph = graph()}, out));
  return out;
}

std::string MachineObject::jgf() const {
  const py::gil_scoped_release others_run;
  std::string out;
  check(write_jgf(graph(), out));
  return out;
}

void bind_machine(py::module_& module) {
  py::class_<MachineObject>(
      module, "Machine",
      "A machine as read from its description. It is immutable; engines copy it.\n"
      "\n"
      "Units: units of a type, such as 32 cores; memory as the description counts it.\n"
      "Shapes: a tree of pools; len() counts them.\n"
      "Raises: Invalid (with file, line and column), LimitExceeded, Unsupported, InputOutput (a "
      "file).\n"
      "Cost: O(length of the text) to read; O(pools) each after that. load() and read() leave the "
      "GIL.\n"
      "Source: docs/reference/formats.md.")
      .def_static(
          "load", &MachineObject::load, py::arg("path"), py::kw_only(), py::arg("format") = "",
          py::arg("subsystem") = "containment", py::arg("divisible") = "",
          "Reads a file: GRUG, JGF, R, hwloc XML, slurm.conf or Slurm's node list.\n"
          "\n"
          "`divisible`: types, separated by commas, whose pools several jobs share, each with "
          "the units that it requests, as of Slurm's memory.")
      .def_static("read", &MachineObject::read, py::arg("text"), py::kw_only(),
                  py::arg("format") = "", py::arg("subsystem") = "containment",
                  py::arg("divisible") = "", "Reads a text in one of the same formats.")
      .def("count", &MachineObject::units, py::arg("type"), "Units of a type, 0 if it has none.")
      .def_property_readonly(
          "types", [](const MachineObject& self) { return count_types(self.graph()); },
          "Units by type.")
      .def("to_jgf", &MachineObject::jgf, "The machine as a text in JGF.")
      .def("_repr_svg_", &MachineObject::svg)
      .def("__len__", [](const MachineObject& self) { return self.graph().tree_count(); })
      .def("__repr__", [](const MachineObject& self) {
        return "<copse.Machine of " + std::to_string(self.graph().tree_count()) + " pools>";
      });
}

}  // namespace copse::python
