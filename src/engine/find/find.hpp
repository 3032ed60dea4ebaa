// SPDX-License-Identifier: Apache-2.0
//
// The pools for which an expression is true (find_expression.hpp).
#pragma once

#include <string_view>
#include <vector>

#include "engine/parts.hpp"

namespace copse {

// As Engine::find and Engine::filter_use.
[[nodiscard]] Result<Engine::FindResult> find(const EngineParts& e, std::string_view text);
[[nodiscard]] std::vector<Engine::FilterUse> filter_use(const EngineParts& e, PoolId pool,
                                                        JobId job);

}  // namespace copse
