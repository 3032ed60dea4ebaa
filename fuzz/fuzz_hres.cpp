// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: read_hres accepts or refuses them with one error; what it accepts keeps the invariants
// of a HresSpec. On a small machine, whose nodes are node[0-5], it makes a supply or is refused
// with one error; what it makes is matched, reserved and listed, and all comes back.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "formats/hres/hres.hpp"
#include "go_on.hpp"
#include "request/hres.hpp"
#include "target.hpp"

using copse::fuzz::require;

namespace {

void check(const copse::SourceLocation& place) {
  require(place.file == "fuzz" && place.line >= 1 && place.column >= 1);
}

void check(const copse::LayerSpec& layer) {
  check(layer.place);
  check(layer.count_place);
  require(layer.count >= copse::kUnlimitedCount);
  for (const auto& [hostlist, place] : layer.nodes) check(place);
  for (const auto& [label, value] : layer.bases) require(value >= 0);
}

// So many, that a file of thousands of resources does not make one request of them all.
constexpr std::size_t kItemsMax = 8;

void reserve_once(copse::Engine& engine) {
  const std::vector<copse::LayerView> layers = engine.layers(0);
  const std::size_t count = std::min(layers.size(), kItemsMax);
  for (std::size_t i = 0; i < count; ++i) {
    const copse::LayerView& layer = layers[i];
    require(layer.used == 0 && layer.reserved == 0 && layer.held == 0);
    require(layer.parent < static_cast<std::int32_t>(layers.size()));
    const auto made =
        engine.reserve_layer({std::to_string(i), layer.resource, layer.nodes, 1, 0, 30, {2}});
    // Names of nodes that are written down are read again.
    require(made || layer.total == 0 || layer.nodes.empty());
  }
}

void free_all(copse::Engine& engine) {
  for (std::size_t i = 0; i < kItemsMax; ++i) (void)engine.free_layer(std::to_string(i));
}

void use(const copse::HresSpec& spec) {
  const auto engine = copse::fuzz::engine_on(copse::fuzz::small_machine(), "lonode");
  const std::uint64_t before = engine->fingerprint();
  const auto added = engine->add_resources(spec, "fuzz");
  if (!added) {
    require(!added.error().text.empty() && added.error().place.file == "fuzz");
    require(engine->layers(0).empty() && engine->fingerprint() == before);
    return;
  }
  copse::Request request = copse::fuzz::with_constraint({});
  for (const copse::ResourceSpec& resource : spec.resources) {
    if (resource.layers.empty() || request.hres.items.size() == kItemsMax) continue;
    request.hres.items.push_back({resource.name, "", 1});
  }
  if (request.hres.empty()) return;
  const std::uint64_t idle = engine->fingerprint();
  for (const bool either : {false, true}) {
    request.hres.either = either;
    copse::fuzz::match_once(*engine, request);
    reserve_once(*engine);
    copse::fuzz::match_once(*engine, request);
    free_all(*engine);
    require(engine->fingerprint() == idle);
  }
}

}  // namespace

FUZZ_TARGET(hres) {
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
  use(*spec);
  return 0;
}
