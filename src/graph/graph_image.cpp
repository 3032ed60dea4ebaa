// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_image.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "graph/graph_builder.hpp"
#include "graph/graph_shapes.hpp"

namespace copse {

namespace {

std::unexpected<Error> broken(std::string text) {
  return fail(ErrorCode::invalid, "the graph of the save is broken: " + std::move(text));
}

std::vector<std::string> words_of(const Interner& words) {
  std::vector<std::string> out;
  out.reserve(words.size());
  for (std::uint32_t i = 0; i < words.size(); ++i) out.push_back(words.text(i));
  return out;
}

template <class T>
std::vector<T> vector_of(const SharedColumn<T>& column) {
  return {column.begin(), column.end()};
}

template <class Map, class T>
void give_sorted(const Map& from, GraphImage::OfPools<T>& to) {
  to.reserve(from.size());
  for (const auto& [pool, value] : from) to.emplace_back(pool, value);
  std::sort(to.begin(), to.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

// What graph_of() asks of an image, before it believes any of it.
class Checker {
 public:
  explicit Checker(const GraphImage& image)
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
    if (n == 0 || !whole) return broken("its columns are not equally long");
    if (m.type_names.size() > 65'000 || m.unit_names.size() > 65'000 ||
        m.relation_names.size() > 65'000 || m.subsystem_names.size() > 255) {
      return fail(ErrorCode::limit, "more types, units, relations or subsystems than a graph has");
    }
    if (m.subsystems.size() != m.subsystem_names.size() || m.dominant.v >= m.subsystems.size()) {
      return broken("a subsystem is missing");
    }
    if (m.largest.size() > m.type_names.size()) return broken("sizes of types that are not there");
    std::vector<bool> seen(n, false);
    for (std::size_t v = 0; v < n; ++v) {
      if (m.types[v].v >= m.type_names.size() || m.units[v].v >= m.unit_names.size() ||
          m.names[v].v >= m.basenames.size()) {
        return broken(fmt::format("pool {} has a word that is not there", v));
      }
      if (m.sizes[v] < 0) return broken(fmt::format("pool {} has a size below 0", v));
      if (m.created[v] >= n || seen[m.created[v]]) {
        return broken(fmt::format("pool {} has no place of its own in the order of creation", v));
      }
      seen[m.created[v]] = true;
    }
    return {};
  }

  // Each interval of numbers is a tree in preorder: a parent is the pool before, or one above it.
  Result<void> tree() {
    const GraphImage& m = image_;
    const bool counts =
        m.tree_count >= 1 && m.tree_count <= m.built_count && m.built_count <= pools_ &&
        m.attached.empty() == (m.built_count == pools_) && m.parents[0] == kNoPool.v &&
        (m.attached.empty() || m.attached[0] == m.built_count);
    if (!counts) return broken("its counts do not fit each other");
    std::vector<std::uint32_t> depth(pools_, 0), open;
    interior_.assign(pools_, false);
    std::size_t next = 0;
    for (std::uint32_t v = 0; v < pools_; ++v) {
      const std::uint32_t up = m.parents[v];
      const bool top = next < m.attached.size() && m.attached[next] == v;
      if (v >= m.tree_count && v < m.built_count) {
        if (up != kNoPool.v) return broken(fmt::format("pool {} has a parent outside the tree", v));
        continue;
      }
      if (v == 0 || top) {
        open.assign(1, v);
        if (v == 0) continue;
        ++next;
        // What is attached hangs on a pool that has something below it already.
        if (up >= v || !interior_[up] || (up >= m.tree_count && up < m.built_count)) {
          return broken(fmt::format("pool {} is attached to a pool that cannot be", v));
        }
      } else {
        while (!open.empty() && open.back() != up) open.pop_back();
        if (open.empty()) return broken(fmt::format("pool {} is not in preorder", v));
        interior_[up] = true;
        open.push_back(v);
      }
      depth[v] = depth[up] + 1;
      if (depth[v] >= kGraphDepthMax) {
        return fail(ErrorCode::limit, fmt::format("more than {} levels", kGraphDepthMax));
      }
    }
    if (next != m.attached.size()) return broken("what is attached does not ascend");
    return {};
  }

  Result<void> gone() {
    const GraphImage& m = image_;
    removed_.assign(pools_, false);
    std::uint32_t before = 0;
    for (const std::uint32_t v : m.removed) {
      const bool may = v > before && v < pools_ && (v < m.tree_count || v >= m.built_count);
      if (!may || m.sizes[v] != 0) return broken(fmt::format("pool {} cannot be removed", v));
      removed_[v] = true;
      before = v;
    }
    for (std::uint32_t v = 1; v < pools_; ++v) {
      if (m.parents[v] != kNoPool.v && removed_[m.parents[v]] && !removed_[v]) {
        return broken(fmt::format("pool {} is there, and its parent is not", v));
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
        return broken("the relations of its edges");
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
      return broken("the root of a subsystem");
    }
    if (s.from.size() != s.to.size()) return broken("an edge without an end");
    if (!s.from.empty() && (s.relations.empty() || s.relations[0].first != 0)) {
      return broken("an edge without a relation");
    }
    for (std::size_t e = 0; e < s.from.size(); ++e) {
      const bool both =
          dominant ? in_tree(s.from[e]) && in_tree(s.to[e]) : there(s.from[e]) && there(s.to[e]);
      const bool in_the_tree = dominant && image_.parents[s.to[e].v] == s.from[e].v;
      if (!both || in_the_tree || (e > 0 && s.from[e] < s.from[e - 1])) {
        return broken("an edge of a subsystem");
      }
    }
    std::vector<std::pair<PoolId, PoolId>> pairs;
    pairs.reserve(s.from.size());
    for (std::size_t e = 0; e < s.from.size(); ++e) pairs.emplace_back(s.from[e], s.to[e]);
    std::sort(pairs.begin(), pairs.end());
    if (std::adjacent_find(pairs.begin(), pairs.end()) != pairs.end()) {
      return broken("an edge that is there twice");
    }
    for (std::size_t e = 0; e < s.parents.size(); ++e) {
      const auto& [child, parent] = s.parents[e];
      if (!there(child) || !there(parent) || (e > 0 && child < s.parents[e - 1].first)) {
        return broken("a parent in a subsystem");
      }
    }
    if (auto ok = relations(s.relations, s.from.size()); !ok) return ok;
    return no_cycle(s.parents);
  }

  Result<void> no_cycle(const std::vector<std::pair<PoolId, PoolId>>& parents) const {
    if (parents.empty()) return {};
    std::vector<std::uint32_t> up(pools_, kNoPool.v), seen(pools_, 0);
    for (const auto& [child, parent] : parents) up[child.v] = parent.v;  // the last one counts
    for (std::uint32_t p = 0; p < pools_; ++p) {
      std::uint32_t at = p;
      for (; at != kNoPool.v && seen[at] == 0; at = up[at]) seen[at] = p + 1;
      if (at != kNoPool.v && seen[at] == p + 1)
        return broken("the edges of a subsystem form a cycle");
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
      return broken("a name, a property or a tag of no pool");
    }
    for (const auto& [pool, types] : m.vacant) {
      const bool known =
          std::ranges::all_of(types, [&](TypeId type) { return type.v < m.type_names.size(); });
      if (!interior_[pool] || !known) return broken("a type that a pool has none of");
    }
    for (std::size_t i = 0; i < m.own_paths.size(); ++i) {
      const auto& path = m.own_paths[i];
      const bool ascends =
          i == 0 || std::pair{m.own_paths[i - 1].pool, m.own_paths[i - 1].subsystem} <
                        std::pair{path.pool, path.subsystem};
      if (!ascends || !there(PoolId{path.pool}) || path.subsystem.v >= m.subsystems.size()) {
        return broken("a path of no pool");
      }
    }
    if (!std::ranges::all_of(m.born_down, [&](PoolId p) { return p.v < pools_; })) {
      return broken("a pool that is down and not there");
    }
    return {};
  }

  const GraphImage& image_;
  std::uint32_t pools_;
  std::vector<bool> interior_, removed_;
};

// Words get the numbers that they had. Those that every graph knows come first.
Result<void> intern(const std::vector<std::string>& words, Interner& into) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (into.intern(words[i]) != i) return broken(fmt::format("the word \"{}\"", words[i]));
  }
  if (into.size() != words.size()) return broken("words that every graph knows are missing");
  return {};
}

}  // namespace

GraphImage GraphImager::image_of(const ResourceGraph& g) {
  GraphImage m;
  m.type_names = words_of(g.names_->types);
  m.unit_names = words_of(g.names_->units);
  m.basenames = words_of(g.names_->basenames);
  m.subsystem_names = words_of(g.names_->subsystems);
  m.relation_names = words_of(g.names_->relations);
  m.dominant = g.dominant_;
  m.tree_count = g.tree_count_;
  m.built_count = g.built_count_;
  m.next_uniq_id = g.next_uniq_id_;
  m.types = vector_of(g.types_);
  m.units = vector_of(g.units_);
  m.names = vector_of(g.basenames_);
  m.sizes = vector_of(g.sizes_);
  m.ids = vector_of(g.ids_);
  m.ranks = vector_of(g.ranks_);
  m.created = vector_of(g.created_);
  m.parents = vector_of(g.parents_);
  m.uniq_ids = vector_of(g.own_uniq_ids_);
  for (std::uint32_t v = 0; g.removed_count_ > 0 && v < g.pool_count(); ++v) {
    if (g.removed(PoolId{v})) m.removed.push_back(v);
  }
  for (std::uint32_t v = g.built_count_; v < g.pool_count(); v = g.ends_[v])
    m.attached.push_back(v);
  m.born_down = vector_of(g.born_down_);
  m.largest = vector_of(g.largest_);
  while (!m.largest.empty() && m.largest.back() == 0) m.largest.pop_back();
  for (std::uint32_t i = 0; !g.grown_->own_shapes.empty() && i < g.interior_count(); ++i) {
    const PoolId p = g.interior_pool(i);
    const std::uint32_t shape = g.interior_shapes_[i];
    if (g.removed(p) || shape >= g.grown_->own_shapes.size() || !g.grown_->own_shapes[shape])
      continue;
    std::vector<TypeId> types;
    for (const TypeTotal& t : g.shapes_[shape].totals) {
      if (t.total == 0) types.push_back(t.type);
    }
    if (!types.empty()) m.vacant.emplace_back(p.v, std::move(types));
  }
  auto relations = [](const auto& runs, std::vector<GraphImage::Relations>& to) {
    for (const auto& run : runs) to.push_back({run.first, run.relation, run.reverse});
  };
  relations(g.tree_relations_, m.tree_relations);
  for (const ResourceGraph::FurtherEdges& f : g.further_) {
    m.subsystems.push_back({f.root, f.from, f.to, {}, f.parents});
    relations(f.relations, m.subsystems.back().relations);
  }
  give_sorted(g.own_->names, m.own_names);
  for (const auto& [key, path] : g.own_->paths) {
    m.own_paths.push_back({key.first, SubsystemId{key.second}, path});
  }
  give_sorted(g.given_->properties, m.properties);
  give_sorted(g.given_->tags, m.tags);
  return m;
}

// Interior numbers, child lists and the places of what was attached.
void GraphImager::derive(ResourceGraph& g, const GraphImage& m) {
  const std::uint32_t n = g.pool_count();
  std::vector<std::uint32_t> ends(n), interiors(n);
  for (std::uint32_t v = 0; v < n; ++v) ends[v] = v + 1;
  auto top = m.attached.rbegin();
  for (std::uint32_t v = n; v-- > 1;) {
    if (top != m.attached.rend() && *top == v) {
      ++top;
    } else if (g.parents_[v] != kNoPool.v) {
      ends[g.parents_[v]] = std::max(ends[g.parents_[v]], ends[v]);
    }
  }
  std::vector<PoolId> interior_pools;
  for (std::uint32_t v = 0; v < n; ++v) {
    interiors[v] = static_cast<std::uint32_t>(interior_pools.size());
    if (ends[v] != v + 1) interior_pools.push_back(PoolId{v});
  }
  auto is_child = [&](std::uint32_t v) {
    return g.parents_[v] != kNoPool.v && !g.removed(PoolId{v});
  };
  std::vector<std::uint32_t> counts(interior_pools.size(), 0), firsts(interior_pools.size(), 0);
  for (std::uint32_t v = 0; v < n; ++v) {
    if (is_child(v)) ++counts[interiors[g.parents_[v]]];
  }
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    firsts[i] = sum;
    sum += counts[i];
  }
  std::vector<PoolId> children(sum);
  std::vector<std::uint32_t> at = firsts;
  for (std::uint32_t v = 0; v < n; ++v) {
    if (is_child(v)) children[at[interiors[g.parents_[v]]]++] = PoolId{v};
  }
  g.ends_ = std::move(ends);
  g.interiors_ = std::move(interiors);
  g.interior_pools_ = std::move(interior_pools);
  g.child_counts_ = std::move(counts);
  g.child_firsts_ = std::move(firsts);
  g.children_ = std::move(children);
  for (const std::uint32_t v : m.attached) {
    if (g.grown_->removed[v]) continue;
    for (std::uint32_t up = g.parents_[v]; up != kNoPool.v; up = g.parents_[up]) {
      g.grown_.own().attached[up].push_back(PoolId{v});
    }
  }
}

