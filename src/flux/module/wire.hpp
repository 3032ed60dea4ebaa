// SPDX-License-Identifier: Apache-2.0
//
// Conversions between messages and values: sets of ranks, JSON text, errors.
#pragma once

#include <flux/core.h>
#include <jansson.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
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

[[nodiscard]] Idset ids(const char* text);      // empty for nullptr or an invalid text
[[nodiscard]] Idset ranks_of(const json_t* r);  // the ranks in an R
[[nodiscard]] int errno_of(const Error& error);
// "ƒ2Xr", or "f2Xr" where Flux's own commands write it so (FLUX_F58_FORCE_ASCII, the locale).
[[nodiscard]] std::string shown_id(std::uint64_t job);
// "what: strerror(errno)"; exists for EEXIST, else io.
[[nodiscard]] Error flux_failed(const std::string& what);
// The queue that a jobspec names; "" if it names none, or is not a jobspec.
[[nodiscard]] std::string queue_of(std::string_view jobspec);
// What of attributes.system in a jobspec only sched-simple regards: whether it is there, and the
// duration with its fraction.
struct SystemAttributes {
  bool present = false;
  std::optional<double> duration_s{};
};
[[nodiscard]] SystemAttributes system_attributes(std::string_view jobspec);
// Runs the body of a callback of C, which must not throw: an exception is logged, and stops the
// reactor.
template <class Body>
void guarded(flux_t* h, Body body) noexcept {
  try {
    body();
  } catch (const std::exception& thrown) {
    flux_log(h, LOG_CRIT, "internal error: %s", thrown.what());
    flux_reactor_stop_error(flux_get_reactor(h));
  }
}
// Registers a service; -1 with errno.
int register_service(flux_t* h, const char* name);
void unregister_service(flux_t* h, const char* name);

}  // namespace copse::flux
