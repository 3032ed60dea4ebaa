// SPDX-License-Identifier: Apache-2.0
//
// FeasibilityModule: the module under Fluxion's name sched-fluxion-feasibility. It answers whether a
// jobspec can ever run, on a machine of its own. The machine comes from a file, or follows that of the
// module sched-fluxion-resource through its request notify.
#pragma once

#include <flux/core.h>

#include <memory>

#include "flux/module/fluxion/resource_rpcs.hpp"

namespace copse::flux {

class FeasibilityModule {
 public:
  FeasibilityModule(flux_t* h, ResourceOptions options) : h_(h), options_(std::move(options)) {}
  ~FeasibilityModule();
  FeasibilityModule(const FeasibilityModule&) = delete;
  FeasibilityModule& operator=(const FeasibilityModule&) = delete;

  // Errors: io, and those of read_machine() and Engine::create().
  [[nodiscard]] Result<void> load();
  [[nodiscard]] Result<void> start();
  [[nodiscard]] int run() { return flux_reactor_run(flux_get_reactor(h_), 0); }

 private:
  [[nodiscard]] Result<void> follow();
  void changed() noexcept;
  [[nodiscard]] std::int64_t now_s() const;

  flux_t* const h_;
  ResourceOptions options_;
  std::unique_ptr<FluxionResource> resource_;
  std::unique_ptr<ResourceRpcs> rpcs_;
  flux_future_t* follows_ = nullptr;
  flux_msg_handler_t** handlers_ = nullptr;
};

}  // namespace copse::flux
