// SPDX-License-Identifier: Apache-2.0
#include "engine/pool_index.hpp"

namespace copse {

void PoolIndex::add(const ResourceGraph& graph, PoolId pool) {
  const std::int64_t id = graph.uniq_id(pool);
  const std::int64_t dense_max = 2 * std::int64_t{graph.pool_count()} + 1024;
  if (id < 0 || id >= dense_max) {
    sparse_.insert_or_assign(id, pool);
    return;
  }
  const auto at = static_cast<std::size_t>(id);
  if (at >= dense_.size()) dense_.resize(at + 1, kNoPool);
  dense_[at] = pool;
}

PoolId PoolIndex::find(const ResourceGraph& graph, std::int64_t uniq_id) {
  if (seen_ == 0) dense_.reserve(graph.pool_count());
  for (; seen_ < graph.pool_count(); ++seen_) {
    if (!graph.removed(PoolId{seen_})) add(graph, PoolId{seen_});
  }
  PoolId found = kNoPool;
  if (uniq_id >= 0 && static_cast<std::uint64_t>(uniq_id) < dense_.size()) {
    found = dense_[static_cast<std::size_t>(uniq_id)];
  }
  if (found == kNoPool) {
    const auto at = sparse_.find(uniq_id);
    if (at != sparse_.end()) found = at->second;
  }
  return found == kNoPool || graph.removed(found) ? kNoPool : found;
}

}  // namespace copse
