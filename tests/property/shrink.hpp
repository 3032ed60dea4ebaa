// SPDX-License-Identifier: Apache-2.0
//
// Cutting the event stream of a case that fails.
#pragma once

#include <string>

#include "property/replay.hpp"

namespace copse::property {

// The case with as few events, and then requests that are used, as still fail. O(events²) replays.
[[nodiscard]] Case shrink(Case a_case, const ReplayOptions& options);

// Replays; "" if all is well, else the shrunk case and its failure as text.
[[nodiscard]] std::string check(const Case& a_case, const ReplayOptions& options,
                                Replayed* replayed = nullptr);

}  // namespace copse::property
