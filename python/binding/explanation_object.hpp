// SPDX-License-Identifier: Apache-2.0
//
// copse.Explanation: why a request gets nothing now.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <pybind11/pybind11.h>

#include "copse/explain.hpp"

namespace copse::python {

class ExplanationObject {
 public:
  explicit ExplanationObject(std::shared_ptr<const Explanation> why) : why_(std::move(why)) {}
  [[nodiscard]] const Explanation& why() const { return *why_; }
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;

 private:
  std::shared_ptr<const Explanation> why_;
};

void bind_explanation(pybind11::module_& module);

}  // namespace copse::python
