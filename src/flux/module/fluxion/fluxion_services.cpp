// SPDX-License-Identifier: Apache-2.0
#include "flux/module/fluxion/fluxion_services.hpp"

#include <jansson.h>

#include "flux/fluxion/queue_text.hpp"
#include "flux/module/wire.hpp"

namespace copse::flux {

namespace {

constexpr const char* kQueueService = "sched-fluxion-qmanager";

ResourceOptions options_of(const Module& module) {
  ResourceOptions out;
  out.policy_name = module.options().policy.name;
  return out;
}

}  // namespace

FluxionServices::FluxionServices(flux_t* h, Module& module, const Acquisition::First& acquired)
    : h_(h),
      module_(module),
      resource_(module.scheduler().shared_engine(), options_of(module), 0, module.time_s()),
      rpcs_(
          h, resource_, [&module] { return module.time_s(); }, [&module] { module.wake(); }),
      notifier_(h, acquired.inventory, module.scheduler().ranks(), acquired.up) {
  resource_.share_with(&module.scheduler());
  rpcs_.when_up([this] { notifier_.notify_unchanged(); });
  module.observe([this](const ResourceUpdate& update, const char* payload) {
    notifier_.notify(update, payload);
  });
}

FluxionServices::~FluxionServices() {
  module_.observe({});
  flux_msg_handler_delvec(resource_handlers_);
  flux_msg_handler_delvec(queue_handlers_);
  if (has_resource_) unregister_service(h_, ResourceRpcs::kService);
  if (has_qmanager_) unregister_service(h_, kQueueService);
}

Result<void> FluxionServices::serve() {
  has_resource_ = register_service(h_, ResourceRpcs::kService) == 0;
  has_qmanager_ = has_resource_ && register_service(h_, kQueueService) == 0;
  if (!has_qmanager_) return std::unexpected(flux_failed("Fluxion's services"));
  if (auto ok = rpcs_.serve(); !ok) return ok;
  using Self = FluxionServices;
  const auto notify = [](flux_t*, flux_msg_handler_t*, const flux_msg_t* message, void* self) {
    auto* services = static_cast<Self*>(self);
    guarded(services->h_, [&] { services->notifier_.subscribe(message); });
  };
  const auto disconnect = [](flux_t*, flux_msg_handler_t*, const flux_msg_t* message, void* self) {
    static_cast<Self*>(self)->notifier_.leave(message);
  };
  const auto stats = [](flux_t*, flux_msg_handler_t*, const flux_msg_t* message, void* self) {
    static_cast<Self*>(self)->answer_queues(message, "stats");
  };
  const auto params = [](flux_t*, flux_msg_handler_t*, const flux_msg_t* message, void* self) {
    static_cast<Self*>(self)->answer_queues(message, "params");
  };
  const flux_msg_handler_spec of_resource[] = {{FLUX_MSGTYPE_REQUEST, "notify", notify, 0},
                                               {FLUX_MSGTYPE_REQUEST, "disconnect", disconnect, 0},
                                               FLUX_MSGHANDLER_TABLE_END};
  const flux_msg_handler_spec of_queues[] = {
      {FLUX_MSGTYPE_REQUEST, "stats-get", stats, FLUX_ROLE_USER},
      {FLUX_MSGTYPE_REQUEST, "params", params, FLUX_ROLE_USER},
      FLUX_MSGHANDLER_TABLE_END};
  if (flux_msg_handler_addvec_ex(h_, ResourceRpcs::kService, of_resource, this,
                                 &resource_handlers_) < 0 ||
      flux_msg_handler_addvec_ex(h_, kQueueService, of_queues, this, &queue_handlers_) < 0) {
    return std::unexpected(flux_failed("can't add handlers of Fluxion's services"));
  }
  return {};
}

void FluxionServices::answer_queues(const flux_msg_t* message, const char* member) {
  guarded(h_, [&] {
    const std::string text = queue_text(module_.scheduler(), module_.options().params);
    json_t* all = json_loads(text.c_str(), 0, nullptr);
    flux_respond_pack(h_, message, "O", json_object_get(all, member));
    json_decref(all);
  });
}

}  // namespace copse::flux
