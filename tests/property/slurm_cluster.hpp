// SPDX-License-Identifier: Apache-2.0
//
// A cluster of Slurm with jobs, out of a seed, and its description in all the forms that Slurm writes. It
// has two or three kinds of nodes, which differ in all that nodes can differ in; so a reader that
// converts a job's number by a property of the whole machine is found out. Shares no code with readers.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "property/random.hpp"

namespace copse::property {

struct ClusterNode {
  std::string name;
  std::size_t kind = 0;
  std::int64_t sockets = 1, cores = 1, threads = 1;  // cores of a socket, threads of a core
  std::int64_t cpus = 1;
  std::int64_t memory_mb = 1, gpus = 0;
  std::string gpu_type{};
  std::set<std::string> words{};  // features and partitions, besides gpu_type
  std::set<std::string> features{}, partitions{};
  std::string flag{};  // of its state; "": none
  bool down = false;

  [[nodiscard]] std::int64_t all_cores() const { return sockets * cores; }
  // The fewest cores with so many cpus.
  [[nodiscard]] std::int64_t cores_of(std::int64_t cpus_of_job) const {
    if (cpus == sockets && cores > 1) return cpus_of_job * cores;
    const std::int64_t of_core = cpus / all_cores();
    return (cpus_of_job + of_core - 1) / of_core;
  }
};

struct ClusterJobCase {
  std::int64_t id = 0;
  bool running = false, over = false;
  std::size_t kind = 0;              // its partition has the nodes of that kind
  std::vector<std::size_t> nodes{};  // it runs or ran there
  std::int64_t node_count = 1;
  std::int64_t cpus_of_node = 1;  // the same on each
  std::int64_t gpus_of_node = 0;
  std::int64_t tasks_of_node = 1;
  std::int64_t minutes = 60;
  bool by_core = false;  // job_resources names its cores
  enum class Gres : std::uint8_t { of_node, of_job, of_task } gres = Gres::of_node;
};

struct SlurmCluster {
  std::vector<ClusterNode> nodes;
  std::vector<std::string> partitions;  // by kind
  std::vector<ClusterJobCase> jobs;
};

[[nodiscard]] SlurmCluster random_cluster(Random& random);

// How numbers are written: v0.0.37 has them plain, later versions as objects.
enum class SlurmVersion : std::uint8_t { v37, v39, v43 };

// slurm.conf with blanks, continued lines, comments and defaults wherever Slurm allows them.
[[nodiscard]] std::string slurm_conf_of(const SlurmCluster& cluster, Random& random);
[[nodiscard]] std::string nodes_json_of(const SlurmCluster& cluster, SlurmVersion version);
[[nodiscard]] std::string squeue_json_of(const SlurmCluster& cluster, SlurmVersion version);
// The jobs that are over.
[[nodiscard]] std::string sacct_text_of(const SlurmCluster& cluster);
[[nodiscard]] std::string sacct_json_of(const SlurmCluster& cluster, SlurmVersion version);

}  // namespace copse::property
