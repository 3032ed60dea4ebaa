// SPDX-License-Identifier: Apache-2.0
//
// ResourceRpcs: the requests of Fluxion's service sched-fluxion-resource as messages. It unpacks them,
// calls a FluxionResource, and packs the answers; the keys are those of Fluxion.
#pragma once

#include <flux/core.h>

#include <functional>
#include <utility>

#include "flux/fluxion/fluxion_resource.hpp"

namespace copse::flux {

class ResourceRpcs {
 public:
  static constexpr const char* kService = "sched-fluxion-resource";

  // `now_s` returns the time of a request; `changed` is called after each request. REQUIRES that the
  // resource outlives it.
  ResourceRpcs(flux_t* h, FluxionResource& resource, std::function<std::int64_t()> now_s,
               std::function<void()> changed);
  ~ResourceRpcs() { flux_msg_handler_delvec(handlers_); }
  ResourceRpcs(const ResourceRpcs&) = delete;
  ResourceRpcs& operator=(const ResourceRpcs&) = delete;

  // Errors: io.
  [[nodiscard]] Result<void> serve();
  // `up` is called after each request that sets a pool up: waiting jobs may fit then.
  void when_up(std::function<void()> up) { up_ = std::move(up); }
  // An empty answer if the jobspec can ever run, else Fluxion's text and errno.
  void feasibility(const flux_msg_t* message);

 private:
  void match(const flux_msg_t* message);
  void match_multi(const flux_msg_t* message);
  void update(const flux_msg_t* message);
  void cancel(const flux_msg_t* message);
  void partial_cancel(const flux_msg_t* message);
  void info(const flux_msg_t* message);
  void next_job(const flux_msg_t* message);
  void find(const flux_msg_t* message);
  void status(const flux_msg_t* message);
  void stats(const flux_msg_t* message);
  void clear_stats(const flux_msg_t* message);
  void params(const flux_msg_t* message);
  void set_property(const flux_msg_t* message);
  void get_property(const flux_msg_t* message);
  void remove_property(const flux_msg_t* message);
  void set_status(const flux_msg_t* message);
  void ns_info(const flux_msg_t* message);
  void add_subgraph(const flux_msg_t* message);
  void remove_subgraph(const flux_msg_t* message);

  template <void (ResourceRpcs::*kMember)(const flux_msg_t*)>
  static void handle(flux_t* h, flux_msg_handler_t* handler, const flux_msg_t* message, void* self);
  void respond(const flux_msg_t* message, const FluxionResource::Matched& matched);
  void respond(const flux_msg_t* message, const RpcError& error);
  void respond_empty(const flux_msg_t* message, const RpcResult<void>& done);
  // Answers a request that lacks a key.
  void malformed(const flux_msg_t* message);

  flux_t* const h_;
  FluxionResource& resource_;
  std::function<std::int64_t()> now_s_;
  std::function<void()> changed_, up_;
  flux_msg_handler_t** handlers_ = nullptr;
};

}  // namespace copse::flux
