// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/hostlist.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "rset/rset_properties.hpp"

namespace copse {

namespace {

// How many pools the set comes to, the cluster included; -1 if that does not fit 64 bits.
std::int64_t pools_of(const RSet& r) {
  std::int64_t pools = 1;
  for (const RSet::Entry& entry : r.entries) {
    std::int64_t each = 1;
    for (const auto& [type, ids] : entry.children) {
      if (__builtin_add_overflow(each, ids.count(), &each)) return -1;
    }
    std::int64_t all = 0;
    if (__builtin_mul_overflow(each, entry.ranks.count(), &all)) return -1;
    if (__builtin_add_overflow(pools, all, &pools)) return -1;
  }
  return pools;
}

class RGraphBuilder {
 public:
  RGraphBuilder(const RSet& r, GraphBuilder::Limits limits, DeviceTypes devices)
      : r_(r), devices_(devices), ranges_(sorted_ranges(r)), builder_(limits) {}

  Result<ResourceGraph> make(std::string_view dominant) {
    if (r_.hosts.empty() && !r_.entries.empty()) {
      return fail(ErrorCode::invalid, "execution has no nodelist, so that nodes have no names");
    }
    const std::int64_t pools = pools_of(r_);
    if (pools < 0) return fail(ErrorCode::limit, "R_lite comes to more than 2^63 pools");
    const auto count = static_cast<std::uint64_t>(pools);
    if (auto ok = builder_.expect(count, count - 1); !ok) return std::unexpected(ok.error());
    if (auto ok = add_cluster(); !ok) return std::unexpected(ok.error());
    for (const auto& [name, ranks] : r_.properties) {
      const auto devices = property_devices(name);
      if (devices && devices_ == DeviceTypes::read) {
        device_properties_.push_back({*devices, name, &ranks});
      }
    }
    for (const RSet::Entry& entry : r_.entries) {
      if (auto ok = add_entry(entry); !ok) return std::unexpected(ok.error());
    }
    add_properties();
    return builder_.build(dominant);
  }

 private:
  using Handle = GraphBuilder::Handle;
  struct DeviceProperty {
    PropertyDevices devices;
    std::string_view name;
    const Idset* ranks;
  };
  struct Kind {  // of children: what all of one entry and type share
    PoolSpec spec;
    const Idset* ids;
  };

  Result<void> add_cluster() {
    const auto subsystem = builder_.subsystem("containment");
    const auto type = builder_.type("cluster");
    const auto node = builder_.type("node");
    const auto unit = builder_.unit("");
    for (const Error* e : {subsystem ? nullptr : &subsystem.error(), type ? nullptr : &type.error(),
                           node ? nullptr : &node.error(), unit ? nullptr : &unit.error()}) {
      if (e != nullptr) return std::unexpected(*e);
    }
    subsystem_ = *subsystem;
    unit_ = *unit;
    node_ = *node;
    const auto cluster = builder_.add_pool(
        {.type = *type, .basename = builder_.basename("cluster"), .unit = unit_, .id = 0});
    if (!cluster) return std::unexpected(cluster.error());
    cluster_ = *cluster;
    return builder_.set_root(subsystem_, cluster_);
  }

  Result<void> add_entry(const RSet::Entry& entry) {
    std::vector<Kind> kinds;
    for (const auto& [name, ids] : entry.children) {
      const auto type = builder_.type(name);
      if (!type) return std::unexpected(type.error());
      kinds.push_back({{.type = *type, .basename = builder_.basename(name), .unit = unit_}, &ids});
    }
    for (const auto& [first, last] : entry.ranks.ranges()) {
      const auto at =
          std::ranges::lower_bound(ranges_, Idset::Range{first, last}, {}, &RankRange::range);
      for (std::int64_t rank = first; rank <= last; ++rank) {
        const std::size_t host = at->before + static_cast<std::size_t>(rank - first);
        if (auto ok = add_node(static_cast<std::int32_t>(rank), r_.hosts[host], kinds); !ok) {
          return ok;
        }
      }
    }
    return {};
  }

  Result<void> add_node(std::int32_t rank, const std::string& host, std::vector<Kind>& kinds) {
    const auto split = split_host(host);
    if (!split) return std::unexpected(split.error());
    const auto node = builder_.add_pool({.type = node_,
                                         .basename = builder_.basename(split->first),
                                         .unit = unit_,
                                         .id = split->second,
                                         .rank = rank});
    if (!node) return std::unexpected(node.error());
    builder_.set_name(*node, host);
    if (!r_.properties.empty()) nodes_.emplace(rank, *node);
    if (auto ok = builder_.add_edge(cluster_, *node, subsystem_); !ok) return ok;
    for (Kind& kind : kinds) {
      kind.spec.rank = rank;
      for (const auto& [first, last] : kind.ids->ranges()) {
        for (kind.spec.id = first; kind.spec.id <= last; ++kind.spec.id) {
          const auto child = builder_.add_pool(kind.spec);
          if (!child) return std::unexpected(child.error());
          if (auto ok = builder_.add_edge(*node, *child, subsystem_); !ok) return ok;
          if (!device_properties_.empty()) set_device_properties(*child, kind.spec);
        }
      }
    }
    return {};
  }

  void set_device_properties(Handle pool, const PoolSpec& spec) {
    for (const DeviceProperty& property : device_properties_) {
      const PropertyDevices& devices = property.devices;
      const bool about = builder_.type_name(spec.type) == devices.type &&
                         property.ranks->contains(spec.rank) &&
                         (!devices.ids || devices.ids->contains(spec.id));
      if (about) builder_.set_property(pool, std::string(property_name(property.name).name), {});
    }
  }

  void add_properties() {
    for (const auto& [name, ranks] : r_.properties) {
      for (const auto& [first, last] : ranks.ranges()) {
        for (std::int64_t rank = first; rank <= last; ++rank) {
          builder_.set_property(nodes_.at(static_cast<std::int32_t>(rank)), name, {});
        }
      }
    }
  }

  const RSet& r_;
  DeviceTypes devices_;
  std::vector<RankRange> ranges_;
  GraphBuilder builder_;
  SubsystemId subsystem_;
  TypeId node_;
  UnitId unit_;
  Handle cluster_ = 0;
  std::vector<DeviceProperty> device_properties_;
  std::map<std::int32_t, Handle> nodes_;  // by rank; only if there are properties
};

}  // namespace

Result<ResourceGraph> graph_of_r(const RSet& r, std::string_view dominant,
                                 GraphBuilder::Limits limits, DeviceTypes devices) {
  return RGraphBuilder(r, limits, devices).make(dominant);
}

}  // namespace copse
