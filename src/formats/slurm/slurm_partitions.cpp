// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_partitions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "formats/slurm/slurm_hosts.hpp"
#include "formats/slurm/slurm_sizes.hpp"
#include "text/xml_text.hpp"

namespace copse {

namespace {

bool has(const SlurmNode& node, const std::string& property) {
  return std::ranges::find(node.properties, property) != node.properties.end();
}

}  // namespace

SlurmPartitions::SlurmPartitions(SlurmMachine& machine, const Numbers& numbers,
                                 const std::set<std::string>& future)
    : machine_(machine), numbers_(numbers), future_(future) {
  for (const SlurmNode& node : machine.nodes) {
    features_.insert(node.properties.begin(), node.properties.end());
  }
}

Result<void> SlurmPartitions::add_set(const SlurmLine& line) {
  std::vector<std::string>& hosts = sets_[line.settings.front().value];
  if (const std::string* nodes = line.find("Nodes")) {
    auto more = hosts_of_list(*nodes, line);
    if (!more) return std::unexpected(more.error());
    hosts.insert(hosts.end(), more->begin(), more->end());
  }
  if (const std::string* feature = line.find("Feature")) {
    for (const SlurmNode& node : machine_.nodes) {
      if (has(node, *feature)) hosts.push_back(node.name);
    }
  }
  return {};
}

Result<void> SlurmPartitions::add(const SlurmLine& line) {
  const std::string& name = line.settings.front().value;
  if (same_key(name, "DEFAULT")) {
    defaults_.add(line);
    return {};
  }
  const std::string* nodes = defaults_.find(line, "Nodes");
  if (nodes == nullptr || nodes->empty()) return {};
  if (same_key(*nodes, "ALL")) {
    for (const SlurmNode& node : machine_.nodes) add_to(node.name, name);
    return {};
  }
  std::string list = *nodes;
  std::ranges::replace_if(list, xml::is_space, ',');
  const auto hosts = hosts_of_list(list, line);
  if (!hosts) return std::unexpected(hosts.error());
  for (const std::string& host : *hosts) {
    const auto set = sets_.find(host);
    if (set != sets_.end()) {
      for (const std::string& member : set->second) add_to(member, name);
    } else if (numbers_.contains(host)) {
      add_to(host, name);
    } else if (!future_.contains(host)) {
      return fail(ErrorCode::invalid,
                  fmt::format("partition {} has the node {}, which no line describes", name, host),
                  line.place);
    }
  }
  return {};
}

void SlurmPartitions::add_to(const std::string& host, const std::string& partition) {
  const auto node = numbers_.find(host);
  if (node == numbers_.end()) return;
  add_words(machine_.nodes[node->second].properties, partition);
  in_partitions_.insert(host);
  if (features_.contains(partition)) members_[partition].insert(host);
}

void SlurmPartitions::finish() {
  remark_on_others();
  tell_apart();
}

// Slurm runs no jobs on nodes without a partition, such as login nodes.
void SlurmPartitions::remark_on_others() {
  std::vector<std::string> others;
  for (const SlurmNode& node : machine_.nodes) {
    if (!in_partitions_.contains(node.name)) others.push_back(node.name);
  }
  if (in_partitions_.empty() || others.empty()) return;
  machine_.remarks.push_back(
      fmt::format("{} {} in no partition, and used like other nodes: queues with \"requires\" or "
                  "\"hosts\" leave {} out",
                  compress_hostlist(others), others.size() == 1 ? "is" : "are",
                  others.size() == 1 ? "it" : "them"));
}

void SlurmPartitions::tell_apart() {
  for (const auto& [partition, members] : members_) {
    std::vector<std::string> others, hosts;
    for (const SlurmNode& node : machine_.nodes) {
      const bool member = members.contains(node.name);
      if (member || has(node, partition)) (member ? hosts : others).push_back(node.name);
    }
    if (others.empty()) continue;
    machine_.remarks.push_back(fmt::format(
        "{} {} the feature {}, and {} not in the partition of that name: only queues of this file "
        "tell them apart",
        compress_hostlist(others), others.size() == 1 ? "has" : "have", partition,
        others.size() == 1 ? "is" : "are"));
    machine_.hosts_of_partitions.emplace(partition, std::move(hosts));
  }
}

}  // namespace copse
