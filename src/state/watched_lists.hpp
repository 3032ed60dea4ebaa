// SPDX-License-Identifier: Apache-2.0
//
// WatchedLists: the candidate lists of a machine, updated with its state. They are caches: building
// one does not change the state.
//
// Invariant: for each of its pools, the columns of every list (see WatchedList) match the state,
// after each refresh() by the state.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "copse/graph.hpp"
#include "state/candidate_list.hpp"

namespace copse {

class State;

// A candidate list with the meaning of its columns.
struct WatchedList {
  static constexpr std::uint32_t kAvailable = 0;  // 1 if usable, not allocated exclusively now and
                                                  // not blocked; else 0
  static constexpr std::uint32_t kIdle = 1;  // 1 if available, and no job uses it or pools below it
                                             // now
  CandidateList list;
  std::uint32_t first_interior;  // key of pool p is interior(p) - first_interior
  std::vector<TypeId> types;     // column 2 + k: units of types[k] free below, 0 if unavailable
  PoolId parent = kNoPool;       // the common parent of all of them, if there is one

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
  // entry for which `before` is false, or by its order.
  template <class Where>
  void insert(WatchedList& watched, PoolId p, Where where) {
    if (watched.parent != kNoPool && watched.parent != graph_.parent(p)) watch_type(watched, p);
    const std::uint32_t i = graph_.interior(p);
    watched.list.insert(p, watched.key(i), where);
    show(watched, i);
  }
  void clear();  // invalidates all references to lists
  // Makes sure that the list has a column for units of `type`; returns its number.
  std::uint32_t watch(WatchedList& watched, TypeId type);

  // Updates the lists after the state of an interior pool changed.
  void refresh(std::uint32_t interior) { refresh({&interior, 1}); }
  // The same for several. REQUIRES the same type and parent.
  void refresh(std::span<const std::uint32_t> interiors);

  // The time of the last change, for blocks of kStamped interior pools. A cache of something about
  // a block is valid while the stamp is the same. The status of a leaf counts for its parent.
  static constexpr std::uint32_t kStamped = 64;
  [[nodiscard]] std::uint64_t stamp(std::uint32_t interior) const {
    return interior / kStamped < stamps_.size() ? stamps_[interior / kStamped] : 0;
  }
  // The last changes: interior numbers, in the order of the changes. The first ones are forgotten
  // once there are more than kChangesMax.
  static constexpr std::size_t kChangesMax = 1 << 14;
  [[nodiscard]] std::uint64_t change_count() const { return forgotten_ + changes_.size(); }
  // All after the first `count`; nullopt: some of them are forgotten.
  [[nodiscard]] std::optional<std::span<const std::uint32_t>> changes_after(
      std::uint64_t count) const {
    if (count < forgotten_) return std::nullopt;
    return std::span(changes_).subspan(static_cast<std::size_t>(count - forgotten_));
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
  std::vector<std::uint32_t> changes_;
  std::uint64_t forgotten_ = 0;                      // changes before these
  std::vector<std::vector<std::uint32_t>> by_type_;  // lists of pools below many parents
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_parent_;
};

}  // namespace copse
