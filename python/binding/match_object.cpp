// SPDX-License-Identifier: Apache-2.0
#include "match_object.hpp"

#include <pybind11/stl.h>

#include "copse/formats.hpp"
#include "formats/selection_set.hpp"
#include "resource_set.hpp"

namespace py = pybind11;

namespace copse::python {

std::string MatchObject::text(const std::string& format) const {
  const EngineObject::Use use(*engine_);
  Match match = match_;
  if (match.end >= use->options().horizon) match.end = 0;  // RFC 20: no end
  std::string out = value_of(write_match(use->graph(), match, format));
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

RSet MatchObject::resources() const {
  const EngineObject::Use use(*engine_);
  SelectionSet maker;
  RSet out = maker.make(use->graph(), match_.selection);
  out.starttime_s = static_cast<double>(match_.start);
  out.expiration_s = match_.end >= use->options().horizon ? 0 : static_cast<double>(match_.end);
  return out;
}

void bind_match(py::module_& module) {
  py::class_<MatchObject>(
      module, "Match",
      "The resources of a job, granted or possible. It does not change when the job ends.\n"
      "\n"
      "Units: times in seconds of the engine's clock.\n"
      "Shapes: resources are a ResourceSet; str() is its short form, 'rank0/core[0-1]'.\n"
      "Raises: Busy (another thread uses the engine), Unsupported (a format).\n"
      "Cost: O(1) for numbers; O(what the job has) for resources and texts.\n"
      "Source: docs/library/python.md.")
      .def_property_readonly("job", &MatchObject::job, "Its number; 0 if nothing was granted.")
      .def_property_readonly(
          "start", [](const MatchObject& self) { return self.match().start; },
          "When it begins, in seconds.")
      .def_property_readonly(
          "end", [](const MatchObject& self) { return self.match().end; },
          "When it ends, in seconds.")
      .def_property_readonly("reserved", &MatchObject::reserved, "Whether it starts later.")
      .def_property_readonly(
          "nslots", [](const MatchObject& self) { return self.match().nslots; },
          "Slots, as TreePool counts them; 0: they were not counted.")
      .def_property_readonly(
          "remarks", [](const MatchObject& self) { return self.match().remarks; },
          "Remarks about the request, such as names that it lists twice.")
      .def("dumps", &MatchObject::text, py::arg("format") = "rv1_nosched",
           "As a text: rv1_nosched, rv1, jgf, simple, … (docs/reference/formats.md).")
      .def_property_readonly(
          "resources", [](const MatchObject& self) { return ResourceSetObject(self.resources()); },
          "Its cores and gpus, as a ResourceSet.")
      .def("__str__",
           [](const MatchObject& self) { return ResourceSetObject(self.resources()).dumps(); })
      .def("__repr__", [](const MatchObject& self) {
        return "<copse.Match of job " + std::to_string(self.job()) + ", " +
               std::to_string(self.match().start) + " s to " + std::to_string(self.match().end) +
               " s>";
      });
}

}  // namespace copse::python
