// SPDX-License-Identifier: Apache-2.0
//
// NodeCounts: the nodes in use over time by groups (NodeGroups), and the amounts of layers.
//
// A request for whole nodes, no matter which of a set, can be planned without choosing nodes: only
// their number in each group over time counts. Nodes are chosen at the start. If each running job
// keeps its nodes until it ends, there are always enough: nodes of a group that are free at a start
// are free at all later starts. Reserved nodes are groups of their own, all in use while they are
// reserved.
//
// A promise is counted twice: in the groups that it has for now, and in the sets that contain all
// nodes of its request. It may have other groups later, so the sets tell when it could be served at
// all; the groups tell when it is served without a change of others. NodeSharing gives all promises
// other groups.
//
// Invariants
//   1. A use has a span in its groups and in its layers. In a group it is left out while all nodes
//      of the group are reserved.
//   2. A promise has a span in each set that contains the set of its request; a running job one in
//      each set that contains a group of it. A set of one group is that group, unless a set has
//      more.
//   3. running_ has the spans of running jobs only; is_one(): none.
//   4. At no time is more in use than there is, unless nodes failed since, or a job ran longer.
//
// Cost: with one group, that of UnitCounts. Else g + s + l of its operations, g being the groups of
// a set, s the sets with all of them, and l the layers over them: for a change those in use, for a
// search all. A search first asks the sets, which excludes nearly all times.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "queue/counts/counted_use.hpp"
#include "queue/counts/unit_counts.hpp"

namespace copse::queue {

class NodeCounts {
 public:
  using Need = CountedNeed;
  struct Start {
    std::int64_t start_s = 0, end_s = 0;
    CountedUse use{};
  };
  // Gives all promises other groups, so that one more starts then; nullopt: it found none.
  using ShareOut =
      std::function<std::optional<CountedUse>(std::int64_t start_s, std::int64_t end_s)>;

  explicit NodeCounts(std::shared_ptr<const NodeGroups> groups);

  [[nodiscard]] const NodeGroups& groups() const { return *groups_; }
  // The same groups, with nothing in use but reserved nodes.
  [[nodiscard]] NodeCounts unused() const { return NodeCounts(groups_); }
  // nullopt: the groups do not know its set, or a resource.
  [[nodiscard]] std::optional<Need> need(const CountedRequest& request) const;

  void add(std::int64_t start_s, std::int64_t end_s, const CountedUse& use);
  void remove(std::int64_t start_s, std::int64_t end_s, const CountedUse& use);
  // Whether a job that has this may keep it over another time.
  [[nodiscard]] bool fits(std::int64_t start_s, std::int64_t end_s, const CountedUse& use) const;
  // What the request gets if it starts then, while others keep their groups; nullopt: it does not
  // fit.
  [[nodiscard]] std::optional<CountedUse> use(std::int64_t start_s, std::int64_t end_s,
                                              const Need& need) const;
  // Whether layers have the amounts of the request on any of these nodes. O(nodes · layers).
  [[nodiscard]] bool layers_serve(std::int64_t start_s, std::int64_t end_s, const Need& need,
                                  const std::vector<std::uint32_t>& nodes) const;
  // Whether the sets, and layers that are charged once, have enough for it then.
  [[nodiscard]] bool sums_fit(std::int64_t start_s, std::int64_t end_s, const Need& need) const;
  // The earliest start in [from_s, before_s), while others keep their groups. `share`: asked once,
  // at the first time at which sums fit, if they cannot.
  [[nodiscard]] std::optional<Start> earliest(std::int64_t from_s, std::int64_t before_s,
                                              std::int64_t duration_s, std::int64_t horizon_s,
                                              const Need& need, const ShareOut& share = {}) const;
  // Moves a promise to its earliest start in [now_s, was.start_s), if there is one; it is left out
  // meanwhile. REQUIRES that now_s never decreases.
  std::optional<Start> move_earlier(std::int64_t now_s, const Start& was, std::int64_t duration_s,
                                    std::int64_t horizon_s, const Need& need,
                                    const ShareOut& share = {});
  // The promise has other groups from now on. REQUIRES the same set.
  void exchange(const Start& was, const CountedUse& to);
  // What the request gets of all that neither running jobs have at its start, nor `taken` is (by
  // group and layer); nullopt: too little is left. Nothing is in use before its start that is not
  // at it.
  [[nodiscard]] std::optional<CountedUse> share(std::int64_t start_s, std::int64_t end_s,
                                                const Need& need,
                                                std::span<const std::int64_t> taken) const;
  [[nodiscard]] std::size_t units() const { return by_group_.size() + by_layer_.size(); }
  // Asserts that exactly these are counted.
  void check(std::span<const Start> all) const;

 private:
  using Note = UnitCounts::Note;

  void change(const Start& at, bool more, Note note);
  static void change_units(UnitCounts& of, const NodeGroups::Interval& time, std::int64_t units,
                           bool more, Note note);
  static void change_open(UnitCounts& of, const NodeGroups::Group& group, const Start& at,
                          std::int64_t nodes, bool more, Note note);
  void change_sets(const Start& at, bool more, Note note);
  void change_sets_of_running(const Start& at, bool more, Note note);
  // All groups of a set together.
  [[nodiscard]] const UnitCounts& sum(std::uint32_t set) const;
  [[nodiscard]] UnitCounts& mutable_sum(std::uint32_t set);
  // The first start from `from_s` on for which sums fit.
  [[nodiscard]] std::optional<std::int64_t> sums_earliest(std::int64_t from_s,
                                                          std::int64_t before_s,
                                                          std::int64_t duration_s,
                                                          std::int64_t horizon_s,
                                                          const Need& need) const;
  // Divides a request among its groups; free_nodes(group), free_amount(layer).
  template <class FreeNodes, class FreeAmount>
  [[nodiscard]] std::optional<CountedUse> divide(const Need& need, FreeNodes free_nodes,
                                                 FreeAmount free_amount) const;
  // The first start after one that did not fit that may.
  [[nodiscard]] std::int64_t next_chance(std::int64_t start_s, std::int64_t end_s,
                                         const Need& need) const;

  std::shared_ptr<const NodeGroups> groups_;
  std::vector<UnitCounts> by_group_, by_layer_;
  std::vector<UnitCounts> by_set_;  // a set that is one group stays empty
  std::vector<Planner> running_;    // by group, then by layer
};

}  // namespace copse::queue
