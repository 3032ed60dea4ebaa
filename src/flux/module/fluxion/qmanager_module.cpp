// SPDX-License-Identifier: Apache-2.0
#include "flux/module/fluxion/qmanager_module.hpp"

#include <jansson.h>

#include <cerrno>
#include <cstring>

#include "flux/module/wire.hpp"

namespace copse::flux {

QmanagerModule::~QmanagerModule() {
  flux_msg_handler_delvec(handlers_);
  if (manages_ == nullptr) return;
  flux_future_destroy(manages_);
  // The scheduler ends with this module.
  flux_future_t* left =
      flux_rpc(h_, "sched-fluxion-resource.copse-leave", nullptr, FLUX_NODEID_ANY, 0);
  if (left != nullptr) flux_future_get(left, nullptr);
  flux_future_destroy(left);
}

Result<void> QmanagerModule::start(const std::vector<std::string>& arguments) {
  json_t* list = json_array();
  for (const std::string& argument : arguments) {
    json_array_append_new(list, json_string(argument.c_str()));
  }
  manages_ = flux_rpc_pack(h_, "sched-fluxion-resource.copse-manage", FLUX_NODEID_ANY,
                           FLUX_RPC_STREAMING, "{s:o}", "arguments", list);
  if (manages_ == nullptr || flux_future_get(manages_, nullptr) < 0) {
    const bool others = errno == ENOSYS;
    const char* cause = manages_ == nullptr ? nullptr : flux_future_error_string(manages_);
    const std::string text = cause == nullptr ? std::strerror(errno) : cause;
    flux_future_destroy(manages_);
    manages_ = nullptr;
    return fail(ErrorCode::io,
                others ? "Copse's module sched-fluxion-resource is not loaded" : text);
  }
  flux_future_reset(manages_);
  // The texts of Fluxion, which scripts wait for.
  flux_log(h_, LOG_DEBUG, "handshaking with sched-fluxion-resource completed");
  flux_log(h_, LOG_DEBUG, "handshaking with job-manager completed");
  const auto over = [](flux_future_t*, void* self) {
    flux_reactor_stop(flux_get_reactor(static_cast<QmanagerModule*>(self)->h_));
  };
  const auto stats = [](flux_t*, flux_msg_handler_t*, const flux_msg_t* message, void* self) {
    static_cast<QmanagerModule*>(self)->answer(message, "stats");
  };
  const auto params = [](flux_t*, flux_msg_handler_t*, const flux_msg_t* message, void* self) {
    static_cast<QmanagerModule*>(self)->answer(message, "params");
  };
  const flux_msg_handler_spec handlers[] = {
      {FLUX_MSGTYPE_REQUEST, "stats-get", stats, FLUX_ROLE_USER},
      {FLUX_MSGTYPE_REQUEST, "params", params, FLUX_ROLE_USER},
      FLUX_MSGHANDLER_TABLE_END};
  if (flux_future_then(manages_, -1., over, this) < 0 ||
      flux_msg_handler_addvec_ex(h_, "sched-fluxion-qmanager", handlers, this, &handlers_) < 0) {
    return std::unexpected(flux_failed("can't add handlers"));
  }
  return {};
}

void QmanagerModule::answer(const flux_msg_t* message, const char* member) {
  flux_future_t* asked =
      flux_rpc(h_, "sched-fluxion-resource.copse-queues", nullptr, FLUX_NODEID_ANY, 0);
  json_t* value = nullptr;
  if (asked == nullptr || flux_rpc_get_unpack(asked, "{s:o}", member, &value) < 0) {
    flux_respond_error(h_, message, errno, nullptr);
  } else {
    flux_respond_pack(h_, message, "O", value);
  }
  flux_future_destroy(asked);
}

}  // namespace copse::flux
