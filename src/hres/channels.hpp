// SPDX-License-Identifier: Apache-2.0
//
// Channels: auxiliary subsystems as supply (RFC 4, *The Channeled Resource Pool*): what is chosen
// in the dominant tree draws an amount from every capacity on its way up such a subsystem.
//
// A channel is what a request can ask for: a type that only auxiliary subsystems have ("power",
// "bandwidth"), or the name of one ("power", "pfs1bw"). The name of a subsystem stands for the
// pools of the type of that name; if it has none, for those of the one type that has only leaves in
// it and that the dominant tree does not have, if there is just one such type.
//
// The way of a pool p of the dominant tree begins at p, or at the lowest pool above p that is part
// of the subsystem, and follows parents in the subsystem to its root; of several parents that of
// the edge made last, as for paths. The capacity at a pool on the way is
//   * the pool itself, if its type is the channel's;
//   * else its children in the subsystem that are of the channel's type and have nothing below them
//     there: together they give what each has left;
//   * else, for a channel asked for by the name of the subsystem, the pool itself, if its size is
//     above 1: then it is a capacity (RFC 4, figure 5), and not the number one.
// A way on which nothing is a capacity supplies nothing.
//
// Invariants
//   1. Channels, stops and capacities keep their numbers; edges of auxiliary subsystems never
//      change while an engine lives, so that a way that was found stays.
//   2. A capacity's planner is the sum of what grants are charged, at most its size at any time.
//      A capacity that nothing draws from has none.
//
// Cost: a way O(its length), the first time O(its length · log edges + children). 28 bytes and a
// hash entry a pool on a way; 8 bytes and one a capacity, and a planner where something is drawn.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "copse/graph.hpp"
#include "copse/hres.hpp"
#include "copse/shared.hpp"
#include "time/planner.hpp"

namespace copse {

// What each pool chosen for a level draws: amount > 0.
struct ChannelNeed {
  std::uint32_t channel = 0;
  std::int64_t amount = 0;
  bool operator==(const ChannelNeed&) const = default;
};

class Channels {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Channel {
    std::string name;  // on request
    SubsystemId subsystem;
    TypeId type;   // kNoType: none
    bool by_name;  // of the subsystem
    bool operator==(const Channel&) const = default;
  };
  struct PathPool {  // a pool on a way
    PoolId at;
    std::uint32_t up;            // the next one; kNone at the root
    std::uint32_t first, count;  // capacities(stop)
    std::uint32_t depth;         // stops above it
    std::uint32_t channel;       // it is on a way of this one
    bool has_capacity;           // it or one above it has a capacity
  };
  // `auxiliary`: none of them dominant, each once. Cost: O(pools).
  Channels(const ResourceGraph& graph, std::vector<SubsystemId> auxiliary);
  // The same channels, with their numbers, for the graph built again.
  Channels(const ResourceGraph& graph, const Channels& before);
  // The same, with ways and times, for a copy of the graph. Ways are shared until one of them finds
  // another; O(stops + capacities in use).
  [[nodiscard]] static std::unique_ptr<Channels> copy(const ResourceGraph& graph,
                                                      const Channels& other);

  // The channel of a word of a request; none: the word means something else. Errors: invalid (a
  // type of several auxiliary subsystems). O(1), the first time O(pools).
  [[nodiscard]] Result<std::optional<std::uint32_t>> find(std::string_view word);
  [[nodiscard]] std::span<const Channel> all() const { return channels_; }
  [[nodiscard]] std::span<const SubsystemId> auxiliary() const { return auxiliary_; }
  [[nodiscard]] const Channel& channel(std::uint32_t number) const { return channels_[number]; }

  // Where the way of a pool of the dominant tree begins; kNone: none of its pools is there.
  [[nodiscard]] std::uint32_t path_start(PoolId p, std::uint32_t channel);
  // The stop that every way of the channel ends at; kNone if they do not all end at one.
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

  // Channels with the numbers that they had. REQUIRES that none was found yet, and that each is of
  // one of auxiliary().
  void restore(std::vector<Channel> channels) { channels_ = std::move(channels); }

  // --- Times
  // The most that is drawn from a capacity at any time of [start, end).
  [[nodiscard]] std::int64_t most_charged(PoolId pool, std::int64_t start, std::int64_t end) const;
  [[nodiscard]] const Planner* planner(PoolId pool) const;  // nullptr: nothing is drawn
  // Charges a grant of [start, end), or with sign -1 takes it back.
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
  // By type, as the graph was when it was asked last: whether the dominant tree has it, and which
  // of the auxiliary subsystems (places in auxiliary_), at all and with something below.
  struct TypeFacts {
    bool dominant = false;
    std::vector<std::uint32_t> exists{}, interior{};
  };
  std::vector<TypeFacts> types_;
  std::vector<bool> rooted_;           // by place: every way ends at the root
  std::size_t types_seen_ = SIZE_MAX;  // changes of the graph
  std::vector<Channel> channels_;
  using PathPoolOf = std::unordered_map<std::uint64_t, std::uint32_t>;
  Shared<PathPoolOf> path_pool_of_ = Shared<PathPoolOf>::make();  // by pool and channel
  std::vector<PathPool> path_pools_;
  std::vector<std::uint32_t> numbers_;  // of capacities, by stop
  std::vector<PoolId> capacities_;
  using CapacityOf = std::unordered_map<std::uint32_t, std::uint32_t>;
  Shared<CapacityOf> capacity_of_ = Shared<CapacityOf>::make();  // by pool
  std::unordered_map<std::uint32_t, Shared<Planner>> planners_;  // by pool
};

}  // namespace copse
