// SPDX-License-Identifier: Apache-2.0
//
// The requests of a cluster's jobs, as requests for the nodes of a machine. Of each of its nodes, a job
// gets
//   all of it     if it excludes other jobs, or requests nodes only, or had all cores of such nodes
//   cores         its cpus over its nodes, converted by the nodes that it may get (cluster_nodes.hpp)
//   gpus          on nodes whose cores are in sockets, from several of them if `several_slots`; else
//                 equal slots of cores and gpus that fit into sockets, with some cores more if
//                 necessary; of the types that it names, if the machine has them
//   memory        in the slot of its cores, if nodes have divisible memory in MB
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "copse/graph.hpp"
#include "formats/cluster_jobs.hpp"
#include "plan/job.hpp"
#include "plan/streams/cluster_nodes.hpp"

namespace copse::plan {

class ClusterRequests {
 public:
  struct Options {
    bool past = false;           // of accounting: a job that had whole nodes gets them again
    bool several_slots = false;  // the traverser can match slots of two kinds below one node
  };
  // The graph must outlive it. O(pools).
  ClusterRequests(const ResourceGraph& graph, Options options) : nodes_(graph), options_(options) {}

  // RFC 31 as text: all of it, and without the names of nodes. "": any nodes.
  struct Where {
    std::string text, properties;
  };
  // The number of a job's request, which is added if it is new. Errors: limit; invalid (`where`).
  // O(groups of nodes + names of nodes + length of the text).
  [[nodiscard]] Result<std::uint32_t> add(Requests& to, const ClusterRequest& from,
                                          const Where& where);
  // Sentences about jobs whose requests are not exactly theirs.
  void add_remarks(std::vector<std::string>& to) const;

 private:
  // What is said of the jobs of a request.
  struct Notes {
    bool differs = false, too_large = false, without_memory = false;
  };
  struct Made {
    Request request;
    Notes notes;
  };

  [[nodiscard]] Result<Made> make(const ClusterRequest& from, const Where& where);
  void take(const Notes& notes);
  [[nodiscard]] bool takes_all(const NodeNeed& need) const;
  [[nodiscard]] bool more_than_any(std::int64_t cores, const ClusterNodes::Counts& counts) const;
  [[nodiscard]] std::vector<Resource> slots_of(const NodeNeed& need, const ClusterRequest& from);
  [[nodiscard]] std::vector<Resource> gpus_of(const ClusterRequest& from) const;
  [[nodiscard]] std::vector<const NodeKind*> kinds_of(const NodeNeed& need) const;
  [[nodiscard]] bool has_parts(const NodeNeed& need) const;
  [[nodiscard]] bool counts_memory(const NodeNeed& need) const;
  [[nodiscard]] std::int64_t slots_on_parts(std::int64_t cores, std::int64_t gpus,
                                            const std::vector<const NodeKind*>& kinds);

  ClusterNodes nodes_;
  Options options_;
  std::unordered_map<std::uint32_t, Notes> notes_;  // by request
  std::uint64_t of_other_nodes_ = 0, too_large_ = 0, without_memory_ = 0;
  bool rounded_ = false;  // some requests have more cores than their jobs
};

}  // namespace copse::plan
