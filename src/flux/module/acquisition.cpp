// SPDX-License-Identifier: Apache-2.0
#include "flux/module/acquisition.hpp"

#include <fmt/format.h>
#include <jansson.h>

#include <cerrno>
#include <cstring>

#include "flux/module/wire.hpp"

namespace copse::flux {

Result<Acquisition::First> Acquisition::first() {
  acquire_ = flux_rpc(h_, "resource.acquire", nullptr, FLUX_NODEID_ANY, FLUX_RPC_STREAMING);
  json_t* inventory = nullptr;
  const char* up = nullptr;
  if (acquire_ == nullptr ||
      flux_rpc_get_unpack(acquire_, "{s:o s:s}", "resources", &inventory, "up", &up) < 0) {
    if (errno == ECANCELED)
      return fail(ErrorCode::io, "resource.acquire: no resource module is loaded");
    const char* cause = acquire_ == nullptr ? nullptr : flux_future_error_string(acquire_);
    return fail(ErrorCode::io, fmt::format("resource.acquire: {}",
                                           cause == nullptr ? std::strerror(errno) : cause));
  }
  First out{.inventory = text_of(inventory).get(), .up = ids(up)};
  flux_future_reset(acquire_);
  return out;
}

Result<void> Acquisition::watch(Changed changed, std::function<void()> over) {
  changed_ = std::move(changed);
  over_ = std::move(over);
  const auto next = [](flux_future_t*, void* self) { static_cast<Acquisition*>(self)->next(); };
  if (flux_future_then(acquire_, -1., next, this) < 0) {
    return std::unexpected(flux_failed("can't watch resource.acquire"));
  }
  return {};
}

void Acquisition::next() noexcept {
  const char *up = nullptr, *down = nullptr, *shrink = nullptr, *payload = nullptr;
  json_t* expiration = nullptr;
  guarded(h_, [&] {
    if (flux_rpc_get(acquire_, &payload) < 0 ||
        flux_rpc_get_unpack(acquire_, "{s?s s?s s?s s?o}", "up", &up, "down", &down, "shrink",
                            &shrink, "expiration", &expiration) < 0) {
      // When an instance ends, the resource module may be unloaded first.
      flux_log(h_, errno == ECANCELED ? LOG_DEBUG : LOG_ERR, "resource.acquire: %s",
               flux_future_error_string(acquire_));
      return over_();
    }
    ResourceUpdate update{.up = ids(up), .down = ids(down), .shrink = ids(shrink)};
    if (expiration != nullptr && json_is_number(expiration)) {
      update.expiration_s = json_number_value(expiration);
      flux_log(h_, LOG_INFO, "resource expiration updated to %.2f", *update.expiration_s);
    }
    changed_(update, payload == nullptr ? "{}" : payload);
    flux_future_reset(acquire_);
  });
}

}  // namespace copse::flux
