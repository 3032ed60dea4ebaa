// SPDX-License-Identifier: Apache-2.0
#include "explanation_object.hpp"

#include "explain/explanation.hpp"

namespace py = pybind11;

namespace copse::python {

std::string ExplanationObject::text() const {
  std::string out;
  append_explanation_text(out, *why_);
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

std::string ExplanationObject::json() const {
  std::string out;
  append_explanation_json(out, *why_);
  return out;
}

void bind_explanation(py::module_& module) {
  py::class_<ExplanationObject>(
      module, "Explanation",
      "Why a request gets nothing now, or that it fits. True if it fits.\n"
      "\n"
      "Units: times in seconds of the engine's clock.\n"
      "Shapes: text is lines, the verdict first; to_dict() nests findings below it.\n"
      "Raises: nothing.\n"
      "Cost: O(length of the text) each.\n"
      "Source: docs/reference/explanations.md.")
      .def_property_readonly(
          "verdict", [](const ExplanationObject& self) { return word(self.why().verdict); },
          "'fits', 'insufficient', 'infeasible' or 'invalid'.")
      .def_property_readonly("text", &ExplanationObject::text, "The verdict and its findings.")
      .def_property_readonly(
          "at", [](const ExplanationObject& self) { return self.why().at; },
          "The time that was tried.")
      .def_property_readonly(
          "until", [](const ExplanationObject& self) { return self.why().until; },
          "The end of the request at that time.")
      .def(
          "to_dict",
          [](const ExplanationObject& self) {
            return py::module_::import("json").attr("loads")(self.json());
          },
          "The explanation as `copse match --explain=json` writes it.")
      .def("__bool__",
           [](const ExplanationObject& self) { return self.why().verdict == Verdict::fits; })
      .def("__str__", &ExplanationObject::text)
      .def("__repr__", [](const ExplanationObject& self) {
        return std::string("<copse.Explanation ") + word(self.why().verdict) + ">";
      });
}

}  // namespace copse::python
