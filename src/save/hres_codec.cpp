// SPDX-License-Identifier: Apache-2.0
#include "save/hres_codec.hpp"

#include "save/fields.hpp"

namespace copse {

namespace {

// `nodes_left`: limit for this layer and all further ones.
void describe_layer(auto& io, auto& layer, std::uint64_t& nodes_left) {
  io.parts(layer.resource, layer.text);
  io.column(layer.nodes, nodes_left);
  nodes_left -= layer.nodes.size();
  io.parts(layer.count, layer.base, layer.place.file, layer.place.line, layer.place.column);
  io.list(layer.reservations, 5, [&](auto& r) {
    io.parts(r.id, r.count, r.start, r.end);
    io.list(r.jobs, 1, [&](auto& job) { io.parts(job); });
  });
}

void describe_values(auto& io, auto& values) {
  io.list(values, 2, [&](auto& value) { io.parts(value.first, value.second); });
}

void describe_resource(auto& io, auto& resource) {
  io.parts(resource.name);
  io.number(resource.mode, 3);
  io.parts(resource.topology);
  describe_values(io, resource.variables);
  io.list(resource.kinds, 3, [&](auto& kinds) {
    io.parts(kinds.name);
    describe_values(io, kinds.values);
    io.parts(kinds.otherwise);
  });
  io.list(resource.layers, 1, [&](auto& layer) { io.parts(layer); });
}

void describe_hres(auto& io, auto& image) {
  io.list(image.nodes, 2, [&](auto& node) { io.parts(node.first, node.second); });
  std::uint64_t nodes_left = HresTable::kHostsMax;
  io.list(image.layers, 8, [&](auto& layer) { describe_layer(io, layer, nodes_left); });
  io.list(image.resources, 5, [&](auto& resource) { describe_resource(io, resource); });
  io.list(image.edges, 1, [&](auto& edge) { io.parts(edge); });
}

}  // namespace

void write_hres(ByteWriter& out, const HresImage& image) {
  FieldWriter io(out);
  describe_hres(io, image);
}

HresImage read_hres(ByteReader& in) {
  HresImage out;
  FieldReader io(in);
  describe_hres(io, out);
  return out;
}

}  // namespace copse
