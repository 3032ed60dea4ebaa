// SPDX-License-Identifier: Apache-2.0
//
// Policies in Python: a name, a plugin, or a function that is called for each visited pool
// (copse/policy/visit.hpp), with a copse.Visit.
#pragma once

#include <pybind11/pybind11.h>

#include "copse/policy.hpp"

namespace copse::python {

// A text names a policy; anything else is called. Its attribute `prefer_high` (True) says which scores
// come first. Throws Raised, as choose_policy; not_found (neither a text nor callable).
[[nodiscard]] Policy policy_of(const pybind11::object& what);

void bind_policy(pybind11::module_& module);

}  // namespace copse::python
