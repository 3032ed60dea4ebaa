// SPDX-License-Identifier: Apache-2.0
#include "graph/check_image.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "graph/graph_builder.hpp"
#include "graph/graph_shapes.hpp"

namespace copse {

namespace {

class ImageCheck {
 public:
  explicit ImageCheck(const GraphImage& image)
      : image_(image), pools_(static_cast<std::uint32_t>(image.types.size())) {}

  Result<void> check() {
    if (auto ok = columns(); !ok) return ok;
    if (auto ok = tree(); !ok) return ok;
    if (auto ok = gone(); !ok) return ok;
    for (std::size_t s = 0; s < image_.subsystems.size(); ++s) {
      if (auto ok = subsystem(image_.subsystems[s], s == image_.dominant.v); !ok) return ok;
    }
    return sparse();
  }

 private:
  Result<void> columns() const {
    const GraphImage& m = image_;
    const std::size_t n = m.types.size();
    const std::uint64_t limit = GraphBuilder::Limits{}.pools_max;
    if (n > limit) return fail(ErrorCode::limit, fmt::format("more than {} pools", limit));
    const bool whole = m.units.size() == n && m.names.size() == n && m.sizes.size() == n &&
                       m.ids.size() == n && m.ranks.size() == n && m.created.size() == n &&
                       m.parents.size() == n && (m.uniq_ids.empty() || m.uniq_ids.size() == n);
    if (n == 0 || !whole) return broken_image("its columns are not equally long");
    if (m.type_names.size() > 65'000 || m.unit_names.size() > 65'000 ||
        m.relation_names.size() > 65'000 || m.subsystem_names.size() > 255) {
      return fail(ErrorCode::limit, "more types, units, relations or subsystems than a graph has");
    }
    if (m.subsystems.size() != m.subsystem_names.size() || m.dominant.v >= m.subsystems.size()) {
      return broken_image("a subsystem is missing");
    }
    if (m.largest.size() > m.type_names.size())
      return broken_image("sizes of types that are not there");
    std::vector<bool> seen(n, false);
    for (std::size_t v = 0; v < n; ++v) {
      if (m.types[v].v >= m.type_names.size() || m.units[v].v >= m.unit_names.size() ||
          m.names[v].v >= m.basenames.size()) {
        return broken_image(fmt::format("pool {} has a word that is not there", v));
      }
      if (m.sizes[v] < 0) return broken_image(fmt::format("pool {} has a size below 0", v));
      if (m.created[v] >= n || seen[m.created[v]]) {
        return broken_image(
            fmt::format("pool {} has no place of its own in the order of creation", v));
      }
      seen[m.created[v]] = true;
    }
    return {};
  }

  // Each interval of numbers is a tree in preorder: a parent is the preceding pool or an ancestor
  // of it.
  Result<void> tree() {
    const GraphImage& m = image_;
    const bool counts =
        m.tree_count >= 1 && m.tree_count <= m.built_count && m.built_count <= pools_ &&
        m.attached.empty() == (m.built_count == pools_) && m.parents[0] == kNoPool.v &&
        (m.attached.empty() || m.attached[0] == m.built_count);
    if (!counts) return broken_image("its counts do not fit each other");
    std::vector<std::uint32_t> depth(pools_, 0), open;
    interior_.assign(pools_, false);
    std::size_t next = 0;
    for (std::uint32_t v = 0; v < pools_; ++v) {
      const std::uint32_t up = m.parents[v];
      const bool top = next < m.attached.size() && m.attached[next] == v;
      if (v >= m.tree_count && v < m.built_count) {
        if (up != kNoPool.v)
          return broken_image(fmt::format("pool {} has a parent outside the tree", v));
        continue;
      }
      if (v == 0 || top) {
        open.assign(1, v);
        if (v == 0) continue;
        ++next;
        // An attached subtree is below a pool that already has pools below it.
        if (up >= v || !interior_[up] || (up >= m.tree_count && up < m.built_count)) {
          return broken_image(fmt::format("pool {} is attached to a pool that cannot be", v));
        }
      } else {
        while (!open.empty() && open.back() != up) open.pop_back();
        if (open.empty()) return broken_image(fmt::format("pool {} is not in preorder", v));
        interior_[up] = true;
        open.push_back(v);
      }
      depth[v] = depth[up] + 1;
      if (depth[v] >= kGraphDepthMax) {
        return fail(ErrorCode::limit, fmt::format("more than {} levels", kGraphDepthMax));
      }
    }
    if (next != m.attached.size()) return broken_image("what is attached does not ascend");
    return {};
  }

  Result<void> gone() {
    const GraphImage& m = image_;
    removed_.assign(pools_, false);
    std::uint32_t before = 0;
    for (const std::uint32_t v : m.removed) {
      const bool may = v > before && v < pools_ && (v < m.tree_count || v >= m.built_count);
      if (!may || m.sizes[v] != 0) return broken_image(fmt::format("pool {} cannot be removed", v));
      removed_[v] = true;
      before = v;
    }
    for (std::uint32_t v = 1; v < pools_; ++v) {
      if (m.parents[v] != kNoPool.v && removed_[m.parents[v]] && !removed_[v]) {
        return broken_image(fmt::format("pool {} is there, and its parent is not", v));
      }
    }
    return {};
  }

