// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_hosts.hpp"

#include <fmt/format.h>

#include "text/counted.hpp"
#include "text/slurm_hostlist.hpp"

namespace copse {

SlurmHosts::SlurmHosts(const SlurmMachine& machine) {
  for (std::size_t i = 0; i < machine.nodes.size(); ++i) numbers_.emplace(machine.nodes[i].name, i);
  future_.insert(machine.future.begin(), machine.future.end());
}

SlurmHosts::Found SlurmHosts::find(const std::vector<std::string>& names) const {
  Found out;
  for (const std::string& name : names) {
    const auto node = numbers_.find(name);
    if (node != numbers_.end()) {
      out.nodes.push_back(node->second);
    } else if (!future_.contains(name) && out.unknown++ == 0) {
      out.first_unknown = name;
    }
  }
  return out;
}

std::string SlurmHosts::Found::unknown_text() const {
  if (unknown == 0) return {};
  return fmt::format("slurm.conf does not describe node {}{}: ignored", first_unknown,
                     more_nodes(unknown - 1));
}

Result<std::vector<std::string>> hosts_of_list(const std::string& text, const SlurmLine& line) {
  auto hosts = expand_slurm_hosts(text, kSlurmNodesMax);
  if (!hosts) return fail(hosts.error().code, hosts.error().text, line.place);
  return hosts;
}

std::string more_nodes(std::size_t count) {
  if (count == 0) return {};
  return " and " + counted(count, "more node");
}

}  // namespace copse
