// SPDX-License-Identifier: Apache-2.0
//
// Pools that cannot be told apart: equal in type, size, shape, and so are their children, one by
// one in order. As long as nothing in them is used or out of order, what one serves, all serve.
#include <algorithm>
#include <map>

#include "match/loop_aware/loop_aware.hpp"

namespace copse {

// Numbers the interior pools from the last to the first, so that children come before parents.
// O(pools · log kinds), once.
void LoopAware::sort_alike() {
  alike_made_ = true;
  if (policy_.score != nullptr) return;  // scores may exclude one of two that look the same
  for (std::uint32_t v = 0; v < graph_.tree_count(); ++v) {
    if (graph_.id(PoolId{v}) < -1) return;  // so may ids: scores must be above 0
  }
  std::map<std::vector<std::uint64_t>, std::uint32_t> known;
  std::vector<std::uint64_t> key;
  alike_.resize(graph_.interior_count());
  for (std::uint32_t i = graph_.interior_count(); i-- > 0;) {
    const PoolId p = graph_.interior_pool(i);
    key.assign({graph_.type(p).v, static_cast<std::uint64_t>(graph_.size(p)), graph_.shape_id(i)});
    // Runs of equal children: what they are, and how many.
    for (PoolId c : graph_.children(p)) {
      const bool leaf = graph_.leaf(c);
      const std::uint64_t what = leaf ? std::uint64_t{graph_.type(c).v} << 33 | std::uint64_t{1}
                                                                                    << 32
                                      : alike_[graph_.interior(c)];
      const auto size = leaf ? static_cast<std::uint64_t>(graph_.size(c)) : 0;
      if (key.size() > 3 && key[key.size() - 3] == what && key[key.size() - 2] == size) {
        ++key.back();
      } else {
        key.insert(key.end(), {what, size, 1});
      }
    }
    alike_[i] = known.emplace(key, static_cast<std::uint32_t>(known.size())).first->second;
  }
}

// Whether nothing that a request looks at can tell v, or anything in it, from when it was made.
bool LoopAware::like_new(PoolId v) const {
  if (alike_.empty() || probe_.request->constrained()) return false;
  if (probe_.offer != nullptr || probe_.channels != nullptr) return false;
  return probe_.view == View::empty || (state_.all_usable() && probe_.idle(v));
}

}  // namespace copse
