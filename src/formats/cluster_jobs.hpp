// SPDX-License-Identifier: Apache-2.0
//
// The jobs of a real cluster, as its own commands list them (`squeue --json`, `flux jobs --json`):
// running jobs with their allocations, and waiting jobs with their requests; or, from accounting,
// all jobs that were ever submitted.
//
// Times are seconds since 1970; 0 is unknown.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/idset.hpp"
#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "copse/selection.hpp"

namespace copse {

inline constexpr std::size_t kClusterJobsMax = 5'000'000;
inline constexpr std::size_t kClusterSharesMax = 20'000'000;  // of all jobs together

// The units of one type other than cores that a job has: gpus, and other generic resources.
struct DeviceShare {
  std::string type;
  std::string property{};  // its type of GRES, "h200"; empty: any
  std::int64_t count = 0;
  Idset ids;  // empty: unknown
};

// The share of a job in one node.
struct NodeShare {
  std::string host;
  bool whole = false;
  // Cores as (socket, number in it).
  std::vector<std::pair<std::int32_t, std::int32_t>> cores{};
  std::int64_t cores_anywhere = 0;  // where no numbers are known
  bool cpus_anywhere = false;       // they are cpus: see CpusOfNode
  std::int64_t cpus_of_core = 0;    // that the job uses of each core; 0: as many as the node has
  std::int64_t memory_mb = 0;
  std::vector<DeviceShare> devices{};
  bool gpus_unknown = false;  // it may have some: the list has no gpus
};

// A job, task or array that another one waits for, and its state that ends the wait.
struct ClusterAfter {
  enum class On : std::uint8_t { ended_well, ended, failed, started };
  std::string id;
  On on = On::ended_well;
  std::int64_t later_s = 0;  // after that
  bool operator==(const ClusterAfter&) const = default;
};

// GPUs of one type, of each node.
struct GpuKind {
  std::string type;
  std::int64_t of_node = 0;
  bool operator==(const GpuKind&) const = default;
};

// The request of a waiting job.
struct ClusterRequest {
  std::int64_t nodes = 0;         // 0: unknown
  std::int64_t cpus = 0;          // of all nodes, hardware threads where the cluster counts them
  std::int64_t cpus_of_core = 0;  // that it uses at most of each core; 0: all
  bool whole_nodes = false;
  std::int64_t gpus_of_node = 0;
  bool gpus_unknown = false;         // it asks for some, and their number is not known
  std::vector<GpuKind> gpu_kinds{};  // those of gpus_of_node whose type it names
  std::int64_t memory_of_node_mb = 0;
  bool memory_said = false;            // the list says it, maybe 0
  std::string features{};              // as Slurm writes them
  std::string hosts{}, other_hosts{};  // hostlists: all of these; none of those
  std::string reservation{};
  bool held = false;  // by a user, or because a job that it depends on failed
  std::vector<ClusterAfter> after{};
  bool alone_of_name = false;  // after all others of its user and name
  bool unread = false;         // it waits for a condition that a plan cannot model
};

struct ClusterJob {
  std::string id;          // of a waiting task of an array: "7003_2"
  std::string array_id{};  // "7003"
  std::string task_id{};   // "7003_2"
  std::string name{};
  std::string queue{}, user{};
  bool running = false;
  bool over = false;  // from start_s to end_s; a start of 0: it never ran
  std::int64_t submit_s = 0, eligible_s = 0, start_s = 0, end_s = 0;
  std::int64_t limit_s = 0;  // the requested time; 0: unknown, or no limit
  std::string licenses{};    // as parse_hres_shares (request/hres.hpp) reads them
  std::int64_t priority = 0;
  std::vector<NodeShare> nodes{};  // of a running job
  std::int64_t spread = 0;         // cores or cpus of all nodes, where only their sum is known
  ClusterRequest request{};        // of a waiting job, and of any job in accounting
};

struct ClusterJobs {
  std::vector<ClusterJob> jobs;
  std::int64_t taken_s = 0;                       // when the list was made
  std::uint64_t skipped = 0;                      // jobs of it whose times contradict each other
  std::uint64_t unknown = 0;                      // jobs in a state that is not known
  std::vector<std::string> remarks{};             // sentences: parts that do not count
  std::vector<std::string> remarks_of_running{};  // the same for jobs that may run
};

// The lines are those of the jobs, where the file has lines.
// Errors: invalid, if two jobs have one id, at the second of them. O(jobs · log jobs).
[[nodiscard]] Result<void> check_job_ids(const ClusterJobs& list, std::string_view file,
                                         std::span<const std::uint32_t> lines = {});

// How Slurm counts the cpus of a node: each core is one or, with hardware threads, several; or each
// socket of several cores is one. Nodes of one cluster may differ.
struct CpusOfNode {
  std::int64_t of_core = 1;
  std::int64_t cores_each = 1;  // of a cpu
  bool known = false;           // the node has tags of Slurm; else its cpus are its cores

  // The fewest cores that have that many cpus.
  [[nodiscard]] std::int64_t cores(std::int64_t cpus) const {
    return (cpus + of_core - 1) / of_core * cores_each;
  }
  auto operator<=>(const CpusOfNode&) const = default;
};
[[nodiscard]] CpusOfNode cpus_of_node(const ResourceGraph& graph, PoolId node);

// An amount in units of a pool. Slurm's MB are 2^20 bytes. Rounded up; an unknown unit counts as MB.
[[nodiscard]] std::int64_t units_of_memory(std::int64_t memory_mb, std::string_view unit);

// Finds the pools of shares on a machine. It remembers the pools that it returned, so that each
// core without a number is given to one job only. Cores are found by their number if the node has
// sockets, or a tag "sockets" with the number of sockets; otherwise any free cores of the node are
// taken.
class ClusterPools {
 public:
  explicit ClusterPools(const ResourceGraph& graph);

  struct Found {
    std::vector<PoolId> pools;
    std::vector<PoolAmount> amounts;  // of divisible pools
    // A sentence for each missing host or core, and for each node with too few free units.
    std::vector<std::string> missing;
    bool gpus_unknown = false;  // its nodes have gpus, and its own are unknown
  };
  // The pools of a running job, all exclusive. O(pools of its nodes).
  [[nodiscard]] Found of(const ClusterJob& job);

 private:
  [[nodiscard]] std::vector<NodeShare> spread_by_size(const ClusterJob& job) const;
  void take(const NodeShare& share, Found& out);
  void take_cores(const NodeShare& share, PoolId node, Found& out);
  // Returns how many units were too few.
  [[nodiscard]] std::int64_t take_any(const std::vector<PoolId>& pools, std::int64_t units,
                                      Found& out);
  std::int64_t take_units(PoolId pool, std::int64_t units, Found& out);
  void prefer(std::vector<PoolId>& pools, const std::string& property) const;

  const ResourceGraph& graph_;
  std::unordered_map<std::string, PoolId> nodes_;
  std::unordered_set<std::uint32_t> given_;
  std::unordered_map<std::uint32_t, std::int64_t> units_;  // given, by divisible pool
};

}  // namespace copse
