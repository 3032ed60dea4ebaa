// SPDX-License-Identifier: Apache-2.0
//
// copse._copse.Jobs: a stream of jobs, and where it is from.
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

// Streams of jobs never change once they were made.
struct StreamObject {
  plan::Jobs jobs;
  std::string file{};  // "": no file
  std::optional<double> offered_load{};
  std::optional<std::uint64_t> seed{};

  // What Jobs.read takes beside the text and its name.
  struct Words {
    std::int64_t processors_per_node = 0;
    std::string format{};
    std::vector<std::string> fields{};
    std::string events{};  // lines
    std::string events_file = "events";
    bool files = false;  // lines may name files of jobspecs
  };
  // Lists of a cluster and events of nodes need a machine. Throws Invalid, LimitExceeded, NotFound.
  [[nodiscard]] static std::shared_ptr<StreamObject> read(const std::string& text,
                                                          const std::string& file,
                                                          const MachineObject* machine,
                                                          const Words& words);
  [[nodiscard]] Table table() const;
};
using StreamPointer = std::shared_ptr<StreamObject>;

void bind_stream(pybind11::module_& module);

}  // namespace copse::python
