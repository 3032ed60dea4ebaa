// SPDX-License-Identifier: Apache-2.0
//
// ResourceGraph: a machine as pools and the edges between them (RFC 4), stored as columns.
//
// A pool is `size` units of one type that cannot be distinguished. Every subsystem (containment,
// power, …) is a set of edges over the pools; one of them is *dominant*: the tree that matches
// walk.
//
// Invariants
//   1. As built, pools are numbered densely in preorder of the dominant tree, children in edge
//      order: the subtree of p is the interval [p, end(p)). Pools outside the dominant tree follow.
//      A subtree that is attached later gets an interval of its own at the end; one that is removed
//      leaves its interval empty. Numbers are never reused, so that siblings ascend; below(), before() and preorder() account for all of this.
//   2. A pool without children in the dominant tree is a *leaf*: end(p) == p + 1. The others are
//      *interior* and numbered densely in preorder as well (interior(p)).
//   3. Interior pools with equal contents one level down and equal totals share one Shape.
//   4. created() is the order of creation, and never changes; so is uniq_id(), unless the format has its own numbers of pools (JGF).
//   5. Structure changes only if an engine attaches or removes subtrees, which is logged (changes());
//      properties and tags are sparse and count their changes (properties_version()).
// A copy shares its columns with the original, and copies a column before changing it.
//
// Thread safety: none for one graph, its const functions included (they build indexes); copies may
// be in different threads.
// Size: 48 bytes per pool (2 type, 2 unit, 4 basename, 8 size, 8 id, 4 rank, 4 created, 4 parent, 4
// end, 4 interior, 4 child list), 12 bytes more an interior pool, 12 bytes per edge of a further
// subsystem. Names and paths are computed on demand. Those that differ from the computed ones are
// stored separately, as are uniq_ids (8 bytes per pool) if any differs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph_change.hpp"
#include "copse/ids.hpp"
#include "copse/names.hpp"
#include "copse/shape.hpp"
#include "copse/shared.hpp"

namespace copse {

// An edge for output: relation and its reverse ("contains" / "in").
struct Edge {
  PoolId from, to;
  SubsystemId subsystem;
  RelationId relation, reverse;
};

class ResourceGraph {
 public:
  using Attributes = std::map<std::string, std::string>;

  // --- Pools
  [[nodiscard]] std::uint32_t pool_count() const {  // numbers in use, including removed pools
    return static_cast<std::uint32_t>(types_.size());
  }
  [[nodiscard]] std::uint32_t removed_count() const { return removed_count_; }
  [[nodiscard]] bool changed() const { return changed_; }  // since it was built
  [[nodiscard]] bool removed(PoolId p) const { return changed_ && grown_->removed[p.v]; }
  [[nodiscard]] std::uint32_t tree_count() const {  // pools of the dominant subsystem
    return tree_count_ + (pool_count() - built_count_) - removed_count_;
  }
  [[nodiscard]] bool in_tree(PoolId p) const {  // of the dominant subsystem
    return (p.v < tree_count_ || p.v >= built_count_) && !removed(p);
  }
  [[nodiscard]] TypeId type(PoolId p) const { return types_[p.v]; }
  [[nodiscard]] std::int64_t size(PoolId p) const { return sizes_[p.v]; }
  [[nodiscard]] std::int64_t id(PoolId p) const { return ids_[p.v]; }  // -1: no number
  [[nodiscard]] std::int32_t rank(PoolId p) const { return ranks_[p.v]; }
  [[nodiscard]] std::uint32_t created(PoolId p) const { return created_[p.v]; }
  [[nodiscard]] std::int64_t uniq_id(PoolId p) const {
    return own_uniq_ids_.empty() ? created_[p.v] : own_uniq_ids_[p.v];
  }
  [[nodiscard]] std::int64_t next_uniq_id() const { return next_uniq_id_; }  // of the next pool
  [[nodiscard]] UnitId unit(PoolId p) const { return units_[p.v]; }
  [[nodiscard]] NameId basename(PoolId p) const { return basenames_[p.v]; }

