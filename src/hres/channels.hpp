// SPDX-License-Identifier: Apache-2.0
//
// Channels: auxiliary subsystems (RFC 4, *The Channeled Resource Pool*). A pool that is chosen in
// the dominant tree takes an amount from every capacity on its path up such a subsystem.
//
// A channel is a name that a request may use: a type that only auxiliary subsystems have ("power",
// "bandwidth"), or the name of one ("power", "pfs1bw"). The name of a subsystem means the pools of
// the type with that name. If there are none, it means those of the only type that has just leaves
// in the subsystem and is not in the dominant tree, if there is exactly one such type.
//
// The path of a pool p of the dominant tree begins at p, or at the lowest pool above p that is in
// the subsystem, and follows parents in the subsystem to its root; of several parents the last one,
// as for path names. The capacity at a pool on the path is
//   * the pool itself, if its type is the channel's;
//   * else its children in the subsystem that are of the channel's type and have nothing below them
//       there: together they provide what each has left;
//   * else, for a channel with the name of the subsystem, the pool itself, if its size is above 1:
//       then the size is a capacity (RFC 4, figure 5).
// A path without a capacity provides nothing.
//
// Invariants
//   1. Channels, pools of paths and capacities keep their numbers. Edges of auxiliary subsystems
//       never change during the lifetime of an engine, so cached paths stay valid.
//    2. A capacity's planner has the sum of its charges, at most its size at any time. A capacity
//       without charges has no planner.
//
// Cost: a path O(its length), the first time O(its length · log edges + children). 28 bytes and a
// hash entry per pool on a path; 8 bytes and a hash entry per capacity, and a planner if it is
// charged.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "copse/grant.hpp"
#include "copse/graph.hpp"
#include "copse/shared.hpp"
#include "time/planner.hpp"

namespace copse {

// The amount > 0 that each pool chosen for a level takes along a channel.
struct ChannelNeed {
  std::uint32_t channel = 0;
  std::int64_t amount = 0;
  bool operator==(const ChannelNeed&) const = default;
};

class Channels {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Channel {
    std::string name;  // as in requests
    SubsystemId subsystem;
    TypeId type;   // kNoType: none
    bool by_name;  // whether it is the name of the subsystem
    bool operator==(const Channel&) const = default;
  };
  struct PathPool {  // a pool on a path
    PoolId at;
    std::uint32_t up;            // the next one up; kNone at the root
    std::uint32_t first, count;  // its capacities()
    std::uint32_t depth;         // pools above it on the path
    std::uint32_t channel;       // the channel of the path
    bool has_capacity;           // this pool or one above it on the path has a capacity
  };
  // `auxiliary`: none of them dominant, each once. Cost: O(pools).
  Channels(const ResourceGraph& graph, std::vector<SubsystemId> auxiliary);
  // The same channels, with their numbers, for the rebuilt graph.
  Channels(const ResourceGraph& graph, const Channels& before);
  // The same, with paths and times, for a copy of the graph. Paths are shared (copy on write);
  // O(pools on paths + capacities in use).
  [[nodiscard]] static std::unique_ptr<Channels> copy(const ResourceGraph& graph,
                                                      const Channels& other);

  // The channel with this name in a request; nullopt: it is not a channel. Errors: invalid (a type
  // of several auxiliary subsystems). O(1), the first time O(pools).
  [[nodiscard]] Result<std::optional<std::uint32_t>> find(std::string_view word);
  [[nodiscard]] std::span<const Channel> all() const { return channels_; }
  [[nodiscard]] std::span<const SubsystemId> auxiliary() const { return auxiliary_; }
  [[nodiscard]] const Channel& channel(std::uint32_t number) const { return channels_[number]; }

  // The beginning of the path of a pool of the dominant tree; kNone: it has no path.
  [[nodiscard]] std::uint32_t path_start(PoolId p, std::uint32_t channel);
  // The pool at which every path of the channel ends; kNone if they do not all end at one.
  [[nodiscard]] std::uint32_t root_of_paths(std::uint32_t channel);
  [[nodiscard]] const PathPool& path_pool(std::uint32_t number) const {
    return path_pools_[number];
  }
  [[nodiscard]] std::span<const std::uint32_t> capacities(const PathPool& path_pool) const {
    return {numbers_.data() + path_pool.first, path_pool.count};
  }
  [[nodiscard]] std::uint32_t capacity_count() const {
    return static_cast<std::uint32_t>(capacities_.size());
  }
  [[nodiscard]] PoolId capacity(std::uint32_t number) const { return capacities_[number]; }

  // Sets channels with their former numbers. REQUIRES that there are none yet, and that each
  // belongs to one of auxiliary().
  void restore(std::vector<Channel> channels) { channels_ = std::move(channels); }

  // --- Times The largest sum of charges to a capacity at any time of [start, end).
  [[nodiscard]] std::int64_t most_charged(PoolId pool, std::int64_t start, std::int64_t end) const;
  [[nodiscard]] const Planner* planner(PoolId pool) const;  // nullptr: no charges
  // Adds the charges of a grant over [start, end), or with sign -1 removes them.
  void apply(std::span<const CapacityCharge> charges, std::int64_t start, std::int64_t end,
             int sign);

  [[nodiscard]] std::uint64_t fingerprint() const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  void note_types();
  [[nodiscard]] TypeId type_of_name(std::uint32_t place) const;
  std::uint32_t add_channel(std::string_view name, std::uint32_t place, TypeId type, bool by_name);
  std::uint32_t add_path_pool(PoolId at, std::uint32_t channel, std::uint32_t up);
  void add_capacity(PoolId pool);

  const ResourceGraph& graph_;
  std::vector<SubsystemId> auxiliary_;
  // By type, at the last change of the graph that was seen: whether the dominant tree has it, and
  // which auxiliary subsystems (indexes into auxiliary_) have it, at all and with pools below it.
  struct TypeFacts {
    bool dominant = false;
    std::vector<std::uint32_t> exists{}, interior{};
  };
  std::vector<TypeFacts> types_;
  std::vector<bool> rooted_;           // by index into auxiliary_: every path ends at the root
  std::size_t types_seen_ = SIZE_MAX;  // changes of the graph
  std::vector<Channel> channels_;
  using PathPoolOf = std::unordered_map<std::uint64_t, std::uint32_t>;
  Shared<PathPoolOf> path_pool_of_ = Shared<PathPoolOf>::make();  // by pool and channel
  std::vector<PathPool> path_pools_;
  std::vector<std::uint32_t> numbers_;  // of capacities, by pool of a path
  std::vector<PoolId> capacities_;
  using CapacityOf = std::unordered_map<std::uint32_t, std::uint32_t>;
  Shared<CapacityOf> capacity_of_ = Shared<CapacityOf>::make();  // by pool
  std::unordered_map<std::uint32_t, Shared<Planner>> planners_;  // by pool
};

}  // namespace copse
