// SPDX-License-Identifier: Apache-2.0
//
// MachineWatch: who has which nodes, kept up to date: what the page shows of a machine, and since
// when. It looks at the engine now and then, and finds what differs: so it depends on nothing but
// the state.
//
// Invariants
//   1. After update(): held() has the grants of the engine, and nodes() what they have now.
//   2. changed() of a node is the number of the last record at which it was found to differ.
//   3. past() has what was recalled and what ended since, in that order, as far as Limits go. A job
//      that comes and ends between two looks is not in it until it is recalled.
//
// Cost: update() O(grants + nodes · depth), and of each grant that differs what it has. Memory: 24
// bytes a node, 100 bytes and 12 for each run of nodes of a grant, now and past.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "copse/engine.hpp"
#include "journal/store.hpp"
#include "plan/node_rows.hpp"
#include "server/jobs/job_stay.hpp"

namespace copse::server {

struct HeldNodes {
  JobId job = 0;
  std::int64_t start_s = 0, end_s = 0;  // of what is past, when it was seen to be over
  bool runs = false;
  std::size_t entries = 0;  // of its selection: what was given back changes it
  std::vector<plan::NodeRange> nodes{};
  // Of nodes that others may use beside it: their numbers, and cores that it has there.
  std::vector<std::pair<std::uint32_t, std::int64_t>> shared{};
  std::vector<LayerCharge> draws{};  // from hierarchical resources
};

// A node in two bytes.
struct NodeLook {
  enum Use : std::uint8_t { free, partly, full };
  static constexpr std::uint8_t kDown = 4, kReserved = 8;  // beside the use
  std::uint8_t state = free;
  std::uint8_t share = 0;  // in use, of 255
  JobId job = 0;           // that has most of it; 0: none
  bool operator==(const NodeLook&) const = default;
};

class MachineWatch {
 public:
  struct Limits {
    std::size_t past = 10'000, past_runs = 100'000;
  };

  explicit MachineWatch(Limits limits) : limits_(limits) {}

  // Looks at the engine, if records came since. `next`: the number of the next record.
  void update(const Engine& engine, journal::Sequence next);

  // What ended before it watched, or while nodes had other places: in the order of their ends. `stay`
  // names nodes; those that are gone are left out. REQUIRES update(), and that nothing ended since the
  // machine was seen first. O(machine + nodes of the stays).
  struct Ended {
    JobId job = 0;
    std::int64_t start_s = 0, end_s = 0;
    JobStay stay{};
  };
  void recall(std::span<const Ended> ended);

  [[nodiscard]] const plan::NodeRows& node_rows() const { return *lanes_; }
  [[nodiscard]] const std::vector<NodeLook>& nodes() const { return nodes_; }
  [[nodiscard]] journal::Sequence changed(std::uint32_t node) const { return changed_[node]; }
  // By job.
  [[nodiscard]] const std::map<JobId, HeldNodes>& held() const { return held_; }
  [[nodiscard]] const std::deque<HeldNodes>& past() const { return past_; }
  // Counts machines: nodes of one have the same places.
  [[nodiscard]] std::uint64_t machines() const { return machines_; }
  // The record at which watching began, and the first time that past() may know of.
  [[nodiscard]] journal::Sequence since() const { return since_; }
  [[nodiscard]] std::int64_t since_s() const { return since_s_; }
  // That update() has seen; the number of the next record.
  [[nodiscard]] journal::Sequence seen() const { return seen_; }

 private:
  void begin(const Engine& engine, journal::Sequence next);
  void look_at_grants(const Engine& engine);
  void look_at_nodes(const Engine& engine);
  void note(const Grant& grant, HeldNodes& out) const;
  void end(HeldNodes gone, std::int64_t now_s);

  Limits limits_;
  std::unique_ptr<plan::NodeRows> lanes_{};
  const ResourceGraph* graph_ = nullptr;
  std::uint32_t pools_ = 0, removed_ = 0;  // of the graph that lanes_ is of
  std::vector<std::int64_t> cores_{};      // of each node
  std::vector<NodeLook> nodes_{};
  std::vector<journal::Sequence> changed_{};
  std::map<JobId, HeldNodes> held_{};
  std::deque<HeldNodes> past_{};
  std::size_t past_runs_ = 0;
  std::uint64_t machines_ = 0;
  journal::Sequence since_ = 0, seen_ = 0;
  std::int64_t since_s_ = 0, seen_s_ = 0;
};

}  // namespace copse::server