  [[nodiscard]] const std::string& type_name(TypeId t) const { return names_->types.text(t.v); }
  [[nodiscard]] const std::string& type_name(PoolId p) const { return type_name(type(p)); }
  [[nodiscard]] const std::string& basename_text(PoolId p) const;
  [[nodiscard]] const std::string& unit_text(PoolId p) const {
    return names_->units.text(unit(p).v);
  }
  [[nodiscard]] std::string name(PoolId p) const;  // basename + id, unless the format has another
  void append_name(PoolId p, std::string& out) const;  // the same, without an allocation
  [[nodiscard]] bool has_own_name(PoolId p) const { return own_name(p) != nullptr; }
  // The pool's path in a subsystem, "/cluster0/rack0/node3"; "" if the pool is not in it. O(depth).
  [[nodiscard]] std::string path(PoolId p, SubsystemId s) const;
  // A UUID derived from path, type, rank and uniq_id: equal recipes give equal UUIDs.
  [[nodiscard]] std::string uuid(PoolId p) const;

  // The largest size that a pool of this type ever had; 0 if there was none.
  [[nodiscard]] std::int64_t largest(TypeId type) const {
    return type.v < largest_.size() ? largest_[type.v] : 0;
  }
  [[nodiscard]] std::uint64_t largest_version() const { return largest_version_; }  // its changes
  // --- Divisible types: their pools are leaves, and a request takes units of a pool; the others of
  // the pool stay free. Of other types a pool is taken whole.
  [[nodiscard]] bool any_divisible() const { return !divisible_.empty(); }
  [[nodiscard]] bool divisible(TypeId type) const {
    return type.v < divisible_.size() && divisible_[type.v];
  }
  [[nodiscard]] bool divisible(PoolId p) const { return any_divisible() && divisible(type(p)); }
  // Before an engine has the graph. Errors: invalid (a pool of the type has pools below it, in any
  // subsystem, or is the root). O(pools).
  [[nodiscard]] Result<void> set_divisible(TypeId type);
  [[nodiscard]] std::vector<TypeId> divisible_types() const;  // ascending

  // After a rebuild: takes largest() from `before`, which numbers types in the same way.
  void keep_largest(const ResourceGraph& before);

  // --- The dominant tree
  [[nodiscard]] SubsystemId dominant() const { return dominant_; }
  [[nodiscard]] PoolId root() const { return PoolId{0}; }
  // kNoPool for a root.
  [[nodiscard]] PoolId parent(PoolId p) const { return PoolId{parents_[p.v]}; }
  [[nodiscard]] PoolId end(PoolId p) const { return PoolId{ends_[p.v]}; }
  [[nodiscard]] bool leaf(PoolId p) const { return ends_[p.v] == p.v + 1; }
  [[nodiscard]] bool below(PoolId p, PoolId ancestor) const {  // p == ancestor counts
    if (p.v >= ancestor.v && p.v < ends_[ancestor.v]) return true;
    return p.v >= built_count_ && attached_below(p, ancestor);
  }
  // Whether a comes before b in preorder. O(1); O(depth) for attached pools.
  [[nodiscard]] bool before(PoolId a, PoolId b) const {
    if (a.v < built_count_ && b.v < built_count_) return a.v < b.v;
    return attached_before(a, b);
  }
  // Calls visit(PoolId) for top and all pools below it, in preorder. Where it returns false, the
  // pools below that pool are skipped. O(pools visited).
  template <class Visit>
  void preorder(PoolId top, Visit visit) const;
  // Calls visit(interior number) for the interior pools strictly below p, in unspecified order.
  template <class Visit>
  void for_each_interior_below(PoolId p, Visit visit) const;
  [[nodiscard]] std::uint32_t depth(PoolId p) const;               // edges to the root; O(depth)
  [[nodiscard]] std::span<const PoolId> children(PoolId p) const;  // in edge order
  [[nodiscard]] const Shape& shape(PoolId p) const {               // of a leaf: the empty shape
    return leaf(p) ? empty_shape_ : shapes_[interior_shapes_[interiors_[p.v]]];
  }

