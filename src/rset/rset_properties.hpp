// SPDX-License-Identifier: Apache-2.0
//
// Properties of ranks (RFC 20): "fast"; "amd-mi50@gpu", whose suffix is for schedulers; "+batch",
// which is local to an instance and not in what it allocates.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/idset.hpp"
#include "copse/error.hpp"
#include "rset/rset.hpp"

namespace copse {

struct PropertyName {
  bool local = false;             // begins with '+'
  std::string_view name, suffix;  // before and after the first '@'
};
[[nodiscard]] PropertyName property_name(std::string_view property);

// The devices of a rank that a property is about: those of the type that the suffix names, all of
// them ("h200@gpu") or some ("h200@gpu[0-1]", where the others of a node are of another type).
struct PropertyDevices {
  std::string_view type;
  std::optional<Idset> ids;  // none: all
};
// nullopt: the property has no suffix, or one that does not name devices.
[[nodiscard]] std::optional<PropertyDevices> property_devices(std::string_view property);

// Why a property cannot have this name; empty if it can. (That it is UTF-8 is for readers to see.)
[[nodiscard]] std::string wrong_property(std::string_view property);

// Adds a property to ranks that have it or not. Errors: invalid (the name), not_found (a rank).
[[nodiscard]] Result<void> add_property(RSet& r, std::string_view property, const Idset& ranks);

// The ranks with this property, or with "^name" those without. It is the whole name that counts:
// "amd-mi50" does not find "amd-mi50@gpu" (RFC 20: the literal property applies). O(properties).
[[nodiscard]] Idset ranks_with(const RSet& r, std::string_view property);

void drop_local_properties(RSet& r);

}  // namespace copse