Result<ResourceGraph> GraphImager::graph_of(GraphImage m) {
  if (auto ok = Checker(m).check(); !ok) return std::unexpected(ok.error());
  ResourceGraph g;
  for (const auto& [words, into] : {std::pair{&m.type_names, &g.names_.own().types},
                                    std::pair{&m.unit_names, &g.names_.own().units},
                                    std::pair{&m.basenames, &g.names_.own().basenames},
                                    std::pair{&m.subsystem_names, &g.names_.own().subsystems},
                                    std::pair{&m.relation_names, &g.names_.own().relations}}) {
    if (auto ok = intern(*words, *into); !ok) return std::unexpected(ok.error());
  }
  g.types_ = std::move(m.types);
  g.units_ = std::move(m.units);
  g.basenames_ = std::move(m.names);
  g.sizes_ = std::move(m.sizes);
  g.ids_ = std::move(m.ids);
  g.ranks_ = std::move(m.ranks);
  g.created_ = std::move(m.created);
  g.parents_ = std::move(m.parents);
  g.own_uniq_ids_ = std::move(m.uniq_ids);
  g.born_down_ = std::move(m.born_down);
  g.dominant_ = m.dominant;
  g.tree_count_ = m.tree_count;
  g.built_count_ = m.built_count;
  g.created_count_ = g.pool_count();
  g.next_uniq_id_ = m.next_uniq_id;
  g.changed_ = !m.removed.empty() || !m.attached.empty();
  if (g.changed_) g.grown_.own().removed.assign(g.pool_count(), false);
  for (const std::uint32_t v : m.removed) g.grown_.own().removed[v] = true;
  g.removed_count_ = static_cast<std::uint32_t>(m.removed.size());
  for (const GraphImage::Relations& run : m.tree_relations) {
    g.tree_relations_.push_back({run.first, run.relation, run.reverse});
  }
  std::vector<ResourceGraph::FurtherEdges> further;
  for (GraphImage::Subsystem& s : m.subsystems) {
    further.push_back({s.root, std::move(s.from), std::move(s.to), {}, std::move(s.parents)});
    for (const GraphImage::Relations& run : s.relations) {
      further.back().relations.push_back({run.first, run.relation, run.reverse});
    }
  }
  g.further_ = std::move(further);
  for (auto& [pool, name] : m.own_names) g.own_.own().names.emplace(pool, std::move(name));
  for (auto& path : m.own_paths) {
    g.set_own_path(PoolId{path.pool}, path.subsystem, std::move(path.path));
  }
  for (auto& [pool, values] : m.properties)
    g.given_.own().properties.emplace(pool, std::move(values));
  for (auto& [pool, values] : m.tags) g.given_.own().tags.emplace(pool, std::move(values));
  derive(g, m);
  if (auto ok = ShapeMaker::make_all(g); !ok) return std::unexpected(ok.error());
  for (const auto& [pool, types] : m.vacant) {
    ShapeMaker::edit_own(g, g.interiors_[pool], [&](Shape& shape) {
      for (const TypeId type : types) ShapeMaker::total_of(shape.totals, type);
    });
  }
  g.largest_.edit([&](std::vector<std::int64_t>& largest) {
    for (std::size_t t = 0; t < m.largest.size(); ++t) {
      largest[t] = std::max(largest[t], m.largest[t]);
    }
  });
  return g;
}

}  // namespace copse