  // Edges of the dominant subsystem that are not in its tree: the pool at their end has several
  // parents, and is in the tree below one of them.
  [[nodiscard]] bool has_further_edges() const { return !further_[dominant_.v].from.empty(); }
  [[nodiscard]] std::span<const PoolId> further_children(PoolId p) const;  // O(log edges)
  // Whether such an edge starts at p or below it in the tree. O(log edges).
  [[nodiscard]] bool further_below(PoolId p) const;
  // Calls visit(from, to) for those edges.
  template <class Visit>
  void for_each_further_below(PoolId p, Visit visit) const;
  // Appends p's children, those by further edges included, by order of creation.
  void append_children(PoolId p, std::vector<PoolId>& out) const;

  // --- Interior pools
  [[nodiscard]] std::uint32_t interior_count() const {
    return static_cast<std::uint32_t>(interior_pools_.size());
  }
  // REQUIRES !leaf(p).
  [[nodiscard]] std::uint32_t interior(PoolId p) const { return interiors_[p.v]; }
  // The first interior number at or after pool number p.
  [[nodiscard]] std::uint32_t interior_at(PoolId p) const {
    return p.v < interiors_.size() ? interiors_[p.v] : interior_count();
  }
  [[nodiscard]] PoolId interior_pool(std::uint32_t i) const { return interior_pools_[i]; }
  [[nodiscard]] std::uint32_t shape_id(std::uint32_t i) const { return interior_shapes_[i]; }
  [[nodiscard]] const Shape& shape_of_interior(std::uint32_t i) const {
    return shapes_[interior_shapes_[i]];
  }
  [[nodiscard]] std::span<const Shape> shapes() const { return shapes_; }

  // --- Subsystems
  [[nodiscard]] std::uint32_t subsystem_count() const { return names_->subsystems.size(); }
  [[nodiscard]] const std::string& subsystem_name(SubsystemId s) const {
    return names_->subsystems.text(s.v);
  }
  [[nodiscard]] PoolId subsystem_root(SubsystemId s) const { return further_[s.v].root; }
  [[nodiscard]] bool in_subsystem(PoolId p, SubsystemId s) const;
  // By the edge that was added last; kNoPool for a root or if no edge leads to p. O(log edges).
  [[nodiscard]] PoolId parent_in(PoolId p, SubsystemId s) const;
  [[nodiscard]] std::uint64_t edge_count() const;  // of all subsystems
  // Calls visit(Edge) for every edge: subsystem by subsystem, by parent, children in edge order.
  template <class Visit>
  void for_each_edge(Visit visit) const;
  // Children of p in any subsystem, in edge order; in the dominant one first those of the tree,
  // then those by further edges. O(log edges + children).
  [[nodiscard]] std::vector<PoolId> children(PoolId p, SubsystemId s) const;

  // --- Lookup
  [[nodiscard]] const Names& names() const { return *names_; }
  Names& names() { return names_.own(); }  // for interning words of filters and requests
  [[nodiscard]] TypeId find_type(std::string_view name) const;  // kNoType if unknown
  // All pools with this path in any subsystem, in order of creation. O(depth × fan-out); children
  // of a pool with many are found by name, in an index built on first use.
  [[nodiscard]] std::vector<PoolId> at_path(std::string_view path) const;
  // All pools of a rank, in order of creation; from an index built on first use.
  [[nodiscard]] std::span<const PoolId> of_rank(std::int32_t rank) const;
  [[nodiscard]] std::vector<PoolId> of_type(TypeId type) const;  // preorder; O(pools)

  // For readers: the path that a format gives a pool, if it is not the parent's path and the name.
  void set_own_path(PoolId p, SubsystemId s, std::string path);
  [[nodiscard]] const std::string* own_path(PoolId p, SubsystemId s) const;  // nullptr if none
  // Pools that are down according to the format.
  [[nodiscard]] std::span<const PoolId> initially_down() const { return initially_down_; }

  // The changes since the graph was built.
  [[nodiscard]] std::span<const GraphChange> changes() const { return grown_->changes; }

