// SPDX-License-Identifier: Apache-2.0
//
// A table as a capsule "arrow_array_stream": one batch that shares the table's buffers. The structs
// are those of Arrow's C data and C stream interfaces, which are a stable ABI.
#pragma once

#include <pybind11/pybind11.h>

#include "table.hpp"

namespace copse::python {

// The requested schema is ignored, as the interface allows.
[[nodiscard]] pybind11::capsule arrow_stream(const Table& table,
                                             const pybind11::object& requested_schema);

}  // namespace copse::python
