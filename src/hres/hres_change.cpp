// SPDX-License-Identifier: Apache-2.0
#include "hres/hres_change.hpp"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "text/slurm_hostlist.hpp"

namespace copse {

Result<void> HresTable::Change::add(const ResourceSpec& spec) {
  if (spec.layers.empty()) return {};  // as if it were missing
  const auto [at, is_new] = numbers_.emplace(spec.name, resource_count());
  if (is_new) {
    const auto known = hres_.by_name_.find(spec.name);
    if (known != hres_.by_name_.end()) at->second = known->second;
    if (known == hres_.by_name_.end()) {
      Resource made;
      made.name = spec.name;
      made.mode = spec.mode;
      made.topology = spec.topology;
      resources_.push_back(std::move(made));
    }
  }
  const std::uint32_t number = at->second;
  if (resource(number).mode != spec.mode) {
    return refuse(ErrorCode::invalid,
                  fmt::format("the resource {} has mode {} elsewhere: a resource has one mode",
                              spec.name, resource(number).mode),
                  spec.place);
  }
  auto& variables = variables_[number];
  for (const auto& variable : spec.variables) variables.insert(variable);  // the first counts
  for (const VariableOfProperty& variable : spec.of_properties) {
    if (spec.mode != 3) {
      return refuse(ErrorCode::invalid,
                    fmt::format("the variable {} of {} depends on a property of nodes: only mode 3 "
                                "counts by node",
                                variable.name, spec.name),
                    spec.place);
    }
    kinds_[number].push_back(variable);
  }
  for (const LayerSpec& layer : spec.layers) {
    if (auto ok = add(number, spec.name, layer); !ok) return ok;
  }
  return {};
}

Result<void> HresTable::Change::set_nodes(std::uint32_t layer, std::string_view to) {
  Layer& made = changed_.emplace(layer, copy(hres_.layers_[layer])).first->second;
  list(made.resource);
  made.nodes.clear();
  std::vector<std::string> names;
  if (auto ok = expand(std::string(to), {}, names, made.nodes); !ok) return ok;
  finish(made, names);
  return {};
}

Result<void> HresTable::Change::apply() {
  for (auto& [number, layers] : lists_) {
    if (auto ok = derive(number, layers); !ok) return ok;
  }
  commit();
  return {};
}

void HresTable::Change::commit() {
  for (Resource& made : resources_) {
    hres_.by_name_.emplace(made.name, static_cast<std::uint32_t>(hres_.resources_.size()));
    hres_.resources_.push_back(std::move(made));
  }
  for (Layer& made : layers_) hres_.layers_.push_back(std::move(made));
  for (auto& [number, made] : changed_) {
    Layer& layer = hres_.layers_[number];
    layer.nodes = std::move(made.nodes);
    layer.text = std::move(made.text);
    layer.hash = made.hash;
  }
  for (auto& [number, variables] : variables_) {
    hres_.resources_[number].variables.insert(variables.begin(), variables.end());
  }
  for (const auto& [number, kinds] : kinds_) {
    for (const VariableOfProperty& variable : kinds) add_kind(hres_.resources_[number], variable);
  }
  for (auto& [number, derived] : derived_) {
    Resource& resource = hres_.resources_[number];
    for (std::uint32_t layer : resource.layers) hres_.layers_[layer].exists = false;
    const std::vector<std::uint32_t> before =
        std::exchange(resource.layers, std::move(lists_.at(number)));
    resource.classes = std::move(derived.classes);
    resource.root = derived.root;
    for (std::size_t i = 0; i < resource.layers.size(); ++i) {
      Layer& layer = hres_.layers_[resource.layers[i]];
      layer.exists = true;
      layer.base = derived.bases[i];
      layer.parent = derived.parents[i];
      layer.level = derived.levels[i];
    }
    forget_gone(before);
    if (resource.layers.empty()) hres_.by_name_.erase(resource.name);
    hres_.rank(resource);
  }
  ++hres_.version_;
  ++hres_.structure_;
}

void HresTable::Change::forget_gone(const std::vector<std::uint32_t>& before) {
  for (std::uint32_t number : before) {
    Layer& layer = hres_.layers_[number];
    if (!layer.exists) layer.nodes = {};
  }
}

const HresTable::Layer& HresTable::Change::layer(std::uint32_t number) const {
  const auto at = changed_.find(number);
  if (at != changed_.end()) return at->second;
  const std::size_t known = hres_.layers_.size();
  return number < known ? hres_.layers_[number] : layers_[number - known];
}

std::vector<std::uint32_t>& HresTable::Change::list(std::uint32_t number) {
  const auto [at, is_new] = lists_.try_emplace(number);
  if (is_new && number < hres_.resources_.size()) {
    at->second = hres_.resources_[number].layers;
  }
  return at->second;
}

HresTable::Layer HresTable::Change::copy(const Layer& layer) {
  Layer out;
  out.resource = layer.resource;
  out.text = layer.text;
  out.nodes = layer.nodes;
  out.hash = layer.hash;
  out.count = layer.count;
  out.own_base = layer.own_base;
  return out;
}

Result<void> HresTable::Change::expand(const std::string& hostlist, const SourceLocation& place,
                                       std::vector<std::string>& names,
                                       std::vector<std::uint32_t>& nodes) {
  auto hosts = expand_slurm_hosts(hostlist, kHostsMax - hosts_);
  if (!hosts) {
    return refuse(hosts.error().code,
                  fmt::format("nodes '{}': {}", hostlist.substr(0, 200), hosts.error().text),
                  place);
  }
  hosts_ += hosts->size();
  for (std::string& host : *hosts) {
    if (!hres_.numbers_->append_named(host, nodes)) {
      return refuse(ErrorCode::invalid,
                    fmt::format("nodes '{}': the machine has no node \"{}\"",
                                hostlist.substr(0, 200), host.substr(0, 200)),
                    place);
    }
    names.push_back(std::move(host));
  }
  return {};
}

void HresTable::Change::finish(Layer& layer, const std::vector<std::string>& names) {
  std::sort(layer.nodes.begin(), layer.nodes.end());
  layer.nodes.erase(std::unique(layer.nodes.begin(), layer.nodes.end()), layer.nodes.end());
  layer.nodes.shrink_to_fit();
  layer.text = compress_hostlist(names);
  layer.hash = XXH3_64bits(layer.nodes.data(), layer.nodes.size() * sizeof(std::uint32_t));
}

Result<void> HresTable::Change::add(std::uint32_t number, const std::string& name,
                                    const LayerSpec& spec) {
  Layer made;
  made.resource = number;
  made.count = spec.count;
  made.place = spec.place;
  std::vector<std::string> names;
  for (const auto& [hostlist, place] : spec.nodes) {
    if (auto ok = expand(hostlist, place, names, made.nodes); !ok) {
      return std::unexpected(std::move(ok.error()));
    }
  }
  finish(made, names);
  for (const auto& [label, value] : spec.bases) {
    if (!__builtin_add_overflow(made.own_base, value, &made.own_base)) continue;
    return refuse(ErrorCode::limit,
                  fmt::format("the base of {} {} exceeds 2^63 - 1", name, made.text), spec.place);
  }
  list(number).push_back(static_cast<std::uint32_t>(hres_.layers_.size() + layers_.size()));
  layers_.push_back(std::move(made));
  return {};
}

Result<void> HresTable::Change::derive(std::uint32_t number,
                                       const std::vector<std::uint32_t>& layers) {
  const std::string& name = resource(number).name;
  Derived& out = derived_[number];
  std::vector<LayerNodes> sets;
  sets.reserve(layers.size());
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash;
  for (std::uint32_t l : layers) {
    const auto [first, last] = by_hash.equal_range(layer(l).hash);
    for (auto at = first; at != last; ++at) {
      if (layer(at->second).nodes != layer(l).nodes) continue;
      return refuse(
          ErrorCode::exists,
          fmt::format("duplicate layer: {} has one of the nodes {} already", name, layer(l).text),
          layer(l).place);
    }
    by_hash.emplace(layer(l).hash, l);
    sets.push_back({l, layer(l).nodes});
  }
  out.classes.make(sets, hres_.numbers_->count());
  out.parents.assign(layers.size(), kNone);
  out.levels.assign(layers.size(), 0);
  for (std::uint32_t l : layers) out.bases.push_back(layer(l).own_base);
  if (resource(number).mode == 3 && !layers.empty()) {
    if (auto ok = derive_tree(name, layers, sets, out); !ok) return ok;
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& l = layer(layers[i]);
    if (l.count == kUnlimitedCount || out.bases[i] <= l.count) continue;
    return refuse(ErrorCode::invalid,
                  fmt::format("the base of {} {} is {}, greater than its count, {}", name, l.text,
                              out.bases[i], l.count),
                  l.place);
  }
  return {};
}

Result<void> HresTable::Change::derive_tree(const std::string& name,
                                            const std::vector<std::uint32_t>& layers,
                                            const std::vector<LayerNodes>& sets, Derived& out) {
  using Kind = NodeClasses::Fault::Kind;
  const NodeClasses::Fault fault = out.classes.make_tree(sets, kDepthMax, out.parents, out.levels);
  if (fault.kind != Kind::none) {
    const Layer& blamed = layer(fault.layer);
    const Layer& other = fault.other == kNone ? blamed : layer(fault.other);
    const Layer& later = fault.other == kNone || fault.layer > fault.other ? blamed : other;
    std::string text;
    switch (fault.kind) {
      case Kind::empty: text = "a layer without nodes has no place in a tree"; break;
      case Kind::overlap:
        text = fmt::format("{} and {} overlap, but neither contains the other", blamed.text,
                           other.text);
        break;
      case Kind::roots:
        text = fmt::format("not a rooted tree: neither {} nor {} lies in another layer",
                           blamed.text, other.text);
        break;
      case Kind::depth:
        text = fmt::format("the depth of the tree is greater than {} levels at {}", kDepthMax,
                           blamed.text);
        break;
      case Kind::uneven:
        text = fmt::format("leaves at different depth: {} and {}", blamed.text, other.text);
        break;
      case Kind::none: break;
    }
    return refuse(ErrorCode::invalid, fmt::format("mode 3, {}: {}", name, text), later.place);
  }
  // Children before parents, level by level.
  std::unordered_map<std::uint32_t, std::size_t> places;
  for (std::size_t i = 0; i < layers.size(); ++i) places.emplace(layers[i], i);
  std::vector<std::size_t> up(layers.size());
  for (std::size_t i = 0; i < up.size(); ++i) up[i] = i;
  std::stable_sort(up.begin(), up.end(),
                   [&](std::size_t a, std::size_t b) { return out.levels[a] < out.levels[b]; });
  for (std::size_t i : up) {
    if (out.parents[i] == kNone) {
      out.root = layers[i];
    } else if (std::int64_t& base = out.bases[places.at(out.parents[i])];
               __builtin_add_overflow(base, out.bases[i], &base)) {
      return refuse(ErrorCode::limit, fmt::format("the base of {} exceeds 2^63 - 1", name),
                    layer(layers[i]).place);
    }
  }
  return {};
}

void HresTable::Change::add_kind(Resource& resource, const VariableOfProperty& variable) {
  auto at = std::find_if(resource.kinds.begin(), resource.kinds.end(),
                         [&](const Resource::Kinds& k) { return k.name == variable.name; });
  if (at == resource.kinds.end()) {
    at = resource.kinds.insert(at, {.name = variable.name, .values = {}});
    const auto plain = resource.variables.find(variable.name);
    if (plain != resource.variables.end()) at->otherwise = plain->second;
  }
  at->values.emplace_back(variable.property, variable.value);
}

}  // namespace copse