  // --- Properties and tags (RFC 4): sparse
  [[nodiscard]] const Attributes* properties(PoolId p) const;  // nullptr if none
  void set_property(PoolId p, std::string key, std::string value);
  bool remove_property(PoolId p, const std::string& key);  // false: it has no such property
  [[nodiscard]] std::uint64_t properties_version() const { return properties_version_; }
  [[nodiscard]] const Attributes* tags(PoolId p) const;
  void set_tag(PoolId p, std::string key, std::string value = {});
  bool remove_tag(PoolId p, const std::string& key);

  // Bytes of all columns, child lists and indexes; names and properties are not counted.
  [[nodiscard]] std::uint64_t bytes() const;

  // Numbers of distinct words, as `resource-query -e` prints them. O(pools).
  struct Statistics {
    std::uint64_t pools, edges, types, names, paths;
    std::map<std::int32_t, std::uint64_t> pools_by_rank;
  };
  [[nodiscard]] Statistics statistics() const;

 private:
  friend class GraphGrowth;
  friend class GraphImager;
  friend class GraphAssembler;
  friend class ShapeBuilder;

  // The edges of a subsystem; for the dominant one only those outside its tree.
  struct Relations {  // relations of consecutive edges; run i holds from `first` on
    std::uint32_t first;
    RelationId relation, reverse;
  };
  struct FurtherEdges {
    PoolId root = kNoPool;
    std::vector<PoolId> from, to;                    // sorted by from, edge order kept
    std::vector<Relations> relations;                // by index of edge
    std::vector<std::pair<PoolId, PoolId>> parents;  // (child, parent) sorted; the last one wins
    [[nodiscard]] std::span<const PoolId> children(PoolId p) const;
  };

  using OwnPath = std::pair<std::uint32_t, std::uint8_t>;  // pool, subsystem
  using ByName = std::unordered_multimap<std::uint64_t, PoolId>;

  [[nodiscard]] bool attached_below(PoolId p, PoolId ancestor) const;
  [[nodiscard]] bool attached_before(PoolId a, PoolId b) const;

  static std::uint64_t hash_of_name(std::string_view text);
  [[nodiscard]] const std::string* own_name(PoolId p) const;
  [[nodiscard]] bool name_is(PoolId p, std::string_view text) const;
  void add_children_named(PoolId p, SubsystemId s, std::string_view name,
                          std::vector<PoolId>& out) const;
  [[nodiscard]] std::pair<RelationId, RelationId> tree_relation(PoolId child) const;

  template <class T>
  using Column = SharedColumn<T>;

  Shared<Names> names_ = Shared<Names>::make();
  Column<TypeId> types_;
  Column<UnitId> units_;
  Column<NameId> basenames_;
  Column<std::int64_t> sizes_, ids_;
  Column<std::int32_t> ranks_;
  Column<std::uint32_t> created_, parents_, ends_, interiors_;
  Column<std::int64_t> own_uniq_ids_;  // by pool; empty: as created
  Column<PoolId> initially_down_;
  std::uint32_t tree_count_ = 0;
  SubsystemId dominant_;
  Column<PoolId> interior_pools_;
  Column<std::uint32_t> interior_shapes_, child_firsts_, child_counts_;
  Column<PoolId> children_;
  Column<Shape> shapes_;
  Column<std::int64_t> largest_;  // by type
  std::vector<bool> divisible_;   // by type; empty: none is
  std::uint64_t largest_version_ = 0;
  Shape empty_shape_;
  Column<Relations> tree_relations_;  // of the edge into a pool, runs over created()
  Column<FurtherEdges> further_;      // by subsystem
  using ByHash = std::unordered_multimap<std::uint64_t, std::uint32_t>;
  Shared<ByHash> shapes_by_hash_ = Shared<ByHash>::make();

  struct Own {  // names and paths that differ from the computed ones
    std::unordered_map<std::uint32_t, std::string> names;  // by pool
    std::map<OwnPath, std::string> paths;
    std::multimap<std::string, OwnPath> by_path;
  };
  Shared<Own> own_ = Shared<Own>::make();
  struct Given {  // by pool
    std::unordered_map<std::uint32_t, Attributes> properties, tags;
  };
  Shared<Given> given_ = Shared<Given>::make();
  std::uint64_t properties_version_ = 0;

