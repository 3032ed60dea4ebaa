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
// Invariants
//   1. A use has a span in its group, in each set of several groups that contains it, and in its
//      layers. In a group it is left out while all nodes of the group are reserved.
//   2. At no time is more in use than there is, unless nodes failed since, or a job ran longer.
//
// Cost: with one group, that of UnitCounts. Else g + l of its operations, g being the groups of a
// set and l the layers over them: for a change those in use, for a search all. A search first asks
// the sum of the groups, which excludes nearly all times.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "queue/counts/node_groups.hpp"
#include "queue/counts/unit_counts.hpp"

namespace copse::queue {

// What a job has of each group and layer.
struct CountedUse {
  // By number: groups, then layers. Empty if `nodes` is all (NodeGroups::is_one).
  std::vector<std::pair<std::uint32_t, std::int64_t>> parts{};
  std::int64_t nodes = 0;
  bool operator==(const CountedUse&) const = default;
};

class NodeCounts {
 public:
  // What a request takes, for these groups.
  struct Need {
    std::int64_t nodes = 0;
    std::uint32_t set = 0;
    std::vector<std::pair<std::uint32_t, std::int64_t>> amounts{};  // by resource
  };
  struct Start {
    std::int64_t start_s = 0, end_s = 0;
    CountedUse use{};
  };

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
  // What the request gets if it starts then; nullopt: it does not fit.
  [[nodiscard]] std::optional<CountedUse> use(std::int64_t start_s, std::int64_t end_s,
                                              const Need& need) const;
  // Whether layers have the amounts of the request on any of these nodes. O(nodes · layers).
  [[nodiscard]] bool layers_serve(std::int64_t start_s, std::int64_t end_s, const Need& need,
                                  const std::vector<std::uint32_t>& nodes) const;
  // The use of a job that is to have these nodes; of one that has them, with what it charges.
  [[nodiscard]] CountedUse use_of(const std::vector<std::uint32_t>& nodes, const Need& need) const;
  [[nodiscard]] CountedUse use_of(const std::vector<std::uint32_t>& nodes,
                                  std::span<const LayerCharge> charges) const;
  // The earliest start from `from_s` on, below `horizon_s`.
  [[nodiscard]] std::optional<Start> earliest(std::int64_t from_s, std::int64_t duration_s,
                                              std::int64_t horizon_s, const Need& need) const;
  // The earliest start in [now_s, was.start_s) of a job with that use. REQUIRES that now_s never
  // decreases.
  [[nodiscard]] std::optional<Start> earlier(std::int64_t now_s, const Start& was,
                                             std::int64_t duration_s, std::int64_t horizon_s,
                                             const Need& need);
  void move(const Start& from, const Start& to);

 private:
  using Note = UnitCounts::Note;

  void change(const Start& at, bool more, Note note);
  void change_group(std::uint32_t group, std::int64_t start_s, std::int64_t end_s,
                    std::int64_t nodes, bool more, Note note);
  // All groups of a set together.
  [[nodiscard]] const UnitCounts& sum(std::uint32_t set) const;
  [[nodiscard]] UnitCounts& mutable_sum(std::uint32_t set);
  [[nodiscard]] std::optional<Start> first_fit(std::int64_t from_s, std::int64_t before_s,
                                               std::int64_t duration_s, std::int64_t horizon_s,
                                               const Need& need) const;
  [[nodiscard]] std::optional<std::int64_t> next_change(std::int64_t time_s,
                                                        const Need& need) const;
  [[nodiscard]] CountedUse count_groups(const std::vector<std::uint32_t>& nodes,
                                        std::vector<std::int64_t>& in_group) const;
  void add_layers(const std::vector<std::int64_t>& in_layer, CountedUse& use) const;
  [[nodiscard]] bool add_amounts(std::int64_t start_s, std::int64_t end_s, const Need& need,
                                 CountedUse& use) const;

  std::shared_ptr<const NodeGroups> groups_;
  std::vector<UnitCounts> by_group_, by_layer_;
  std::vector<UnitCounts> by_set_;  // those of several groups; the others stay empty
};

}  // namespace copse::queue
