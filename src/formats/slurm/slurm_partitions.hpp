// SPDX-License-Identifier: Apache-2.0
//
// SlurmPartitions: which nodes the partitions of slurm.conf have. A partition is a property of its nodes; its
// Nodes are hosts and sets of nodes, or ALL.
//
// A feature may have the name of a partition, on nodes that are not in it. Then the property says too
// little, and SlurmMachine::hosts_of_partitions has the nodes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/slurm/slurm_lines.hpp"
#include "formats/slurm/slurm_machine.hpp"

namespace copse {

class SlurmPartitions {
 public:
  using Numbers = std::unordered_map<std::string, std::size_t>;  // of nodes, by name

  // REQUIRES that the machine has all nodes, without partitions; all must outlive this. `future`: nodes that
  // were left out. O(nodes).
  SlurmPartitions(SlurmMachine& machine, const Numbers& numbers,
                  const std::set<std::string>& future);

  // Lines of NodeSet; those of all sets come first. Errors: invalid, limit.
  [[nodiscard]] Result<void> add_set(const SlurmLine& line);
  // Lines of PartitionName. Errors: invalid (a node that no line describes), limit.
  [[nodiscard]] Result<void> add(const SlurmLine& line);
  // After the last line: the remarks of the machine, and its hosts of partitions.
  void finish();

 private:
  void add_to(const std::string& host, const std::string& partition);
  void remark_on_others();
  void tell_apart();

  SlurmMachine& machine_;
  const Numbers& numbers_;
  const std::set<std::string>& future_;
  SlurmDefaults defaults_;
  std::map<std::string, std::vector<std::string>> sets_;
  std::set<std::string> in_partitions_, features_;
  std::map<std::string, std::set<std::string>> members_;  // of partitions that are features, too
};

}  // namespace copse