  // Growing and shrinking
  bool changed_ = false;             // `removed` has an entry for each pool
  std::uint32_t built_count_ = 0;    // pools as built; those attached have higher numbers
  std::uint32_t created_count_ = 0;  // pools ever made
  std::int64_t next_uniq_id_ = 0;    // above all uniq_ids in use
  std::uint32_t removed_count_ = 0;
  struct Grown {
    std::vector<bool> removed;
    // tops of attached subtrees, by each ancestor
    std::unordered_map<std::uint32_t, std::vector<PoolId>> attached;
    // of child lists that were moved
    std::unordered_map<std::uint32_t, std::uint32_t> child_capacities;
    std::vector<bool> own_shapes;  // by shape: it belongs to one pool, and is changed in place
    std::vector<GraphChange> changes;
  };
  Shared<Grown> grown_ = Shared<Grown>::make();

  struct Indexes {                                               // built by lookups
    std::unordered_map<std::uint32_t, ByName> children_by_name;  // of parents with many
    std::unordered_map<std::int32_t, std::vector<PoolId>> by_rank;
    bool ranks_indexed = false;
  };
  mutable Shared<Indexes> indexes_ = Shared<Indexes>::make();
};

// Walks that call a function for each pool or edge. They make no call through a pointer, and do not
// recurse.

template <class Visit>
void ResourceGraph::preorder(PoolId top, Visit visit) const {
  if (!changed_) {
    for (std::uint32_t v = top.v; v < ends_[top.v];) {
      v = visit(PoolId{v}) ? v + 1 : ends_[v];
    }
    return;
  }
  if (removed(top) || !visit(top)) return;
  std::vector<std::span<const PoolId>> open{children(top)};
  while (!open.empty()) {
    if (open.back().empty()) {
      open.pop_back();
      continue;
    }
    const PoolId p = open.back().front();
    open.back() = open.back().subspan(1);
    if (visit(p) && !leaf(p)) open.push_back(children(p));
  }
}

template <class Visit>
void ResourceGraph::for_each_further_below(PoolId p, Visit visit) const {
  const FurtherEdges& f = further_[dominant_.v];
  const auto first = std::lower_bound(f.from.begin(), f.from.end(), p);
  for (auto it = first; it != f.from.end() && *it < end(p); ++it) {
    visit(*it, f.to[static_cast<std::size_t>(it - f.from.begin())]);
  }
}

template <class Visit>
void ResourceGraph::for_each_interior_below(PoolId p, Visit visit) const {
  auto interval = [&](std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t i = first; i < end; ++i) {
      if (!removed(interior_pools_[i])) visit(i);
    }
  };
  interval(interior_at(p) + 1, interior_at(end(p)));
  if (!changed_) return;
  auto it = grown_->attached.find(p.v);
  if (it == grown_->attached.end()) return;
  for (PoolId top : it->second) interval(interior_at(top), interior_at(end(top)));
}

template <class Visit>
void ResourceGraph::for_each_edge(Visit visit) const {
  for (std::uint32_t s = 0; s < further_.size(); ++s) {
    const SubsystemId subsystem{static_cast<std::uint8_t>(s)};
    if (subsystem == dominant_) {
      for (PoolId p : interior_pools_) {
        if (removed(p)) continue;
        for (PoolId c : children(p)) {
          auto [relation, reverse] = tree_relation(c);
          visit(Edge{p, c, subsystem, relation, reverse});
        }
      }
    }
    const FurtherEdges& f = further_[s];
    std::size_t run = 0;
    for (std::uint32_t e = 0; e < f.from.size(); ++e) {
      while (run + 1 < f.relations.size() && f.relations[run + 1].first <= e) ++run;
      visit(
          Edge{f.from[e], f.to[e], subsystem, f.relations[run].relation, f.relations[run].reverse});
    }
  }
}

}  // namespace copse
