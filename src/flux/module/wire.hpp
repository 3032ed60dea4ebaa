// SPDX-License-Identifier: Apache-2.0
//
// Small things that messages are made of and into: sets of ranks, JSON text, errors.
#pragma once

#include <flux/core.h>
#include <jansson.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "base/idset.hpp"
#include "copse/error.hpp"
#include "flux/messages.hpp"

namespace copse::flux {

struct FreeText {
  void operator()(char* text) const { std::free(text); }
};
using Text = std::unique_ptr<char, FreeText>;
[[nodiscard]] Text text_of(const json_t* value);

[[nodiscard]] Idset ids(const char* text);      // nullptr, or what is no idset: none
[[nodiscard]] Idset ranks_of(const json_t* r);  // the ranks that an R speaks of
[[nodiscard]] int errno_of(const Error& error);
// "what: strerror(errno)".
[[nodiscard]] Error flux_failed(const std::string& what);
// The queue that a jobspec names; "": none, or it is no jobspec.
[[nodiscard]] std::string queue_of(std::string_view jobspec);
// Registers a service; -1 with errno.
int register_service(flux_t* h, const char* name);
void unregister_service(flux_t* h, const char* name);

}  // namespace copse::flux
