// SPDX-License-Identifier: Apache-2.0
#include "save/hres_codec.hpp"

#include "save/column.hpp"

namespace copse {

namespace {

void write_reservation(ByteWriter& out, const LayerTimes::Reservation& r) {
  out.text(r.id);
  out.integer(r.count);
  out.integer(r.start);
  out.integer(r.end);
  out.number(r.jobs.size());
  for (const LayerTimes::Job job : r.jobs) out.number(job);
}

LayerTimes::Reservation read_reservation(ByteReader& in) {
  LayerTimes::Reservation out;
  out.id = in.text();
  out.count = in.integer();
  out.start = in.integer();
  out.end = in.integer();
  out.jobs.resize(in.count());
  for (LayerTimes::Job& job : out.jobs) job = in.number();
  return out;
}

void write_layer(ByteWriter& out, const HresImage::Layer& layer) {
  out.number(layer.resource);
  out.text(layer.text);
  write_column(out, layer.nodes, [](std::uint32_t n) { return n; });
  out.integer(layer.count);
  out.integer(layer.base);
  out.text(layer.place.file);
  out.number(layer.place.line);
  out.number(layer.place.column);
  out.number(layer.reservations.size());
  for (const auto& r : layer.reservations) write_reservation(out, r);
}

// `nodes_left`: limit for all further layers.
HresImage::Layer read_layer(ByteReader& in, std::uint64_t& nodes_left) {
  HresImage::Layer out;
  out.resource = in.below<std::uint32_t>(UINT32_MAX);
  out.text = in.text();
  read_column<std::uint32_t>(in, nodes_left, out.nodes, [](std::uint32_t n) { return n; });
  nodes_left -= out.nodes.size();
  out.count = in.integer();
  out.base = in.integer();
  out.place.file = in.text();
  out.place.line = in.below<std::uint32_t>(UINT32_MAX);
  out.place.column = in.below<std::uint32_t>(UINT32_MAX);
  out.reservations.resize(in.count(5));
  for (auto& r : out.reservations) r = read_reservation(in);
  return out;
}

using Values = std::vector<std::pair<std::string, std::int64_t>>;

void write_values(ByteWriter& out, const Values& values) {
  out.number(values.size());
  for (const auto& [name, value] : values) {
    out.text(name);
    out.integer(value);
  }
}

Values read_values(ByteReader& in) {
  Values out(in.count(2));
  for (auto& [name, value] : out) {
    name = in.text();
    value = in.integer();
  }
  return out;
}

void write_resource(ByteWriter& out, const HresImage::Resource& resource) {
  out.text(resource.name);
  out.number(static_cast<unsigned>(resource.mode));
  out.text(resource.topology);
  write_values(out, resource.variables);
  out.number(resource.kinds.size());
  for (const auto& kinds : resource.kinds) {
    out.text(kinds.name);
    write_values(out, kinds.values);
    out.integer(kinds.otherwise);
  }
  out.number(resource.layers.size());
  for (const std::uint32_t layer : resource.layers) out.number(layer);
}

HresImage::Resource read_resource(ByteReader& in) {
  HresImage::Resource out;
  out.name = in.text();
  out.mode = in.below<int>(3);
  out.topology = in.text();
  out.variables = read_values(in);
  out.kinds.resize(in.count(3));
  for (auto& kinds : out.kinds) {
    kinds.name = in.text();
    kinds.values = read_values(in);
    kinds.otherwise = in.integer();
  }
  out.layers.resize(in.count());
  for (std::uint32_t& layer : out.layers) layer = in.below<std::uint32_t>(UINT32_MAX);
  return out;
}

}  // namespace

void write_hres(ByteWriter& out, const HresImage& image) {
  out.number(image.nodes.size());
  for (const auto& [name, pool] : image.nodes) {
    out.text(name);
    out.number(pool.v);
  }
  out.number(image.layers.size());
  for (const auto& layer : image.layers) write_layer(out, layer);
  out.number(image.resources.size());
  for (const auto& resource : image.resources) write_resource(out, resource);
  out.number(image.edges.size());
  for (const std::int64_t edge : image.edges) out.integer(edge);
}

HresImage read_hres(ByteReader& in) {
  HresImage out;
  out.nodes.resize(in.count(2));
  for (auto& [name, pool] : out.nodes) {
    name = in.text();
    pool = PoolId{in.below<std::uint32_t>(UINT32_MAX)};
  }
  std::uint64_t nodes_left = HresTable::kHostsMax;
  out.layers.resize(in.count(8));
  for (auto& layer : out.layers) layer = read_layer(in, nodes_left);
  out.resources.resize(in.count(5));
  for (auto& resource : out.resources) resource = read_resource(in);
  out.edges.resize(in.count());
  for (std::int64_t& edge : out.edges) edge = in.integer();
  return out;
}

}  // namespace copse
