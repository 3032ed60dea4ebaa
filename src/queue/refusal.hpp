// SPDX-License-Identifier: Apache-2.0
//
// Why a machine can never serve a request, as a sentence.
#pragma once

#include <cstdint>
#include <string>

#include "copse/engine.hpp"
#include "copse/explain.hpp"

namespace copse::queue {

// For a request that does not fit the empty machine: names the first resource that is short.
[[nodiscard]] Error refusal(Engine& engine, PreparedRequest& request, const Error& error);
// For a request that takes no resources.
[[nodiscard]] Error nothing_to_take(std::int64_t now_s);
// For a request that could not be prepared: names the unknown type, if that is the cause.
[[nodiscard]] Error refusal(const Engine& engine, const Request& request, const Error& error);

// "; its memory is the default of queue "batch"", if the first finding is about memory that a queue gave
// the request (request/request_defaults.hpp); else "".
[[nodiscard]] std::string about_defaults(const Explanation& why, const Request& request);

}  // namespace copse::queue
