// SPDX-License-Identifier: Apache-2.0
//
// FluxionPools: the requests of Fluxion's module sched-fluxion-resource about pools: find, status,
// properties, subgraphs. Texts are JSON. See FluxionResource.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "fluxion/resource.hpp"

namespace copse::flux {

// The error of a request to Fluxion's services: an errno and a text, which may be empty.
struct RpcError {
  int number = 0;  // errno
  std::string text{};
};
template <class T>
using RpcResult = std::expected<T, RpcError>;

[[nodiscard]] inline std::unexpected<RpcError> refuse(int number, std::string text = {}) {
  return std::unexpected(RpcError{number, std::move(text)});
}

class FluxionPools {
 public:
  // REQUIRES that the resource outlives it.
  explicit FluxionPools(fluxion::Resource& resource) : resource_(resource) {}

  // {"R": …}; EINVAL. `format` empty: rv1_nosched.
  [[nodiscard]] RpcResult<std::string> find(std::string_view criteria, std::string_view format);
  [[nodiscard]] std::string status();  // {"all": …, "down": …, "allocated": …}
  // EINVAL (not KEY=VALUE), ENOENT (a path).
  [[nodiscard]] RpcResult<void> set_property(std::span<const std::string> paths,
                                             std::string_view assignment);
  // It is no error if a pool does not have the property. ENOENT (a path).
  [[nodiscard]] RpcResult<void> remove_property(std::span<const std::string> paths,
                                                const std::string& key);
  [[nodiscard]] RpcResult<std::vector<std::string>> get_property(std::string_view path,
                                                                 const std::string& key) const;
  [[nodiscard]] RpcResult<void> set_status(std::string_view path, std::string_view status);
  void set_status(std::span<const PoolId> pools, Status status) {
    resource_.set_status(pools, status);
  }
  [[nodiscard]] RpcResult<void> add_subgraph(std::string_view jgf);
  [[nodiscard]] RpcResult<void> remove_subgraph(std::string_view path);
  [[nodiscard]] RpcResult<void> remove(std::span<const PoolId> tops);
  // The id of a resource of a rank in a job's namespace: ids are those of R, so it is the same. ENOENT.
  [[nodiscard]] RpcResult<std::int64_t> id_here(std::int64_t rank, std::string_view type,
                                                std::int64_t id) const;

 private:
  // ENOENT.
  [[nodiscard]] RpcResult<std::vector<PoolId>> pools_at(std::span<const std::string> paths) const;

  fluxion::Resource& resource_;
};

}  // namespace copse::flux
