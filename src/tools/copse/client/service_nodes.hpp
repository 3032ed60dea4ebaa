// SPDX-License-Identifier: Apache-2.0
//
// The nodes of a service's machine, and where its jobs are.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/idset.hpp"
#include "tools/copse/client/service/service_client.hpp"

namespace copse {

struct ServiceNode {
  std::string name, path, status;   // status: up, down
  std::vector<std::string> states;  // free, allocated, down, reserved: of its parts
  std::int64_t rank = -1;           // -1: none
  std::string jobs;                 // ids of jobs on it: "1-3,7"
};

struct NodeList {
  std::vector<ServiceNode> nodes;
  std::vector<std::string> texts;  // the answers, a page each
};
// All of them, in the order of the machine. Errors: those of ServiceClient::get.
[[nodiscard]] Result<NodeList> list_nodes(const ServiceClient& service);
// One, as the answer has it. Errors: the same, with not_found.
[[nodiscard]] Result<ServiceAnswer> ask_node(const ServiceClient& service, std::string_view name);

// The ranks of each grant by its id: of running jobs, and of grants outside the queue.
[[nodiscard]] Result<std::map<std::int64_t, Idset>> ranks_of_grants(const ServiceClient& service);
// "node[0-3]"; ranks that no node has stay numbers.
[[nodiscard]] std::string nodelist_of(const std::map<std::int64_t, std::string>& names,
                                      const Idset& ranks);

}  // namespace copse
