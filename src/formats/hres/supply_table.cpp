// SPDX-License-Identifier: Apache-2.0
#include "formats/hres/supply_table.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace copse {

namespace {

constexpr std::size_t kColumns = 8;
using Line = std::array<std::string, kColumns>;
constexpr std::size_t kLeftAligned[] = {0, 2};

std::string number(std::int64_t n) { return n == kUnlimitedCount ? "-" : std::to_string(n); }

Line line_of(const LayerView& layer) {
  return {layer.resource,         std::to_string(layer.mode), layer.nodes,
          number(layer.total),    std::to_string(layer.used), std::to_string(layer.reserved),
          number(free_of(layer)), std::to_string(layer.base)};
}

}  // namespace

std::int64_t free_of(const LayerView& layer) {
  if (layer.total == kUnlimitedCount) return kUnlimitedCount;
  // Neither difference passes 64 bits: all are 0 or more.
  return std::max<std::int64_t>(std::max<std::int64_t>(layer.total - layer.used, 0) - layer.held,
                                0);
}

void append_supply_table(std::string& out, std::span<const LayerView> layers) {
  std::vector<Line> lines{
      {"RESOURCE", "MODE", "NODES", "TOTAL", "USED", "RESERVED", "FREE", "BASE"}};
  for (const LayerView& layer : layers) lines.push_back(line_of(layer));
  std::array<std::size_t, kColumns> widths{};
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < kColumns; ++c) widths[c] = std::max(widths[c], line[c].size());
  }
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      const std::string blanks(widths[c] - line[c].size(), ' ');
      const bool left = std::ranges::find(kLeftAligned, c) != std::end(kLeftAligned);
      if (c > 0) out += "  ";
      out += left ? line[c] + blanks : blanks + line[c];
    }
    out += '\n';
  }
}

void write_layer(JsonWriter& json, const LayerView& layer) {
  json.member("resource", layer.resource);
  json.member("nodes", layer.nodes);
  json.member("mode", layer.mode);
  json.member("total", layer.total);
  json.member("used", layer.used);
  json.member("reserved", layer.reserved);
}

void append_supply_json(std::string& out, std::span<const LayerView> layers) {
  for (const LayerView& layer : layers) {
    JsonWriter json(out);
    json.object([&] {
      write_layer(json, layer);
      json.member("free", free_of(layer));
      json.member("base", layer.base);
      if (layer.mode == 3) json.member("level", layer.level);
    });
    out += '\n';
  }
}

}  // namespace copse
