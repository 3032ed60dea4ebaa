// SPDX-License-Identifier: Apache-2.0
//
// HresTable::Change: a change of structure. It is prepared and checked separately, then committed:
// a refused change has no effect. Cost: O(all layers' nodes).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hres/hres_table.hpp"

namespace copse {

// The planned state of some resources: layers by number, new ones after the existing ones.
class HresTable::Change {
 public:
  Change(HresTable& hres, std::string_view file) : hres_(hres), file_(file) {
    for (const Layer& layer : hres.layers_) hosts_ += layer.nodes.size();
  }

  // The changes: new resources and layers, other nodes of a layer, removal of a layer. Errors as
  // HresTable::add and the others.
  [[nodiscard]] Result<void> add(const ResourceSpec& spec);
  // Leaves the resource as it is, but derives again what follows from its layers.
  void keep(std::uint32_t resource) { list(resource); }
  void remove(std::uint32_t layer) {
    const std::uint32_t number = hres_.layers_[layer].resource;
    std::erase(list(number), layer);
  }
  [[nodiscard]] Result<void> set_nodes(std::uint32_t layer, std::string_view to);

  // Checks and derives what follows from the layers, and commits the change. An error changes nothing.
  [[nodiscard]] Result<void> apply();

 private:
  struct Derived {  // by index into the list of layers
    NodeClasses classes;
    std::vector<std::int64_t> bases;
    std::vector<std::uint32_t> parents;
    std::vector<int> levels;
    std::uint32_t root = kNone;
  };

  [[nodiscard]] std::uint32_t resource_count() const {
    return static_cast<std::uint32_t>(hres_.resources_.size() + resources_.size());
  }
  [[nodiscard]] const Resource& resource(std::uint32_t number) const {
    const std::size_t known = hres_.resources_.size();
    return number < known ? hres_.resources_[number] : resources_[number - known];
  }
  [[nodiscard]] const Layer& layer(std::uint32_t number) const;
  // The planned layers of a resource.
  std::vector<std::uint32_t>& list(std::uint32_t number);
  static Layer copy(const Layer& layer);

  // Clears removed layers: a removed layer keeps its number and its name only, and its nodes no
  // longer count.
  void forget_gone(const std::vector<std::uint32_t>& before);
  std::unexpected<Error> refuse(ErrorCode code, std::string text, SourceLocation place) const {
    if (place.file.empty() && place.line != 0) place.file = file_;
    return fail(code, std::move(text), std::move(place));
  }

  Result<void> expand(const std::string& hostlist, const SourceLocation& place,
                      std::vector<std::string>& names, std::vector<std::uint32_t>& nodes);
  static void finish(Layer& layer, const std::vector<std::string>& names);
  Result<void> add(std::uint32_t number, const std::string& name, const LayerSpec& spec);
  void commit();
  Result<void> derive(std::uint32_t number, const std::vector<std::uint32_t>& layers);
  Result<void> derive_tree(const std::string& name, const std::vector<std::uint32_t>& layers,
                           const std::vector<LayerNodes>& sets, Derived& out);
  static void add_kind(Resource& resource, const VariableOfProperty& variable);

  HresTable& hres_;
  std::string file_;
  std::size_t hosts_ = 0;
  std::vector<Layer> layers_;  // new ones
  std::vector<Resource> resources_;
  std::map<std::uint32_t, Layer> changed_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;  // of the resources of a spec
  std::map<std::uint32_t, std::unordered_map<std::string, std::int64_t>> variables_;
  std::map<std::uint32_t, std::vector<VariableOfProperty>> kinds_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> lists_;
  std::map<std::uint32_t, Derived> derived_;
};

}  // namespace copse
