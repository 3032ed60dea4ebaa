// SPDX-License-Identifier: Apache-2.0
//
// A table as a capsule "arrow_array_stream": one batch, whose buffers are the table's own. Structs
// are those of Arrow's C data and C stream interfaces, whose layout is a promise of Arrow.
#pragma once

#include <pybind11/pybind11.h>

#include "table.hpp"

namespace copse::python {

// The schema that is requested is not looked at, which the interface allows.
[[nodiscard]] pybind11::capsule arrow_stream(const Table& table,
                                             const pybind11::object& requested_schema);

}  // namespace copse::python
