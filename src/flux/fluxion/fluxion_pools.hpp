// SPDX-License-Identifier: Apache-2.0
//
// FluxionPools: what Fluxion's module sched-fluxion-resource says of pools, and changes: find,
// status, properties, subgraphs. Texts are JSON. See FluxionResource.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "flux/fluxion/rpc_error.hpp"
#include "flux/scheduler.hpp"

namespace copse::flux {

class FluxionPools {
 public:
  // REQUIRES that the engine lives as long.
  explicit FluxionPools(Engine& engine) : engine_(engine) {}
  // Who is told of changes; nullptr: nobody.
  void serve_beside(Scheduler* scheduler) { scheduler_ = scheduler; }

  // {"R": …}; EINVAL. `format` empty: rv1_nosched.
  [[nodiscard]] RpcResult<std::string> find(std::string_view criteria, std::string_view format);
  [[nodiscard]] std::string status();  // {"all": …, "down": …, "allocated": …}
  // EINVAL (not KEY=VALUE), ENOENT (a path).
  [[nodiscard]] RpcResult<void> set_property(std::span<const std::string> paths,
                                             std::string_view assignment);
  // Also where there is none. ENOENT (a path).
  [[nodiscard]] RpcResult<void> remove_property(std::span<const std::string> paths,
                                                const std::string& key);
  [[nodiscard]] RpcResult<std::vector<std::string>> get_property(std::string_view path,
                                                                 const std::string& key) const;
  [[nodiscard]] RpcResult<void> set_status(std::string_view path, std::string_view status);
  void set_status(std::span<const PoolId> pools, Status status);
  [[nodiscard]] RpcResult<void> add_subgraph(std::string_view jgf);
  [[nodiscard]] RpcResult<void> remove_subgraph(std::string_view path);
  [[nodiscard]] RpcResult<void> remove(std::span<const PoolId> tops);
  // The id that a resource of a rank has here: the same, as ids are those of R. ENOENT.
  [[nodiscard]] RpcResult<std::int64_t> id_here(std::int64_t rank, std::string_view type,
                                                std::int64_t id) const;

 private:
  // ENOENT.
  [[nodiscard]] RpcResult<std::vector<PoolId>> pools_at(std::span<const std::string> paths) const;

  Engine& engine_;
  Scheduler* scheduler_ = nullptr;
};

}  // namespace copse::flux
