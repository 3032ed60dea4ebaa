// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: read_hres accepts or refuses them with one error; what it accepts keeps the invariants
// of a SupplySpec.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "formats/hres.hpp"
#include "go_on.hpp"
#include "request/hres.hpp"

using copse::fuzz::require;

namespace {

void check(const copse::Place& place) {
  require(place.file == "fuzz" && place.line >= 1 && place.column >= 1);
}

void check(const copse::LayerSpec& layer) {
  check(layer.place);
  check(layer.count_place);
  require(layer.count >= copse::kUnlimitedCount);
  for (const auto& [hostlist, place] : layer.nodes) check(place);
  for (const auto& [label, value] : layer.bases) require(value >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto spec = copse::read_hres(text, "fuzz");
  if (!spec) {
    require(!spec.error().text.empty() && spec.error().place.file == "fuzz");
    require(spec.error().text.find('\n') == std::string::npos);
    return 0;
  }
  std::map<std::string, int> modes;
  for (const copse::ResourceSpec& resource : spec->resources) {
    check(resource.place);
    require(copse::is_hres_name(resource.name));
    require(1 <= resource.mode && resource.mode <= 3);
    require(modes.try_emplace(resource.name, resource.mode).first->second == resource.mode);
    for (const auto& [name, value] : resource.variables) require(value >= 0);
    for (const copse::LayerSpec& layer : resource.layers) check(layer);
  }
  return 0;
}
