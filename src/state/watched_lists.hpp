// SPDX-License-Identifier: Apache-2.0
//
// WatchedLists: the candidate lists of a machine, and what they show of its state. They are caches,
// so that making one leaves the state as it was.
//
// Invariant: every list shows, for each of its pools, what its columns say (see WatchedList), after
// each refresh() that the state asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "copse/graph.hpp"
#include "state/candidate_list.hpp"

namespace copse {

class State;

// A candidate list with what its columns mean.
struct WatchedList {
  static constexpr std::uint32_t kAvailable = 0;  // 1 if usable, not held now, nor blocked; else 0
  static constexpr std::uint32_t kIdle = 1;       // 1 if available and no job touches it now
  CandidateList list;
  std::uint32_t first_interior;  // key of pool p is interior(p) - first_interior
  std::vector<TypeId> types;     // column 2 + k: units of types[k] free below, 0 if unavailable
  PoolId parent = kNoPool;       // of all of them, if they have one

  [[nodiscard]] std::uint32_t key(std::uint32_t interior) const {
    return interior - first_interior;
  }
};

class WatchedLists {
 public:
  WatchedLists(const State& state, const ResourceGraph& graph)
      : state_(state), graph_(graph), by_type_(graph.names().types.size()) {}

  // `pools` are interior, in order of preference. The list is kept until clear().
  WatchedList& add(std::span<const PoolId> pools);
  // Adds a pool to a list (one of another parent only if all are of one type): before the first
  // entry that does not come `before` it, or by its order.
  template <class Where>
  void insert(WatchedList& watched, PoolId p, Where where) {
    if (watched.parent != kNoPool && watched.parent != graph_.parent(p)) watch_type(watched, p);
    const std::uint32_t i = graph_.interior(p);
    watched.list.insert(p, watched.key(i), where);
    show(watched, i);
  }
  void clear();  // every reference to a list ends
  // Makes sure that the list has a column for units of `type`; returns its number.
  std::uint32_t watch(WatchedList& watched, TypeId type);

  // The state of an interior pool changed.
  void refresh(std::uint32_t interior) { refresh({&interior, 1}); }
  // Of several. REQUIRES that they have the same type and parent.
  void refresh(std::span<const std::uint32_t> interiors);

  // When interior pools changed last, in blocks of kStamped: who keeps what he learned of a block
  // looks whether its stamp is still the same. Status of leaves is not part of it.
  static constexpr std::uint32_t kStamped = 64;
  [[nodiscard]] std::uint64_t stamp(std::uint32_t interior) const {
    return interior / kStamped < stamps_.size() ? stamps_[interior / kStamped] : 0;
  }
  void graph_grew() { by_type_.resize(graph_.names().types.size()); }
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  void show(WatchedList& watched, std::uint32_t interior);
  void watch_type(WatchedList& watched, PoolId p);

  const State& state_;
  const ResourceGraph& graph_;
  std::vector<std::unique_ptr<WatchedList>> lists_;
  std::vector<std::uint64_t> stamps_;  // by interior number / kStamped; missing ones are 0
  std::vector<std::vector<std::uint32_t>> by_type_;  // lists of pools below many parents
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_parent_;
};

}  // namespace copse
