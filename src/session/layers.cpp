// SPDX-License-Identifier: Apache-2.0
#include "session/layers.hpp"

#include <algorithm>
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

Result<void> reserve_layer(Engine& engine, const SessionRequest& line, std::vector<JobId> jobs) {
  if (line.layer_reservation.empty()) return missing("id");
  if (!line.resource) return missing("resource");
  if (!line.nodes) return missing("nodes");
  if (!line.count) return missing("count");
  if (!line.start) return missing("start");
  if (!line.duration_s) return missing("duration");
  const std::int64_t horizon = engine.options().horizon;
  LayerReservation made;
  made.id = line.layer_reservation;
  made.resource = *line.resource;
  made.nodes = *line.nodes;
  made.count = *line.count;
  made.start = *line.start;
  made.end = horizon;
  // Duration 0: no end.
  if (*line.duration_s > 0 && *line.start < horizon && *line.duration_s < horizon - *line.start) {
    made.end = *line.start + *line.duration_s;
  }
  made.jobs = std::move(jobs);
  return engine.reserve_layer(made);
}

}  // namespace copse
