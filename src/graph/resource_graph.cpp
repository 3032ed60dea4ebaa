// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <unordered_set>

#include <fmt/format.h>
#include <xxhash.h>

#include "copse/graph.hpp"
#include "graph/uuid.hpp"

namespace copse {

namespace {

// In most graphs the map is empty: checking that first avoids a lookup.
template <class Map>
const typename Map::mapped_type* find_in(const Map& map, const typename Map::key_type& key) {
  if (map.empty()) return nullptr;
  const auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
}

// False: the pool has no such entry.
template <class Map>
bool erase_entry(Map& map, PoolId p, const std::string& key) {
  const auto it = map.find(p.v);
  if (it == map.end() || it->second.erase(key) == 0) return false;
  if (it->second.empty()) map.erase(it);
  return true;
}

}  // namespace

const std::string& ResourceGraph::basename_text(PoolId p) const {
  return names_->basenames.text(basename(p).v);
}

const std::string* ResourceGraph::own_name(PoolId p) const { return find_in(own_->names, p.v); }

void ResourceGraph::append_name(PoolId p, std::string& out) const {
  if (const std::string* own = own_name(p)) {
    out += *own;
    return;
  }
  out += basename_text(p);
  if (id(p) == -1) return;
  const fmt::format_int digits(id(p));
  out.append(digits.data(), digits.size());
}

std::string ResourceGraph::name(PoolId p) const {
  std::string out;
  append_name(p, out);
  return out;
}

bool ResourceGraph::name_is(PoolId p, std::string_view text) const {
  if (const std::string* own = own_name(p)) return *own == text;
  const std::string& base = basename_text(p);
  if (!text.starts_with(base)) return false;
  text.remove_prefix(base.size());
  if (id(p) == -1) return text.empty();
  const fmt::format_int digits(id(p));
  return text == std::string_view(digits.data(), digits.size());
}

Result<void> ResourceGraph::set_divisible(TypeId type) {
  for (std::uint32_t v = 0; v < pool_count(); ++v) {
    const PoolId p{v};
    if (types_[v] != type || removed(p)) continue;
    bool below = !leaf(p) || p == root();
    for (const FurtherEdges& f : further_) below = below || !f.children(p).empty();
    if (!below) continue;
    return fail(ErrorCode::invalid, fmt::format("{} has pools below it, so {} is not divisible",
                                                name(p), type_name(p)));
  }
  divisible_.resize(std::max<std::size_t>(divisible_.size(), type.v + std::size_t{1}), false);
  divisible_[type.v] = true;
  return {};
}

std::vector<TypeId> ResourceGraph::divisible_types() const {
  std::vector<TypeId> out;
  for (std::size_t t = 0; t < divisible_.size(); ++t) {
    if (divisible_[t]) out.push_back(TypeId{static_cast<std::uint16_t>(t)});
  }
  return out;
}

void ResourceGraph::keep_largest(const ResourceGraph& before) {
  largest_.edit([&](auto& largest) {
    largest.resize(std::max(largest.size(), before.largest_.size()), 0);
    for (std::size_t t = 0; t < before.largest_.size(); ++t) {
      largest[t] = std::max(largest[t], before.largest_[t]);
    }
  });
}

std::uint32_t ResourceGraph::depth(PoolId p) const {
  std::uint32_t d = 0;
  for (PoolId up = parent(p); up != kNoPool; up = parent(up)) ++d;
  return d;
}

bool ResourceGraph::attached_below(PoolId p, PoolId ancestor) const {
  for (; p != kNoPool && p.v >= built_count_; p = parent(p)) {
    if (p.v >= ancestor.v && p.v < ends_[ancestor.v]) return true;
  }
  return p != kNoPool && p.v >= ancestor.v && p.v < ends_[ancestor.v];
}

bool ResourceGraph::attached_before(PoolId a, PoolId b) const {
  if (a == b) return false;
  std::uint32_t depth_a = depth(a), depth_b = depth(b);
  for (; depth_a > depth_b; --depth_a) {
    a = parent(a);
    if (a == b) return false;  // b is above a
  }
  for (; depth_b > depth_a; --depth_b) {
    b = parent(b);
    if (a == b) return true;
  }
  while (parent(a) != parent(b)) {
    a = parent(a);
    b = parent(b);
  }
  return a.v < b.v;  // siblings ascend
}

std::span<const PoolId> ResourceGraph::children(PoolId p) const {
  if (leaf(p)) return {};
  const std::uint32_t i = interiors_[p.v];
  return {children_.data() + child_firsts_[i], child_counts_[i]};
}

std::span<const PoolId> ResourceGraph::FurtherEdges::children(PoolId p) const {
  const auto [low, high] = std::equal_range(from.begin(), from.end(), p);
  return std::span(to).subspan(static_cast<std::size_t>(low - from.begin()),
                               static_cast<std::size_t>(high - low));
}

std::vector<PoolId> ResourceGraph::children(PoolId p, SubsystemId s) const {
  std::vector<PoolId> out;
  if (s == dominant_) {
    const auto own = children(p);
    out.assign(own.begin(), own.end());
  }
  const auto more = further_[s.v].children(p);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::span<const PoolId> ResourceGraph::further_children(PoolId p) const {
  return further_[dominant_.v].children(p);
}

bool ResourceGraph::further_below(PoolId p) const {
  const FurtherEdges& f = further_[dominant_.v];
  const auto it = std::lower_bound(f.from.begin(), f.from.end(), p);
  return it != f.from.end() && *it < end(p);
}

void ResourceGraph::append_children(PoolId p, std::vector<PoolId>& out) const {
  const auto own = children(p), more = further_children(p);
  std::size_t k = 0;
  for (const PoolId child : own) {
    while (k < more.size() && uniq_id(more[k]) < uniq_id(child)) out.push_back(more[k++]);
    out.push_back(child);
  }
  out.insert(out.end(), more.begin() + static_cast<std::ptrdiff_t>(k), more.end());
}

PoolId ResourceGraph::parent_in(PoolId p, SubsystemId s) const {
  const FurtherEdges& f = further_[s.v];
  // The last edge determines the path (Fluxion overwrites it).
  auto it = std::upper_bound(f.parents.begin(), f.parents.end(), p,
                             [](PoolId c, const auto& entry) { return c < entry.first; });
  if (it != f.parents.begin() && std::prev(it)->first == p) return std::prev(it)->second;
  return s == dominant_ ? parent(p) : kNoPool;
}

bool ResourceGraph::in_subsystem(PoolId p, SubsystemId s) const {
  // A pool with its own path in the subsystem belongs to it, too.
  return further_[s.v].root == p || parent_in(p, s) != kNoPool || own_path(p, s) != nullptr;
}

const std::string* ResourceGraph::own_path(PoolId p, SubsystemId s) const {
  return find_in(own_->paths, {p.v, s.v});
}

void ResourceGraph::set_own_path(PoolId p, SubsystemId s, std::string path) {
  own_.own().by_path.emplace(path, OwnPath{p.v, s.v});
  own_.own().paths.insert_or_assign({p.v, s.v}, std::move(path));
}

std::string ResourceGraph::path(PoolId p, SubsystemId s) const {
  if (!in_subsystem(p, s)) return {};
  if (const std::string* own = own_path(p, s)) return *own;
  std::array<PoolId, 64> few;
  std::vector<PoolId> many;
  std::size_t n = 0;
  for (PoolId at = p; at != kNoPool; at = parent_in(at, s)) {
    if (n < few.size()) {
      few[n++] = at;
    } else {
      many.push_back(at);
    }
  }
  std::string out;
  for (auto it = many.rbegin(); it != many.rend(); ++it) append_name(*it, out += '/');
  while (n > 0) append_name(few[--n], out += '/');
  return out;
}

std::string ResourceGraph::uuid(PoolId p) const {
  std::string key;
  for (std::uint32_t s = 0; s < subsystem_count() && key.empty(); ++s) {
    key = path(p, SubsystemId{static_cast<std::uint8_t>(s)});
  }
  key += '\0' + type_name(p);
  key += '\0' + std::to_string(rank(p)) + '\0' + std::to_string(uniq_id(p));
  return uuid_of(key);
}

std::uint64_t ResourceGraph::edge_count() const {
  std::uint64_t n = 0;
  for (std::uint32_t i = 0; i < interior_count(); ++i) n += child_counts_[i];
  for (const FurtherEdges& f : further_) n += f.from.size();
  return n;
}

std::pair<RelationId, RelationId> ResourceGraph::tree_relation(PoolId child) const {
  auto it = std::upper_bound(tree_relations_.begin(), tree_relations_.end(), created(child),
                             [](std::uint32_t at, const Relations& run) { return at < run.first; });
  if (it == tree_relations_.begin()) return {};
  return {std::prev(it)->relation, std::prev(it)->reverse};
}

TypeId ResourceGraph::find_type(std::string_view name) const {
  const std::uint32_t t = names_->types.find(name);
  return t == Interner::kNone ? kNoType : TypeId{static_cast<std::uint16_t>(t)};
}

std::uint64_t ResourceGraph::hash_of_name(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

void ResourceGraph::add_children_named(PoolId p, SubsystemId s, std::string_view name,
                                       std::vector<PoolId>& out) const {
  const auto add_named = [&](PoolId child) {
    if (name_is(child, name)) out.push_back(child);
  };
  std::ranges::for_each(further_[s.v].children(p), add_named);
  if (s != dominant_) return;
  const auto below = children(p);
  constexpr std::size_t kFewChildren = 64;  // more are looked up in an index
  if (below.size() <= kFewChildren) {
    std::ranges::for_each(below, add_named);
    return;
  }
  if (!indexes_->children_by_name.contains(p.v)) {
    ByName& index = indexes_.own().children_by_name[p.v];
    index.reserve(below.size());
    std::string text;
    for (PoolId c : below) {
      text.clear();
      append_name(c, text);
      index.emplace(hash_of_name(text), c);
    }
  }
  const ByName& index = indexes_->children_by_name.at(p.v);
  auto [first, last] = index.equal_range(hash_of_name(name));
  for (auto it = first; it != last; ++it) add_named(it->second);
}

std::vector<PoolId> ResourceGraph::at_path(std::string_view path) const {
  std::vector<PoolId> found;
  if (path.size() < 2 || path.front() != '/') return found;
  const std::string_view steps = path.substr(1);
  for (std::uint32_t s = 0; s < subsystem_count(); ++s) {
    const SubsystemId subsystem{static_cast<std::uint8_t>(s)};
    std::string_view rest = steps;
    std::size_t slash = rest.find('/');
    std::vector<PoolId> level;
    const PoolId root = further_[s].root;
    if (root != kNoPool && name_is(root, rest.substr(0, slash))) level.push_back(root);
    while (!level.empty() && slash != std::string_view::npos) {
      rest.remove_prefix(slash + 1);
      slash = rest.find('/');
      std::vector<PoolId> next;
      for (PoolId p : level) add_children_named(p, subsystem, rest.substr(0, slash), next);
      level = std::move(next);
    }
    std::erase_if(level, [&](PoolId p) { return own_path(p, subsystem) != nullptr; });
    found.insert(found.end(), level.begin(), level.end());
  }
  const auto [first, last] = own_->by_path.equal_range(std::string(path));
  for (auto it = first; it != last; ++it) found.push_back(PoolId{it->second.first});
  std::sort(found.begin(), found.end(),
            [&](PoolId a, PoolId b) { return created(a) < created(b); });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::span<const PoolId> ResourceGraph::of_rank(std::int32_t rank) const {
  if (!indexes_->ranks_indexed) {
    Indexes& made = indexes_.own();
    for (std::uint32_t v = 0; v < pool_count(); ++v) {
      if (ranks_[v] != -1 && !removed(PoolId{v})) made.by_rank[ranks_[v]].push_back(PoolId{v});
    }
    for (auto& [r, pools] : made.by_rank) {
      std::sort(pools.begin(), pools.end(),
                [&](PoolId a, PoolId b) { return created(a) < created(b); });
    }
    made.ranks_indexed = true;
  }
  if (const auto* pools = find_in(indexes_->by_rank, rank)) return *pools;
  return {};
}

std::vector<PoolId> ResourceGraph::of_type(TypeId type) const {
  std::vector<PoolId> out;
  preorder(root(), [&](PoolId p) {
    if (types_[p.v] == type) out.push_back(p);
    return true;
  });
  for (std::uint32_t p = tree_count_; p < built_count_; ++p) {  // outside of the tree
    if (types_[p] == type) out.push_back(PoolId{p});
  }
  return out;
}

const ResourceGraph::Attributes* ResourceGraph::properties(PoolId p) const {
  return find_in(given_->properties, p.v);
}

void ResourceGraph::set_property(PoolId p, std::string key, std::string value) {
  given_.own().properties[p.v].insert_or_assign(std::move(key), std::move(value));
  ++properties_version_;
}

bool ResourceGraph::remove_property(PoolId p, const std::string& key) {
  const Attributes* has = properties(p);
  if (has == nullptr || !has->contains(key)) return false;
  ++properties_version_;
  return erase_entry(given_.own().properties, p, key);
}

const ResourceGraph::Attributes* ResourceGraph::tags(PoolId p) const {
  return find_in(given_->tags, p.v);
}

void ResourceGraph::set_tag(PoolId p, std::string key, std::string value) {
  given_.own().tags[p.v].insert_or_assign(std::move(key), std::move(value));
}

bool ResourceGraph::remove_tag(PoolId p, const std::string& key) {
  return erase_entry(given_.own().tags, p, key);
}

std::uint64_t ResourceGraph::bytes() const {
  auto of = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  std::uint64_t n = of(types_) + of(units_) + of(basenames_) + of(sizes_) + of(ids_) + of(ranks_) +
                    of(created_) + of(own_uniq_ids_) + of(parents_) + of(ends_) + of(interiors_) +
                    of(interior_pools_) + of(interior_shapes_) + of(child_firsts_) +
                    of(child_counts_) + of(children_) + of(tree_relations_);
  for (const FurtherEdges& f : further_) {
    n += of(f.from) + of(f.to) + of(f.relations) + of(f.parents);
  }
  for (const Shape& s : shapes_) n += of(s.totals) + of(s.runs) + of(s.child_types) + sizeof(Shape);
  return n;
}

ResourceGraph::Statistics ResourceGraph::statistics() const {
  Statistics out{pool_count() - removed_count_, edge_count(), 0, 0, 0, {}};
  std::vector<bool> seen(names_->types.size());
  std::unordered_set<std::uint64_t> names;
  std::vector<std::uint64_t> paths;
  std::string text;
  for (std::uint32_t v = 0; v < pool_count(); ++v) {
    const PoolId p{v};
    if (removed(p)) continue;
    if (!seen[type(p).v]) ++out.types;
    seen[type(p).v] = true;
    append_name(p, text = {});
    names.insert(hash_of_name(text));
    for (std::uint32_t s = 0; s < subsystem_count(); ++s) {
      const SubsystemId subsystem{static_cast<std::uint8_t>(s)};
      if (in_subsystem(p, subsystem)) paths.push_back(hash_of_name(path(p, subsystem)));
    }
    ++out.pools_by_rank[rank(p)];
  }
  std::sort(paths.begin(), paths.end());
  out.names = names.size();
  out.paths = static_cast<std::uint64_t>(std::unique(paths.begin(), paths.end()) - paths.begin());
  return out;
}

}  // namespace copse
