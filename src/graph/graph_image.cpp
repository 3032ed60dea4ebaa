// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_image.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "graph/check_image.hpp"
#include "graph/graph_shapes.hpp"

namespace copse {

namespace {

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

// Words get their former numbers. Those that every graph knows come first.
Result<void> intern(const std::vector<std::string>& words, Interner& into) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (into.intern(words[i]) != i) return broken_image(fmt::format("the word \"{}\"", words[i]));
  }
  if (into.size() != words.size()) return broken_image("words that every graph knows are missing");
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
  m.initially_down = vector_of(g.initially_down_);
  m.divisible = g.divisible_types();
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

// Derives interior numbers, child lists, and where subtrees were attached.
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

void GraphImager::take_edges(ResourceGraph& g, GraphImage& m) {
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
}

Result<ResourceGraph> GraphImager::graph_of(GraphImage m) {
  if (auto ok = check_image(m); !ok) return std::unexpected(ok.error());
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
  g.initially_down_ = std::move(m.initially_down);
  g.dominant_ = m.dominant;
  g.tree_count_ = m.tree_count;
  g.built_count_ = m.built_count;
  g.created_count_ = g.pool_count();
  g.next_uniq_id_ = m.next_uniq_id;
  g.changed_ = !m.removed.empty() || !m.attached.empty();
  if (g.changed_) g.grown_.own().removed.assign(g.pool_count(), false);
  for (const std::uint32_t v : m.removed) g.grown_.own().removed[v] = true;
  g.removed_count_ = static_cast<std::uint32_t>(m.removed.size());
  take_edges(g, m);
  for (auto& [pool, name] : m.own_names) g.own_.own().names.emplace(pool, std::move(name));
  for (auto& path : m.own_paths) {
    g.set_own_path(PoolId{path.pool}, path.subsystem, std::move(path.path));
  }
  for (auto& [pool, values] : m.properties)
    g.given_.own().properties.emplace(pool, std::move(values));
  for (auto& [pool, values] : m.tags) g.given_.own().tags.emplace(pool, std::move(values));
  derive(g, m);
  if (auto ok = ShapeBuilder::make_all(g); !ok) return std::unexpected(ok.error());
  for (const auto& [pool, types] : m.vacant) {
    ShapeBuilder::edit_own(g, g.interiors_[pool], [&](Shape& shape) {
      for (const TypeId type : types) ShapeBuilder::total_of(shape.totals, type);
    });
  }
  g.largest_.edit([&](std::vector<std::int64_t>& largest) {
    for (std::size_t t = 0; t < m.largest.size(); ++t) {
      largest[t] = std::max(largest[t], m.largest[t]);
    }
  });
  for (const TypeId type : m.divisible) {
    if (auto ok = g.set_divisible(type); !ok) return broken_image(ok.error().text);
  }
  return g;
}

}  // namespace copse
