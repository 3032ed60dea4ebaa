// SPDX-License-Identifier: Apache-2.0
//
// MachineWatch: which grants have which nodes, with a history, for the page. update() compares the
// engine with the last known state, so it depends on nothing else.
//
// Invariants
//   1. After update(): allocations() has the grants of the engine, and nodes() their present use.
//   2. changed() of a node is the number of the last record at which a difference was found.
//   3. past() has the restored and then the ended allocations, in that order, within Limits. A job
//      that starts and ends between two updates is missing until it is restored.
//
// Cost: update() O(grants + nodes · depth), and the size of each changed grant. Memory: 24 bytes a
// node; 100 bytes and 12 for each node range of an allocation, current and past.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "copse/engine.hpp"
#include "graph/node_rows.hpp"
#include "journal/store.hpp"
#include "server/jobs/job_placement.hpp"
#include "session/status/machine_status.hpp"

namespace copse::server {

struct AllocatedNodes {
  JobId job = 0;
  std::int64_t start_s = 0, end_s = 0;  // of past ones: when the end was noticed
  bool runs = false;
  // Of the pools of its selection: a partial release changes it, and so does a new grant with the id of
  // an earlier one.
  std::uint64_t digest = 0;
  std::vector<NodeRange> nodes{};
  // Shared nodes: their numbers, and the cores of this allocation there.
  std::vector<std::pair<std::uint32_t, std::int64_t>> shared{};
  std::vector<LayerCharge> draws{};  // charges to hierarchical resources
};

// A node in two bytes.
struct NodeSummary {
  enum Use : std::uint8_t { free, partly, full };
  // Flags of `state`. A node that is drained, and not down, has both kDown and kDrained.
  static constexpr std::uint8_t kDown = 4, kReserved = 8, kDrained = 16;
  std::uint8_t state = free;
  std::uint8_t share = 0;  // in use, of 255
  JobId job = 0;           // with the largest part of it; 0: none
  bool operator==(const NodeSummary&) const = default;
};

class MachineWatch {
 public:
  struct Limits {
    std::size_t past = 10'000, past_ranges = 100'000;
  };

  explicit MachineWatch(Limits limits) : limits_(limits) {}

  // Compares with the engine, if there are new records. `next`: the number of the next record.
  // `drained`: whether a node that gets no new jobs is drained, and not down; empty: none is.
  void update(const Engine& engine, journal::Sequence next, const IsDrained& drained = {});

  // Restores the history before the watch began, or before the nodes were renumbered: in the order
  // of ends. `placement` names nodes; removed ones are skipped. REQUIRES update(), and that nothing
  // has ended since the machine was first seen. O(machine + nodes of the placements).
  struct EndedJob {
    JobId job = 0;
    std::int64_t start_s = 0, end_s = 0;
    JobPlacement placement{};
  };
  void restore_past(std::span<const EndedJob> ended);

  [[nodiscard]] const NodeRows& node_rows() const { return *lanes_; }
  [[nodiscard]] const std::vector<NodeSummary>& nodes() const { return nodes_; }
  [[nodiscard]] journal::Sequence changed(std::uint32_t node) const { return changed_[node]; }
  // By job.
  [[nodiscard]] const std::map<JobId, AllocatedNodes>& allocations() const { return allocations_; }
  [[nodiscard]] const std::deque<AllocatedNodes>& past() const { return past_; }
  // Counts changes of the machine; within one generation, node numbers are stable.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  // The record at which the watch began, and the earliest time of past().
  [[nodiscard]] journal::Sequence since() const { return since_; }
  [[nodiscard]] std::int64_t since_s() const { return since_s_; }
  // The number of the next record, as of update().
  [[nodiscard]] journal::Sequence seen() const { return seen_; }

 private:
  void begin(const Engine& engine, journal::Sequence next);
  void update_allocations(const Engine& engine);
  void update_nodes(const Engine& engine, const IsDrained& drained);
  void set_nodes(const Grant& grant, AllocatedNodes& out) const;
  void end(AllocatedNodes gone, std::int64_t now_s);

  Limits limits_;
  std::unique_ptr<NodeRows> lanes_{};
  const ResourceGraph* graph_ = nullptr;
  std::uint32_t pools_ = 0, removed_ = 0;  // of the graph of lanes_
  std::vector<std::int64_t> cores_{};      // by node
  std::vector<NodeSummary> nodes_{};
  std::vector<journal::Sequence> changed_{};
  std::map<JobId, AllocatedNodes> allocations_{};
  std::deque<AllocatedNodes> past_{};
  std::size_t past_ranges_ = 0;
  std::uint64_t generation_ = 0;
  journal::Sequence since_ = 0, seen_ = 0;
  std::int64_t since_s_ = 0, seen_s_ = 0;
};

}  // namespace copse::server
