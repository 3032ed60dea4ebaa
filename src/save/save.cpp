// SPDX-License-Identifier: Apache-2.0
#include "copse/save.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include <fmt/format.h>

#include "copse/policy.hpp"
#include "engine/engine_image.hpp"
#include "save/bytes.hpp"
#include "save/column.hpp"
#include "save/grant_codec.hpp"
#include "save/graph_codec.hpp"
#include "save/hres_codec.hpp"
#include "save/seal.hpp"

namespace copse {

namespace {

// EngineImage as bytes: the payload of a save (copse/save.hpp), format 1. Its parts, in order:
// options, graph, layouts, types that filters know, status, grants, growth, weights, hierarchical
// resources, channels. Readers of later formats read this one, too.
//
// A policy is saved by name; the rest only tells whether it is still the same one.
unsigned switches_of(const Policy& p) {
  return (p.prefer_high ? 1U : 0U) | (p.whole_nodes ? 2U : 0U) | (p.first_found ? 4U : 0U) |
         (p.by_runs ? 8U : 0U) | (p.slots_reversed ? 16U : 0U) | (p.scores_by_id() ? 0U : 32U) |
         (p.has_node_term() ? 64U : 0U);
}

Result<Policy> policy_of(const std::string& name, unsigned switches, std::span<const Policy> own) {
  auto policy = name.empty() ? Result<Policy>(Policy()) : find_policy(name, own);
  if (policy && switches_of(*policy) != switches) {
    return fail(ErrorCode::not_found,
                fmt::format("the policy \"{}\" of the save is another one here", name));
  }
  return policy;
}

void write_options(ByteWriter& out, const EngineOptions& options) {
  out.text(options.policy.name);
  out.number(switches_of(options.policy));
  out.number(static_cast<unsigned>(options.traverser));
  out.text(options.prune_filters);
  out.integer(options.now);
  out.integer(options.horizon);
  out.number(options.prepared_max);
  out.number(options.exhaustive ? 1 : 0);
  out.number(options.growth_waits ? 1 : 0);
  out.number(options.counts_nodes_first ? 1 : 0);
  out.number(static_cast<unsigned>(options.layer_order));
  out.number(options.auxiliary.size());
  for (const std::string& name : options.auxiliary) out.text(name);
  out.number(options.search_pools_max);
}

Result<EngineOptions> read_options(ByteReader& in, std::span<const Policy> own) {
  EngineOptions out;
  const std::string policy(in.text());
  const auto switches = in.below<unsigned>(127);
  out.traverser = in.below<Traverser>(static_cast<unsigned>(Traverser::treepool));
  out.prune_filters = in.text();
  out.now = in.integer();
  out.horizon = in.integer();
  out.prepared_max = in.number();
  out.exhaustive = in.flag();
  out.growth_waits = in.flag();
  out.counts_nodes_first = in.flag();
  out.layer_order = in.below<LayerOrder>(static_cast<unsigned>(LayerOrder::file));
  out.auxiliary.resize(in.count());
  for (std::string& name : out.auxiliary) name = in.text();
  out.search_pools_max = in.number();
  if (!in.ok()) return out;
  auto found = policy_of(policy, switches, own);
  if (!found) return std::unexpected(found.error());
  out.policy = std::move(*found);
  return out;
}

void write_ranges(ByteWriter& out, const IdRanges& ranges) {
  out.number(ranges.size());
  for (const auto& [first, last] : ranges) {
    out.integer(first);
    out.integer(last);
  }
}

IdRanges read_ranges(ByteReader& in) {
  IdRanges out(in.count(2));
  for (auto& [first, last] : out) {
    first = in.integer();
    last = in.integer();
  }
  return out;
}

void write_layouts(ByteWriter& out, const Layouts& layouts) {
  out.number(layouts.layouts.size());
  for (const Layout& layout : layouts.layouts) {
    out.number(layout.domains.size());
    for (const Domain& domain : layout.domains) {
      out.text(domain.name);
      out.number(domain.parent);
      out.integer(domain.memory_gib);
      for (const auto* ranges : {&domain.cores, &domain.gpus, &domain.memory, &domain.storage}) {
        write_ranges(out, *ranges);
      }
    }
    out.number(layout.storage.size());
    for (const Storage& storage : layout.storage) {
      out.text(storage.path);
      out.number(std::bit_cast<std::uint64_t>(storage.capacity));
      out.text(storage.unit);
    }
  }
  out.number(layouts.ranks.size());
  for (const Layouts::Ranks& ranks : layouts.ranks) {
    out.integer(ranks.first);
    out.integer(ranks.last);
    out.number(ranks.layout);
  }
  out.integer(layouts.piece_gib);
}

Layouts read_layouts(ByteReader& in) {
  Layouts out;
  out.layouts.resize(in.count(2));
  for (Layout& layout : out.layouts) {
    layout.domains.resize(in.count(7));
    for (Domain& domain : layout.domains) {
      domain.name = in.text();
      domain.parent = in.below<std::uint32_t>(UINT32_MAX);
      domain.memory_gib = in.integer();
      for (auto* ranges : {&domain.cores, &domain.gpus, &domain.memory, &domain.storage}) {
        *ranges = read_ranges(in);
      }
    }
    layout.storage.resize(in.count(3));
    for (Storage& storage : layout.storage) {
      storage.path = in.text();
      storage.capacity = std::bit_cast<double>(in.number());
      storage.unit = in.text();
    }
  }
  out.ranks.resize(in.count(3));
  for (Layouts::Ranks& ranks : out.ranks) {
    ranks.first = in.integer();
    ranks.last = in.integer();
    ranks.layout = in.below<std::uint32_t>(UINT32_MAX);
  }
  out.piece_gib = in.integer();
  return out;
}

void write_growth(ByteWriter& out, const std::vector<Growth>& growth) {
  out.number(growth.size());
  for (const Growth& g : growth) {
    out.number(g.pools.size());
    for (const PoolId p : g.pools) out.number(p.v);
    out.number(g.changes.size());
    for (const std::int64_t t : g.changes) out.integer(t);
    out.number(g.units.size());
    for (const TypeTotal& units : g.units) {
      out.number(units.type.v);
      out.integer(units.total);
    }
  }
}

std::vector<Growth> read_growth(ByteReader& in) {
  std::vector<Growth> out(in.count(3));
  for (Growth& g : out) {
    g.pools.resize(in.count());
    for (PoolId& p : g.pools) p = PoolId{in.below<std::uint32_t>(UINT32_MAX)};
    g.changes.resize(in.count());
    for (std::int64_t& t : g.changes) t = in.integer();
    g.units.resize(in.count(2));
    for (TypeTotal& units : g.units) {
      units.type = TypeId{in.below<std::uint16_t>(UINT16_MAX)};
      units.total = in.integer();
    }
  }
  return out;
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

void write_channels(ByteWriter& out, const std::vector<Channels::Channel>& channels) {
  out.number(channels.size());
  for (const Channels::Channel& channel : channels) {
    out.text(channel.name);
    out.number(channel.subsystem.v);
    out.number(channel.type.v);
    out.number(channel.by_name ? 1 : 0);
  }
}

std::vector<Channels::Channel> read_channels(ByteReader& in) {
  std::vector<Channels::Channel> out(in.count(4));
  for (Channels::Channel& channel : out) {
    channel.name = in.text();
    channel.subsystem = SubsystemId{in.below<std::uint8_t>(UINT8_MAX)};
    channel.type = TypeId{in.below<std::uint16_t>(UINT16_MAX)};
    channel.by_name = in.flag();
  }
  return out;
}

void write_engine(ByteWriter& out, const EngineImage& image) {
  write_options(out, image.options);
  write_graph(out, image.graph);
  write_layouts(out, image.layouts);
  out.number(image.leaf_types.size());
  for (const bool known : image.leaf_types) out.number(known ? 1 : 0);
  out.number(image.status.size());
  for (const auto& [pool, status] : image.status) {
    out.number(pool.v);
    out.number(static_cast<unsigned>(status));
  }
  out.number(image.clock_runs ? 1 : 0);
  write_grants(out, image.grants);
  out.number(image.free_grants.size());
  for (const std::uint32_t number : image.free_grants) out.number(number);
  write_growth(out, image.growth);
  write_weights(out, image.weights);
  out.number(image.hres ? 1 : 0);
  if (image.hres) write_hres(out, *image.hres);
  write_channels(out, image.channels);
}

// The result may break any rule of engines, but takes no more memory than `limits` allow.
// Errors: invalid; not_found (the policy).
Result<EngineImage> read_engine(ByteReader& in, std::span<const Policy> own,
                                const SaveLimits& limits) {
  EngineImage image;
  auto options = read_options(in, own);
  if (!options) return std::unexpected(options.error());
  image.options = std::move(*options);
  image.graph = read_graph(in, limits.pools_max);
  image.layouts = read_layouts(in);
  image.leaf_types.resize(in.count());
  for (std::size_t t = 0; t < image.leaf_types.size(); ++t) image.leaf_types[t] = in.flag();
  image.status.resize(in.count(2));
  for (auto& [pool, status] : image.status) {
    pool = PoolId{in.below<std::uint32_t>(UINT32_MAX)};
    status = in.below<Status>(static_cast<unsigned>(Status::unknown));
  }
  image.clock_runs = in.flag();
  image.grants = read_grants(in);
  image.free_grants.resize(in.count());
  for (std::uint32_t& number : image.free_grants) number = in.below<std::uint32_t>(UINT32_MAX);
  image.growth = read_growth(in);
  image.weights = read_weights(in, image.graph.types.size());
  if (in.flag()) image.hres = read_hres(in);
  image.channels = read_channels(in);
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
