// SPDX-License-Identifier: Apache-2.0
//
// A machine as Slurm describes it, in slurm.conf or as the answer to `scontrol show nodes --json`,
// and the graph that it becomes.
//
//   cluster > switches or blocks of topology.conf > node > core, gpu and other GRES, memory
//
// * The cluster has its ClusterName; without one it is cluster0.
// * Nodes have ranks in the order of the text, and the number of their name as their id.
// * The resources of a slot must be below one pool, and jobs of Slurm span sockets: so sockets are
//   not pools. Cores are numbered through a node, socket by socket; the tag kSocketsTag of a node
//   has the number of its sockets.
// * Resources reserved for the system (CoreSpecCount, CpuSpecList, MemSpecLimit) are left out: jobs
//   never get them. Cores keep their numbers; the tag kCoresTag of a node has how many a socket
//   has.
// * RealMemory is one divisible pool of memory, in MB.
// * A GRES of up to kGresPoolsMax is a pool each, of size 1; of more, one divisible pool of that size.
// * Partitions, features and types of GRES are properties of nodes; a type of GRES is also one of its
//   pools.
// * The cores near a GRES are its property kNearCores, as numbers of the node's cores.
// * Hardware threads are not pools: a node's tag kThreadsTag says how many cpus each of its cores is,
//   if they are several; kCoresOfCpuTag says how many cores a cpu is, where sockets are cpus.
// * The tag kReasonTag of a node that is down says why.
// * If there is a topology, nodes that it does not name are below a switch "unconnected".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "formats/slurm/gres/slurm_gres.hpp"
#include "formats/slurm/slurm_settings.hpp"
#include "graph/graph_builder.hpp"

namespace copse {

inline constexpr std::size_t kSlurmNodesMax = 1U << 17;
inline constexpr std::size_t kSlurmSwitchesMax = 1U << 16;
inline constexpr std::int64_t kSlurmCoresMax = 1 << 16;  // of a node; also its sockets and threads
inline constexpr std::int64_t kGresPoolsMax = 256;
inline constexpr std::string_view kThreadsTag = "threads_per_core", kSocketsTag = "sockets",
                                  kCoresTag = "cores_per_socket", kCoresOfCpuTag = "cores_per_cpu",
                                  kReasonTag = "reason";

struct SlurmNode {
  std::string name;
  std::int64_t sockets = 1;
  std::int64_t cores = 1;    // of a socket
  std::int64_t threads = 1;  // of a core, that are cpus
  std::int64_t cores_of_cpu = 1;
  std::int64_t memory_mb = 0;
  bool down = false;
  bool comes_back = false;  // it is down for now, and Slurm will use it again by itself
  std::string reason{};     // why it is down, as an operator wrote it
  std::vector<std::int64_t> system_cores{};  // of the node, reserved for the system
  std::vector<SlurmGres> gres{};
  std::vector<std::string> properties{};
};

// A switch, or a block, of topology.conf.
struct SlurmSwitch {
  std::string name;
  std::string type;  // switch, block
  std::vector<std::string> nodes{}, switches{};
  SourceLocation place{};
};

struct SlurmMachine {
  std::vector<SlurmNode> nodes;
  std::string cluster{};  // its name
  std::vector<SlurmSwitch> switches;
  std::vector<std::string> future{};  // nodes of State=FUTURE, which are left out
  // The nodes of partitions whose name is also a feature of nodes that are not in them.
  std::map<std::string, std::vector<std::string>> hosts_of_partitions{};
  std::vector<std::string> remarks{};  // sentences with their places: what was ignored
  SlurmQueueSettings settings{};       // settings.sentence() is one of the remarks
};

// Errors: invalid (a name that paths cannot have, a name given twice, a switch over what does not
// exist or has another switch above it), limit. O(pools × log nodes).
[[nodiscard]] Result<ResourceGraph> graph_of_slurm(const SlurmMachine& machine,
                                                   std::string_view dominant = "containment",
                                                   GraphBuilder::Limits limits = {});

}  // namespace copse