  [[nodiscard]] bool there(PoolId p) const { return p.v < pools_ && !removed_[p.v]; }
  [[nodiscard]] bool in_tree(PoolId p) const {
    return there(p) && (p.v < image_.tree_count || p.v >= image_.built_count);
  }

  Result<void> relations(const std::vector<GraphImage::Relations>& runs, std::uint64_t end) const {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::size_t words = image_.relation_names.size();
      const bool ascends = i == 0 || runs[i - 1].first < runs[i].first;
      if (!ascends || runs[i].first >= end || runs[i].relation.v >= words ||
          runs[i].reverse.v >= words) {
        return broken_image("the relations of its edges");
      }
    }
    return {};
  }

  Result<void> subsystem(const GraphImage::Subsystem& s, bool dominant) const {
    const std::uint64_t limit = GraphBuilder::Limits{}.edges_max;
    if (s.from.size() > limit || s.parents.size() > limit) {
      return fail(ErrorCode::limit, fmt::format("more than {} edges", limit));
    }
    if (dominant ? s.root != PoolId{0} || !s.parents.empty()
                 : s.root != kNoPool && !there(s.root)) {
      return broken_image("the root of a subsystem");
    }
    if (s.from.size() != s.to.size()) return broken_image("an edge without an end");
    if (!s.from.empty() && (s.relations.empty() || s.relations[0].first != 0)) {
      return broken_image("an edge without a relation");
    }
    for (std::size_t e = 0; e < s.from.size(); ++e) {
      const bool both =
          dominant ? in_tree(s.from[e]) && in_tree(s.to[e]) : there(s.from[e]) && there(s.to[e]);
      const bool in_the_tree = dominant && image_.parents[s.to[e].v] == s.from[e].v;
      if (!both || in_the_tree || (e > 0 && s.from[e] < s.from[e - 1])) {
        return broken_image("an edge of a subsystem");
      }
    }
    std::vector<std::pair<PoolId, PoolId>> pairs;
    pairs.reserve(s.from.size());
    for (std::size_t e = 0; e < s.from.size(); ++e) pairs.emplace_back(s.from[e], s.to[e]);
    std::sort(pairs.begin(), pairs.end());
    if (std::adjacent_find(pairs.begin(), pairs.end()) != pairs.end()) {
      return broken_image("an edge that is there twice");
    }
    for (std::size_t e = 0; e < s.parents.size(); ++e) {
      const auto& [child, parent] = s.parents[e];
      if (!there(child) || !there(parent) || (e > 0 && child < s.parents[e - 1].first)) {
        return broken_image("a parent in a subsystem");
      }
    }
    if (auto ok = relations(s.relations, s.from.size()); !ok) return ok;
    return no_cycle(s.parents);
  }

  Result<void> no_cycle(const std::vector<std::pair<PoolId, PoolId>>& parents) const {
    if (parents.empty()) return {};
    std::vector<std::uint32_t> up(pools_, kNoPool.v), seen(pools_, 0);
    for (const auto& [child, parent] : parents) up[child.v] = parent.v;  // the last one wins
    for (std::uint32_t p = 0; p < pools_; ++p) {
      std::uint32_t at = p;
      for (; at != kNoPool.v && seen[at] == 0; at = up[at]) seen[at] = p + 1;
      if (at != kNoPool.v && seen[at] == p + 1)
        return broken_image("the edges of a subsystem form a cycle");
    }
    return {};
  }

  template <class T>
  [[nodiscard]] bool listed(const GraphImage::OfPools<T>& entries) const {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const bool ascends = i == 0 || entries[i - 1].first < entries[i].first;
      if (!ascends || !there(PoolId{entries[i].first})) return false;
    }
    return true;
  }

  Result<void> sparse() const {
    const GraphImage& m = image_;
    if (auto ok = relations(m.tree_relations, pools_); !ok) return ok;
    if (!listed(m.own_names) || !listed(m.properties) || !listed(m.tags) || !listed(m.vacant)) {
      return broken_image("a name, a property or a tag of no pool");
    }
    for (const auto& [pool, types] : m.vacant) {
      const bool known =
          std::ranges::all_of(types, [&](TypeId type) { return type.v < m.type_names.size(); });
      if (!interior_[pool] || !known) return broken_image("a type that a pool has none of");
    }
    for (std::size_t i = 0; i < m.own_paths.size(); ++i) {
      const auto& path = m.own_paths[i];
      const bool ascends =
          i == 0 || std::pair{m.own_paths[i - 1].pool, m.own_paths[i - 1].subsystem} <
                        std::pair{path.pool, path.subsystem};
      if (!ascends || !there(PoolId{path.pool}) || path.subsystem.v >= m.subsystems.size()) {
        return broken_image("a path of no pool");
      }
    }
    if (!std::ranges::all_of(m.divisible,
                             [&](TypeId type) { return type.v < m.type_names.size(); })) {
      return broken_image("a divisible type that is not there");
    }
    if (!std::ranges::all_of(m.initially_down, [&](PoolId p) { return p.v < pools_; })) {
      return broken_image("a pool that is down and not there");
    }
    return {};
  }

  const GraphImage& image_;
  std::uint32_t pools_;
  std::vector<bool> interior_, removed_;
};

}  // namespace

std::unexpected<Error> broken_image(std::string text) {
  return fail(ErrorCode::invalid, "the graph of the save is broken: " + std::move(text));
}

Result<void> check_image(const GraphImage& image) { return ImageCheck(image).check(); }

}  // namespace copse
