// SPDX-License-Identifier: Apache-2.0
//
// Why a machine can never serve a request, in a sentence.
#pragma once

#include <cstdint>

#include "copse/engine.hpp"

namespace copse::queue {

// Of a request that does not even fit the empty machine: with the first thing that is too little.
[[nodiscard]] Error refusal(Engine& engine, PreparedRequest& request, const Error& error);
// Of one that takes nothing, whatever there is.
[[nodiscard]] Error nothing_to_take(std::int64_t now_s);
// Of one that could not be prepared: with the type that is not known, if that is it.
[[nodiscard]] Error refusal(const Engine& engine, const Request& request, const Error& error);

}  // namespace copse::queue
