// SPDX-License-Identifier: Apache-2.0
//
// copse.Idset: a set of ids (RFC 22), with the names and operators of flux.idset.IDset.
#pragma once

#include <pybind11/pybind11.h>

#include "base/idset.hpp"

namespace copse::python {

// From an Idset, a text, a number or an iterable of numbers.
[[nodiscard]] Idset idset_of(const pybind11::handle& what);

void bind_idset(pybind11::module_& module);

}  // namespace copse::python
