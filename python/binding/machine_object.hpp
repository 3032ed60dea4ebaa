// SPDX-License-Identifier: Apache-2.0
//
// copse.Machine: a machine as read from its description. Immutable: engines copy it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <pybind11/pybind11.h>

#include "host/load_machine.hpp"

namespace copse::python {

class MachineObject {
 public:
  explicit MachineObject(Machine machine, std::string file = {})
      : machine_(std::move(machine)), file_(std::move(file)) {}
  [[nodiscard]] static MachineObject load(const std::string& path, const std::string& format,
                                          const std::string& subsystem,
                                          const std::string& divisible);
  [[nodiscard]] static MachineObject read(std::string_view text, const std::string& format,
                                          const std::string& subsystem,
                                          const std::string& divisible);

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] const std::string& file() const { return file_; }  // "": read from a text
  [[nodiscard]] const ResourceGraph& graph() const { return machine_.graph; }
  [[nodiscard]] std::int64_t units(std::string_view type) const;
  [[nodiscard]] std::string svg() const;
  [[nodiscard]] std::string jgf() const;

 private:
  Machine machine_;
  std::string file_;
};

void bind_machine(pybind11::module_& module);

}  // namespace copse::python
