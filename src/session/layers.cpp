// SPDX-License-Identifier: Apache-2.0
#include "session/layers.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/nearest_word.hpp"
#include "formats/hres/supply_table.hpp"
#include "request/hres.hpp"

namespace copse {

namespace {

using Op = SessionRequest::Op;

// No node, or the same node twice, is an error of the client.
Result<void> check_nodes(std::string_view text) {
  auto hosts = expand_hostlist(text);
  if (!hosts) return fail(hosts.error().code, "\"nodes\": " + hosts.error().text);
  if (hosts->empty()) return fail(ErrorCode::invalid, "\"nodes\" names no node");
  std::ranges::sort(*hosts);
  const auto twice = std::ranges::adjacent_find(*hosts);
  if (twice == hosts->end()) return {};
  return fail(ErrorCode::invalid, fmt::format("\"nodes\" names {} twice", shown_word(*twice)));
}

Result<void> add_layer(Engine& engine, const SessionRequest& line) {
  if (!line.count) return missing("count");
  const std::int64_t mode = line.mode.value_or(1);
  if (auto ok = check_nodes(*line.nodes); !ok) return ok;
  if (mode > 3) return fail(ErrorCode::invalid, fmt::format("\"mode\" is 1, 2 or 3, not {}", mode));
  LayerSpec layer;
  layer.nodes.emplace_back(*line.nodes, SourceLocation{});
  layer.count = *line.count;
  if (line.base) layer.bases.emplace_back("base", *line.base);
  ResourceSpec resource;
  resource.name = *line.resource;
  resource.mode = static_cast<int>(mode);
  // A resource has one mode: a further layer takes the known one.
  for (const LayerView& known : engine.layers(engine.now())) {
    if (!line.mode && known.resource == resource.name) resource.mode = known.mode;
  }
  if (auto request = parse_hres_request(resource.name);
      !request || request->items.size() != 1 || request->items.front().name != resource.name) {
    return fail(ErrorCode::invalid, "\"resource\" is not a name that a request can have");
  }
  resource.layers.push_back(std::move(layer));
  HresSpec spec;
  spec.resources.push_back(std::move(resource));
  return engine.add_resources(spec);
}

}  // namespace

Result<void> list_layers(const Engine& engine, const SessionRequest& line, std::string& out) {
  const std::int64_t at = line.at.value_or(engine.now());
  if (at < engine.now() || at >= engine.options().horizon) {
    return fail(ErrorCode::invalid, fmt::format("\"at\" must be at or after now ({}) and before {}",
                                                engine.now(), engine.options().horizon));
  }
  JsonWriter json(out);
  json.object([&] {
    json.array("layers", engine.layers(at),
               [&](const LayerView& layer) { json.object([&] { write_layer(json, layer); }); });
  });
  return {};
}

Result<void> change_layer(Engine& engine, const SessionRequest& line) {
  if (!line.resource) return missing("resource");
  if (!line.nodes) return missing("nodes");
  switch (line.op) {
    case Op::add_layer: return add_layer(engine, line);
    case Op::remove_layer: return engine.remove_layer(*line.resource, *line.nodes);
    case Op::set_layer_nodes:
      if (!line.to) return missing("to");
      return engine.set_layer_nodes(*line.resource, *line.nodes, *line.to);
    default:
      if (!line.count) return missing("count");
      return engine.set_layer_count(*line.resource, *line.nodes, *line.count);
  }
}

namespace {

// The engine's id of one of the layers that are reserved with one id: ids of clients begin with a digit, a
// sign or a quote.
std::string layer_id(const std::string& id, std::size_t number) {
  return number == 0 ? id : fmt::format("+{}:{}", number, id);
}

// The nodes of the only layer of a resource.
Result<std::string> only_layer(const Engine& engine, const std::string& resource) {
  std::vector<std::string> nodes;
  for (const LayerView& layer : engine.layers(engine.now())) {
    if (layer.resource == resource) nodes.push_back(layer.nodes);
  }
  if (nodes.size() == 1) return std::move(nodes.front());
  return fail(ErrorCode::invalid,
              nodes.empty() ? fmt::format("there is no resource '{}'", resource)
                            : fmt::format("{} has {} layers: name the nodes of one, {}({}):N",
                                          resource, nodes.size(), resource, nodes.front()));
}

// Adds the layers that a text names to `out`, each with the times and jobs of `made`.
Result<void> read_layers(const Engine& engine, std::string_view text, const LayerReservation& made,
                         std::vector<LayerReservation>& out) {
  const auto shares = parse_hres_shares(text, SourceLocation{"hres", 1, 1});
  if (!shares) return std::unexpected(shares.error());
  for (const HresShare& share : *shares) {
    LayerReservation& layer = out.emplace_back(made);
    layer.id = layer_id(made.id, out.size() - 1);
    layer.resource = share.item.name;
    layer.nodes = share.layer;
    layer.count = share.item.count;
    if (!share.item.variable.empty()) {
      return fail(ErrorCode::invalid, fmt::format("a count is a number, not the variable {}",
                                                  shown_word(share.item.variable)));
    }
    if (!layer.nodes.empty()) continue;
    auto nodes = only_layer(engine, layer.resource);
    if (!nodes) return std::unexpected(nodes.error());
    layer.nodes = std::move(*nodes);
  }
  return {};
}

Result<void> reserve_all(Engine& engine, std::span<const LayerReservation> layers) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto done = engine.reserve_layer(layers[i]);
    if (done) continue;
    while (i-- > 0) {
      [[maybe_unused]] const auto freed = engine.free_layer(layers[i].id);
    }
    return done;
  }
  return {};
}

}  // namespace

Result<void> reserve_layer(Engine& engine, const SessionRequest& line, std::vector<JobId> jobs) {
  if (line.layer_reservation.empty()) return missing("id");
  if (!line.hres && !line.resource) return missing("resource");
  if (!line.hres && !line.nodes) return missing("nodes");
  if (!line.hres && !line.count) return missing("count");
  if (line.hres && (line.resource || line.nodes || line.count)) {
    return fail(ErrorCode::invalid, "\"hres\" replaces \"resource\", \"nodes\" and \"count\"");
  }
  if (!line.start) return missing("start");
  if (!line.duration_s) return missing("duration");
  const std::int64_t horizon = engine.options().horizon;
  LayerReservation made;
  made.id = line.layer_reservation;
  made.start = *line.start;
  made.end = horizon;
  // Duration 0: no end.
  if (*line.duration_s > 0 && *line.start < horizon && *line.duration_s < horizon - *line.start) {
    made.end = *line.start + *line.duration_s;
  }
  made.jobs = std::move(jobs);
  if (line.hres) {
    std::vector<LayerReservation> layers;
    if (auto ok = read_layers(engine, *line.hres, made, layers); !ok) return ok;
    return reserve_all(engine, layers);
  }
  made.resource = *line.resource;
  made.nodes = *line.nodes;
  made.count = *line.count;
  return engine.reserve_layer(made);
}

Result<void> free_layers(Engine& engine, const SessionRequest& line) {
  if (line.layer_reservation.empty()) return missing("id");
  if (auto ok = engine.free_layer(line.layer_reservation); !ok) return ok;
  for (std::size_t number = 1; engine.free_layer(layer_id(line.layer_reservation, number));)
    ++number;
  return {};
}

}  // namespace copse
