// SPDX-License-Identifier: Apache-2.0
#include "match/loop_aware/subtree_classes.hpp"

#include <map>

namespace copse {

// Numbers the interior pools from the last to the first, so that children come before parents.
void SubtreeClasses::make(const Policy& policy) {
  if (std::exchange(made_, true) || !policy.scores_by_id()) return;
  for (std::uint32_t v = 0; v < graph_.tree_count(); ++v) {
    if (graph_.id(PoolId{v}) < -1) return;  // scores by id must be above 0
  }
  std::map<std::vector<std::uint64_t>, std::uint32_t> known;
  std::vector<std::uint64_t> key;
  classes_.resize(graph_.interior_count());
  for (std::uint32_t i = graph_.interior_count(); i-- > 0;) {
    const PoolId p = graph_.interior_pool(i);
    key.assign({graph_.type(p).v, static_cast<std::uint64_t>(graph_.size(p)), graph_.shape_id(i)});
    // Runs of equal children: their class, or type and size if they are leaves, and how many.
    for (PoolId c : graph_.children(p)) {
      const bool leaf = graph_.leaf(c);
      const std::uint64_t what = leaf ? UINT64_C(1) << 32 | std::uint64_t{graph_.type(c).v} << 33
                                      : classes_[graph_.interior(c)];
      const auto size = leaf ? static_cast<std::uint64_t>(graph_.size(c)) : 0;
      if (key.size() > 3 && key[key.size() - 3] == what && key[key.size() - 2] == size) {
        ++key.back();
      } else {
        key.insert(key.end(), {what, size, 1});
      }
    }
    classes_[i] = known.emplace(key, static_cast<std::uint32_t>(known.size())).first->second;
  }
}

}  // namespace copse
