// SPDX-License-Identifier: Apache-2.0
#include "copse/save.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "copse/policy.hpp"
#include "engine/engine_image.hpp"
#include "hres/hres_image.hpp"
#include "save/bytes.hpp"
#include "save/fields.hpp"
#include "save/grant_codec.hpp"
#include "save/graph_codec.hpp"
#include "save/seal.hpp"

namespace copse {

namespace {

// --- The hierarchical resources of a save: HresImage as bytes

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

void write_hres(ByteWriter& out, const HresImage& image) {
  FieldWriter io(out);
  describe_hres(io, image);
}

// The result may break any rule of layers. `in` fails if the bytes are not an image.
HresImage read_hres(ByteReader& in) {
  HresImage out;
  FieldReader io(in);
  describe_hres(io, out);
  return out;
}

// EngineImage as bytes: the payload of a save (copse/save.hpp), format 1. Its parts, in order:
// options, graph, layouts, types that filters know, status, grants, growth, weights, hierarchical
// resources, channels, divisible types with what grants have of them. Readers of later formats read
// this one, too.
//
// A policy is saved by name; the rest only tells whether it is still the same one.
constexpr unsigned kPolicySwitches = 127 | 512;
constexpr unsigned kBounded = 128;     // options have bounds in time
constexpr unsigned kResized = 256;     // nodes were removed or attached
constexpr unsigned kUsers = 1024;      // the users of jobs are known
constexpr unsigned kDivisible = 2048;  // types are divisible
unsigned switches_of(const Policy& p) {
  return (p.prefer_high ? 1U : 0U) | (p.whole_nodes ? 2U : 0U) | (p.first_found ? 4U : 0U) |
         (p.by_runs ? 8U : 0U) | (p.slots_reversed ? 16U : 0U) | (p.scores_by_id() ? 0U : 32U) |
         (p.has_node_term() ? 64U : 0U) | (p.visit != nullptr ? 512U : 0U);
}

Result<Policy> policy_of(const std::string& name, unsigned switches, std::span<const Policy> own) {
  auto policy = name.empty() ? Result<Policy>(Policy()) : find_policy(name, own);
  if (policy && switches_of(*policy) != switches) {
    return fail(ErrorCode::not_found,
                fmt::format("the policy \"{}\" of the save is another one here", name));
  }
  return policy;
}

void describe_list(auto& io, auto& list) {
  io.list(list, 1, [&](auto& element) { io.parts(element); });
}

void describe_options(auto& io, auto& o, auto& policy, auto& switches, auto& nodes_lost,
                      auto& users) {
  io.parts(policy);
  io.number(switches, kDivisible | kUsers | kResized | kBounded | kPolicySwitches);
  io.number(o.traverser, static_cast<std::uint64_t>(Traverser::treepool));
  io.parts(o.prune_filters, o.now, o.horizon, o.prepared_max, o.exhaustive, o.growth_waits,
           o.counts_nodes_first);
  io.number(o.layer_order, static_cast<std::uint64_t>(LayerOrder::file));
  describe_list(io, o.auxiliary);
  io.parts(o.search_pools_max);
  if ((switches & kBounded) != 0) io.parts(o.valid_from, o.valid_until);
  if ((switches & kResized) != 0) io.parts(nodes_lost);
  if ((switches & kUsers) == 0) return;
  io.list(users, 2, [&](auto& entry) { io.parts(entry.first, entry.second); });
}

Result<EngineOptions> read_options(ByteReader& in, std::span<const Policy> own, unsigned& switches,
                                   EngineImage& image) {
  EngineOptions out;
  std::string policy;
  FieldReader io(in);
  describe_options(io, out, policy, switches, image.nodes_lost, image.users);
  if (!in.ok()) return out;
  auto found = policy_of(policy, switches & kPolicySwitches, own);
  if (!found) return std::unexpected(found.error());
  out.policy = std::move(*found);
  return out;
}

void describe_layouts(auto& io, auto& layouts) {
  io.list(layouts.layouts, 2, [&](auto& layout) {
    io.list(layout.domains, 7, [&](auto& domain) {
      io.parts(domain.name, domain.parent, domain.memory_gib);
      for (auto* ranges : {&domain.cores, &domain.gpus, &domain.memory, &domain.storage}) {
        io.list(*ranges, 2, [&](auto& range) { io.parts(range.first, range.second); });
      }
    });
    io.list(layout.storage, 3,
            [&](auto& storage) { io.parts(storage.path, storage.capacity, storage.unit); });
  });
  io.list(layouts.ranks, 3, [&](auto& ranks) { io.parts(ranks.first, ranks.last, ranks.layout); });
  io.parts(layouts.piece_gib);
}

void describe_growth(auto& io, auto& growth) {
  io.list(growth, 3, [&](auto& g) {
    describe_list(io, g.pools);
    describe_list(io, g.changes);
    io.list(g.units, 2, [&](auto& units) { io.parts(units.type, units.total); });
  });
}

void describe_status(auto& io, auto& of_pools) {
  io.list(of_pools, 2, [&](auto& one) { io.parts(one.first, one.second); });
}

void describe_channels(auto& io, auto& channels) {
  io.list(channels, 4, [&](auto& channel) {
    io.parts(channel.name, channel.subsystem, channel.type, channel.by_name);
  });
}

// The divisible types and, by grant, the units of their pools.
void describe_divisible(auto& io, auto& image) {
  describe_list(io, image.graph.divisible);
  for (auto& [number, grant] : image.grants) {
    io.list(grant.selection.amounts, 2, [&](auto& of) { io.parts(of.pool, of.units); });
  }
}

void write_weights(ByteWriter& out, const std::vector<EngineImage::Weight>& weights) {
  ColumnWriter pools, values, recorded;
  for (const EngineImage::Weight& w : weights) {
    pools.push(w.pool.v);
    values.push(w.weight);
    recorded.push(w.recorded ? 1 : 0);
  }
  for (ColumnWriter* column : {&pools, &values, &recorded}) column->finish(out);
}

std::vector<EngineImage::Weight> read_weights(ByteReader& in, std::uint64_t pools_max) {
  ColumnReader pools(in, pools_max), values(in, pools_max), recorded(in, pools_max);
  std::vector<EngineImage::Weight> out(pools.values());
  for (EngineImage::Weight& w : out) {
    w.pool = PoolId{pools.next_as<std::uint32_t>()};
    w.weight = values.next();
    w.recorded = recorded.next() != 0;
  }
  if (values.values() != out.size() || recorded.values() != out.size() || !pools.done() ||
      !values.done() || !recorded.done()) {
    in.fail();
  }
  return out;
}

void write_engine(ByteWriter& out, const EngineImage& image) {
  FieldWriter io(out);
  const bool bounded = image.options.valid_from != 0 || image.options.valid_until != 0;
  const bool divisible = !image.graph.divisible.empty();
  const unsigned switches = switches_of(image.options.policy) | (bounded ? kBounded : 0U) |
                            (divisible ? kDivisible : 0U) |
                            (image.nodes_lost != 0 ? kResized : 0U) |
                            (image.users.empty() ? 0U : kUsers);
  describe_options(io, image.options, image.options.policy.name, switches, image.nodes_lost,
                   image.users);
  write_graph(out, image.graph);
  describe_layouts(io, image.layouts);
  out.number(image.leaf_types.size());
  for (const bool known : image.leaf_types) out.number(known ? 1 : 0);
  describe_status(io, image.status);
  io.parts(image.clock_runs);
  write_grants(out, image.grants);
  describe_list(io, image.free_grants);
  describe_growth(io, image.growth);
  write_weights(out, image.weights);
  out.number(image.hres ? 1 : 0);
  if (image.hres) write_hres(out, *image.hres);
  describe_channels(io, image.channels);
  if (divisible) describe_divisible(io, image);
}

// The result may break any rule of engines, but takes no more memory than `limits` allow.
// Errors: invalid; not_found (the policy).
Result<EngineImage> read_engine(ByteReader& in, std::span<const Policy> own,
                                const SaveLimits& limits) {
  EngineImage image;
  unsigned switches = 0;
  auto options = read_options(in, own, switches, image);
  if (!options) return std::unexpected(options.error());
  image.options = std::move(*options);
  image.graph = read_graph(in, limits.pools_max);
  FieldReader io(in);
  describe_layouts(io, image.layouts);
  image.leaf_types.resize(in.count());
  for (std::size_t t = 0; t < image.leaf_types.size(); ++t) image.leaf_types[t] = in.flag();
  describe_status(io, image.status);
  io.parts(image.clock_runs);
  image.grants = read_grants(in);
  describe_list(io, image.free_grants);
  describe_growth(io, image.growth);
  image.weights = read_weights(in, image.graph.types.size());
  if (in.flag()) image.hres = read_hres(in);
  describe_channels(io, image.channels);
  if ((switches & kDivisible) != 0) describe_divisible(io, image);
  if (!in.ok()) {
    return fail(ErrorCode::invalid,
                "the save is broken: a number or a count in it is beyond its bounds");
  }
  return image;
}

Result<Loaded> read(std::string_view bytes, std::span<const Policy> own, const SaveLimits& limits) {
  const auto content = unsealed(kSaveSeal, bytes, limits.bytes_max);
  if (!content) return std::unexpected(content.error());
  ByteReader in(content->content);
  auto image = read_engine(in, own, limits);
  if (!image) return std::unexpected(image.error());
  std::string host(in.text());
  if (!in.ok() || !in.at_end()) {
    return fail(ErrorCode::invalid, "the save is broken: something follows its end, or is missing");
  }
  auto engine = EngineImager::engine_of(std::move(*image));
  if (!engine) return std::unexpected(engine.error());
  return Loaded{std::move(*engine), std::move(host)};
}

}  // namespace

std::string save(const Engine& engine, std::string_view host) {
  ByteWriter out;
  write_engine(out, EngineImager::image_of(engine));
  out.text(host);
  return sealed(kSaveSeal, out.bytes());
}

Result<Loaded> load(std::string_view bytes, std::span<const Policy> own, const SaveLimits& limits) {
  auto loaded = read(bytes, own, limits);
  if (!loaded) {  // names are untrusted
    std::ranges::replace_if(loaded.error().text, [](unsigned char c) { return c < ' '; }, '?');
  }
  return loaded;
}

}  // namespace copse
