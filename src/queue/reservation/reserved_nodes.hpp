// SPDX-License-Identifier: Apache-2.0
//
// ReservedNodes: one time of a reservation, as it is booked in an engine.
//
// Its nodes are held by grants of its own. Guests are jobs that have something of them: those that
// ran there before, and those that it let in. Each pool of its nodes is a guest's, or its own: from
// its start, else from the end of the last guest that has it. When a guest leaves, or one comes in,
// what is left is booked again.
//
// Invariants
//   1. Grants of two ReservedNodes that overlap in time have different nodes.
//   2. Each guest has a grant, or its time is over.
//   3. What changes the engine needs it as an argument: a copy is good for a clone of the engine.
//
// Cost: each change O(nodes + what overlapping_jobs have); the first book O(what all grants have).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "copse/engine.hpp"
#include "queue/reservation/reservation.hpp"

namespace copse::queue {

class ReservedNodes {
 public:
  struct Layer {  // an amount of a hierarchical resource, kept for jobs that it lets in
    std::string resource, nodes;
    std::int64_t amount = 0;
    std::string id{};
    std::int64_t from_s = 0;  // booked from then on; its end: not at all
  };
  struct Resources {
    std::vector<PoolId> nodes;  // ascending
    std::vector<Layer> layers;
  };

  // What a time had in a queue that is no more, by the names of nodes. O(nodes · log nodes).
  [[nodiscard]] static Resources resources_of(const BookedOccurrence& was,
                                              const ResourceGraph& graph);

  // REQUIRES start_s < end_s. `name` is that of its amounts of layers, and like no other's.
  ReservedNodes(std::int64_t start_s, std::int64_t end_s, Resources resources, std::string name,
                const ResourceGraph& graph);

  [[nodiscard]] std::int64_t start_s() const { return start_s_; }
  [[nodiscard]] std::int64_t end_s() const { return end_s_; }
  [[nodiscard]] const std::vector<PoolId>& nodes() const { return resources_.nodes; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // Whose time is not over, ascending.
  [[nodiscard]] std::vector<JobId> overlapping_jobs(const Engine& engine) const;
  [[nodiscard]] const std::vector<JobId>& grants() const { return grants_; }  // its own
  [[nodiscard]] bool overlaps(std::int64_t start_s, std::int64_t end_s) const {
    return start_s < end_s_ && start_s_ < end_s;
  }
  // Whether the grant has something of its nodes, whenever.
  [[nodiscard]] bool has_nodes_of(const ResourceGraph& graph, const Grant& grant) const {
    return !nodes_of(graph, grant).empty();
  }
  // Whether the grant has something of it, at some of its time.
  [[nodiscard]] bool conflicts_with(const ResourceGraph& graph, const Grant& grant) const;
  // What jobs that run keep of it.
  [[nodiscard]] std::vector<ReservationLoss> losses(const Engine& engine) const;
  [[nodiscard]] BookedOccurrence booked() const;
  // Its grants and overlapping_jobs are those that it had in a queue that is no more; `inside`: those that it
  // has let in. Amounts of layers are booked anew. REQUIRES that it is not booked.
  void resume(Engine& engine, std::vector<JobId> admitted);
  // Jobs that it has let in, or that one before it had. REQUIRES that it is not booked.
  [[nodiscard]] const std::vector<JobId>& admitted() const { return admitted_; }
  void set_admitted(std::vector<JobId> admitted) { admitted_ = std::move(admitted); }
  // All that have a grant in its way become overlapping_jobs. REQUIRES that it is not booked. `next_id`: ids
  // of its grants, from then on.
  void book(Engine& engine, JobId& next_id);
  // Whom it has let in it knows on.
  void release(Engine& engine);

  // Grants to the job what the request asks for, of its own. Else all is as it was. REQUIRES that
  // the request is for its nodes alone, and ends by end_s() if it starts before `before_s`.
  [[nodiscard]] std::expected<void, NoMatch> admit(Engine& engine, JobId& next_id,
                                                   PreparedRequest& request, JobId job,
                                                   std::int64_t from_s, std::int64_t before_s);
  // The job has ended, or given back something, or some of its time; true if it was a guest.
  bool job_released(Engine& engine, JobId& next_id, JobId job);
  // The job runs longer: `set_end` says so to the engine, which has none of its nodes for it
  // meanwhile. Errors: those of `set_end`; then all is as it was.
  [[nodiscard]] Result<void> run_on(Engine& engine, JobId& next_id, JobId job,
                                    const std::function<Result<void>()>& set_end);
  // Pools have other numbers, or are gone.
  void refresh_nodes(Engine& engine, JobId& next_id);

 private:
  struct Holder {
    std::int64_t until_s = 0;
    bool all = false;  // and what is below the pool
  };
  using Holders = std::unordered_map<std::uint32_t, Holder>;
  using Parts = std::map<std::int64_t, std::vector<PoolId>>;  // by the time they are free from

  void note_above(const ResourceGraph& graph);
  void find_overlapping_jobs(const Engine& engine);
  [[nodiscard]] bool has(PoolId node) const;
  [[nodiscard]] std::vector<PoolId> nodes_of(const ResourceGraph& graph, const Grant& grant) const;
  [[nodiscard]] Holders holders(const Engine& engine) const;
  void add_parts(const ResourceGraph& graph, const Holders& holders, PoolId pool,
                 std::int64_t from_s, Parts& out) const;
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
  std::vector<PoolId> above_;            // all that is above its nodes, ascending
  std::vector<JobId> overlapping_jobs_;  // ascending
  std::vector<JobId> grants_;            // its own
  std::vector<JobId> admitted_;          // overlapping_jobs that it let in, ascending
};

}  // namespace copse::queue
