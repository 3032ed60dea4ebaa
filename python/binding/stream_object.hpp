// SPDX-License-Identifier: Apache-2.0
//
// copse._copse.Jobs: a stream of jobs and its source.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pybind11/pybind11.h>

#include "machine_object.hpp"
#include "plan/job.hpp"
#include "plan/record.hpp"
#include "table.hpp"

namespace copse::python {

// Immutable.
struct StreamObject {
  plan::Jobs jobs;
  std::string file{};  // "": none
  std::optional<double> offered_load{};
  std::optional<std::uint64_t> seed{};

  // Options of Jobs.read.
  struct Words {
    std::int64_t processors_per_node = 0;
    std::string format{};
    std::vector<std::string> fields{};
    std::string events{};  // JSON lines
    std::string events_file = "events";
    bool files = false;  // lines may refer to jobspec files
  };
  // Cluster lists and node events need a machine. Throws Invalid, LimitExceeded, NotFound.
  [[nodiscard]] static std::shared_ptr<StreamObject> read(const std::string& text,
                                                          const std::string& file,
                                                          const MachineObject* machine,
                                                          const Words& words);
  [[nodiscard]] Table table() const;
};
using StreamPointer = std::shared_ptr<StreamObject>;

void bind_stream(pybind11::module_& module);

}  // namespace copse::python
