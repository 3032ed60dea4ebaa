// SPDX-License-Identifier: Apache-2.0
//
// Which nodes of a machine of Slurm the host names of a companion file are.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/slurm/slurm_lines.hpp"
#include "formats/slurm/slurm_machine.hpp"

namespace copse {

class SlurmHosts {
 public:
  // The machine must outlive this, and its nodes must not move. O(nodes).
  explicit SlurmHosts(const SlurmMachine& machine);

  struct Found {
    std::vector<std::size_t> nodes;  // places in SlurmMachine::nodes
    std::string_view first_unknown;  // a name that no line of slurm.conf describes
    std::size_t unknown = 0;

    // A sentence about the names that are not known; empty if all are.
    [[nodiscard]] std::string unknown_text() const;
  };
  // Nodes of State=FUTURE are left out. O(names).
  [[nodiscard]] Found find(const std::vector<std::string>& names) const;

 private:
  std::unordered_map<std::string_view, std::size_t> numbers_;
  std::unordered_set<std::string_view> future_;
};

// The hosts of a list in a line of slurm.conf. Errors, with the place of the line: invalid; limit
// (kSlurmNodesMax).
[[nodiscard]] Result<std::vector<std::string>> hosts_of_list(const std::string& text,
                                                             const SlurmLine& line);

// " and 3 more nodes"; empty for 0.
[[nodiscard]] std::string more_nodes(std::size_t count);

}  // namespace copse
