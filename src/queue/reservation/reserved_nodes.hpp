// SPDX-License-Identifier: Apache-2.0
//
// ReservedNodes: one occurrence of a reservation, as it is booked in an engine.
//
// It holds its nodes by grants of its own. Overlapping jobs have resources of these nodes: jobs
// that ran there before, and jobs that it has admitted. Each pool of its nodes belongs to an
// overlapping job or to the reservation: from its start, or from the end of the last overlapping
// job that has the pool, or between two of them. When an overlapping job ends or is admitted, the remaining pools are
// booked again.
//
// Invariants
//   1. Grants of two ReservedNodes that overlap in time have different nodes.
//   2. Each overlapping job has a grant, or its time has passed.
//   3. Functions that change the engine take it as an argument: a copy is valid for a clone of the
//      engine.
//
// Cost: each change O(nodes + pools of overlapping jobs); the first book() O(pools of all grants).
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "copse/engine.hpp"
#include "queue/reservation/reservation.hpp"

namespace copse::queue {

class ReservedNodes {
 public:
  struct Layer {  // an amount of a hierarchical resource, kept for admitted jobs
    std::string resource, nodes;
    std::int64_t amount = 0;
    std::string id{};
    std::int64_t from_s = 0;  // booked from then on; its end: not booked
  };
  struct Resources {
    std::vector<PoolId> nodes;  // ascending
    std::vector<Layer> layers;
  };

  // The resources of an occurrence in a former queue, by the names of nodes. O(nodes · log nodes).
  [[nodiscard]] static Resources resources_of(const BookedOccurrence& was,
                                              const ResourceGraph& graph);

  // REQUIRES start_s < end_s. `name` identifies its amounts of layers, and is unique.
  ReservedNodes(std::int64_t start_s, std::int64_t end_s, Resources resources, std::string name,
                const ResourceGraph& graph);

  [[nodiscard]] std::int64_t start_s() const { return start_s_; }
  [[nodiscard]] std::int64_t end_s() const { return end_s_; }
  [[nodiscard]] const std::vector<PoolId>& nodes() const { return resources_.nodes; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool has_layers() const { return !resources_.layers.empty(); }
  // Those whose time has not passed, ascending.
  [[nodiscard]] std::vector<JobId> overlapping_jobs(const Engine& engine) const;
  [[nodiscard]] const std::vector<JobId>& grants() const { return grants_; }  // its own
  [[nodiscard]] bool overlaps(std::int64_t start_s, std::int64_t end_s) const {
    return start_s < end_s_ && start_s_ < end_s;
  }
  // Whether the grant has resources of its nodes, at any time.
  [[nodiscard]] bool has_nodes_of(const ResourceGraph& graph, const Grant& grant) const {
    return !nodes_of(graph, grant).empty();
  }
  // Whether the grant has resources of it, at some time of the occurrence.
  [[nodiscard]] bool conflicts_with(const ResourceGraph& graph, const Grant& grant) const;
  // What running jobs keep of it.
  [[nodiscard]] std::vector<ReservationLoss> losses(const Engine& engine) const;
  [[nodiscard]] BookedOccurrence booked() const;
  // Finds the grants and overlapping jobs that it had in a former queue; `admitted`: the jobs that
  // it has admitted. Amounts of layers are booked again. REQUIRES that it is not booked.
  void resume(Engine& engine, std::vector<JobId> admitted);
  // Jobs that it, or the occurrence that it replaces, has admitted. REQUIRES that it is not booked.
  [[nodiscard]] const std::vector<JobId>& admitted() const { return admitted_; }
  void set_admitted(std::vector<JobId> admitted) { admitted_ = std::move(admitted); }
  // Jobs with conflicting grants become overlapping jobs. REQUIRES that it is not booked.
  // `next_id`: the id of its next grant.
  void book(Engine& engine, JobId& next_id);
  // Releases its resources; admitted jobs stay recorded.
  void release(Engine& engine);

  // Grants the request to the job, from its own resources. On failure the state is unchanged.
  // REQUIRES that the request is restricted to its nodes, and ends by end_s() if it starts before
  // `before_s`.
  [[nodiscard]] std::expected<void, NoMatch> admit(Engine& engine, JobId& next_id,
                                                   PreparedRequest& request, JobId job,
                                                   std::int64_t from_s, std::int64_t before_s);
  // The job has ended, released pools, or shortened its time; true if it was an overlapping job.
  bool job_released(Engine& engine, JobId& next_id, JobId job);
  // The job runs longer: `set_end` reports that to the engine, while none of its nodes is reserved.
  // Errors: those of `set_end`; the state is then unchanged.
  [[nodiscard]] Result<void> extend(Engine& engine, JobId& next_id, JobId job,
                                    const std::function<Result<void>()>& set_end);
  // Pools were renumbered or removed.
  void refresh_nodes(Engine& engine, JobId& next_id);

 private:
  struct Time {
    std::int64_t from_s = 0, until_s = 0;
    auto operator<=>(const Time&) const = default;
  };
  struct Hold {
    Time time;
    bool all = false;  // the pool with everything below it
  };
  using Holds = std::unordered_map<std::uint32_t, std::vector<Hold>>;  // by pool
  using Parts = std::map<Time, std::vector<PoolId>>;                   // by the time that is free
  enum class Held : std::uint8_t { no, below, all };

  void note_above(const ResourceGraph& graph);
  void find_overlapping_jobs(const Engine& engine);
  [[nodiscard]] bool has(PoolId node) const;
  [[nodiscard]] std::vector<PoolId> nodes_of(const ResourceGraph& graph, const Grant& grant) const;
  [[nodiscard]] Holds holds(const Engine& engine) const;
  [[nodiscard]] static Held held_at(const std::vector<Hold>& holds, std::int64_t time_s);
  [[nodiscard]] static std::vector<std::pair<Time, Held>> times_of(const Holds& holds, PoolId pool,
                                                                   const Time& in);
  void add_parts(const ResourceGraph& graph, const Holds& holds, PoolId pool, const Time& in,
                 Parts& out) const;
  void add_node(const ResourceGraph& graph, const Holds& holds, PoolId node, PoolId above,
                const Time& in, Parts& out) const;
  void book_nodes(Engine& engine, JobId& next_id);
  [[nodiscard]] bool book_free(Engine& engine, JobId& next_id);
  void release_nodes(Engine& engine);
  void book_layers(Engine& engine);
  void free_layer(Engine& engine, Layer& layer) const;
  bool book_layer(Engine& engine, Layer& layer, std::int64_t from_s);
  void set_layer_access(Engine& engine, JobId job, bool named);

  std::int64_t start_s_, end_s_;
  Resources resources_;
  std::vector<std::string> names_;       // of its nodes
  std::vector<PoolId> above_;            // all pools above its nodes, ascending
  std::vector<JobId> overlapping_jobs_;  // ascending
  std::vector<JobId> grants_;            // its own
  std::vector<JobId> admitted_;          // overlapping jobs that it has admitted, ascending
};

}  // namespace copse::queue
