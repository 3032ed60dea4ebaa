// SPDX-License-Identifier: Apache-2.0
#include "flux/module/fluxion/feasibility_module.hpp"

#include <jansson.h>

#include "flux/machine/machine.hpp"
#include "flux/module/wire.hpp"
#include "formats/rv1/rv1_pools.hpp"

namespace copse::flux {

FeasibilityModule::~FeasibilityModule() {
  flux_future_destroy(follows_);
  flux_msg_handler_delvec(handlers_);
}

std::int64_t FeasibilityModule::now_s() const {
  return static_cast<std::int64_t>(flux_reactor_now(flux_get_reactor(h_)));
}

Result<void> FeasibilityModule::load() {
  if (register_service(h_, "feasibility") < 0) {
    return std::unexpected(flux_failed("can't register service feasibility"));
  }
  if (options_.load_file.empty()) return {};
  auto engine = options_.load_engine(now_s());
  if (!engine) return std::unexpected(engine.error());
  resource_ = std::make_unique<FluxionResource>(std::move(*engine), options_, 0, now_s());
  return {};
}

Result<void> FeasibilityModule::follow() {
  follows_ =
      flux_rpc(h_, "sched-fluxion-resource.notify", nullptr, FLUX_NODEID_ANY, FLUX_RPC_STREAMING);
  json_t* inventory = nullptr;
  if (follows_ == nullptr || flux_rpc_get_unpack(follows_, "{s:o}", "resources", &inventory) < 0) {
    return std::unexpected(flux_failed("sched-fluxion-resource.notify"));
  }
  const Text text = text_of(inventory);
  flux_future_reset(follows_);
  const auto all = read_inventory(text.get());
  if (!all) return std::unexpected(all.error());
  auto machine = machine_of_r(text.get(), *all, !options_.plain_r(), options_.engine(now_s()));
  if (!machine) return std::unexpected(machine.error());
  resource_ = std::make_unique<FluxionResource>(std::move(machine->engine), options_, 0, now_s());
  const auto next = [](flux_future_t*, void* self) {
    static_cast<FeasibilityModule*>(self)->changed();
  };
  if (flux_future_then(follows_, -1., next, this) < 0) {
    return std::unexpected(flux_failed("can't watch sched-fluxion-resource.notify"));
  }
  return {};
}

Result<void> FeasibilityModule::start() {
  if (resource_ == nullptr) {
    if (auto ok = follow(); !ok) return ok;
  }
  rpcs_ = std::make_unique<ResourceRpcs>(h_, *resource_, [this] { return now_s(); }, [] {});
  const auto check = [](flux_t*, flux_msg_handler_t*, const flux_msg_t* message, void* self) {
    static_cast<FeasibilityModule*>(self)->rpcs_->feasibility(message);
  };
  const flux_msg_handler_spec handlers[] = {
      {FLUX_MSGTYPE_REQUEST, "feasibility.check", check, FLUX_ROLE_USER},
      FLUX_MSGHANDLER_TABLE_END};
  if (flux_msg_handler_addvec(h_, handlers, this, &handlers_) < 0) {
    return std::unexpected(flux_failed("can't add handlers"));
  }
  return {};
}

// Only removed ranks matter, not those that are up or down.
void FeasibilityModule::changed() noexcept {
  const char* shrink = nullptr;
  if (flux_rpc_get_unpack(follows_, "{s?s}", "shrink", &shrink) < 0) {
    flux_log_error(h_, "exiting due to sched-fluxion-resource.notify failure");
    flux_reactor_stop(flux_get_reactor(h_));
    return;
  }
  guarded(h_, [&] {
    if (shrink != nullptr) {
      const auto lost = tops_of_ranks(resource_->engine().graph(), ids(shrink));
      const auto removed =
          lost && !lost->empty() ? resource_->pools().remove(*lost) : RpcResult<void>();
      if (!removed) flux_log(h_, LOG_ERR, "shrink: %s", removed.error().text.c_str());
    }
  });
  flux_future_reset(follows_);
}

}  // namespace copse::flux
