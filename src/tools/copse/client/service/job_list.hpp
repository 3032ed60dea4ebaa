// SPDX-License-Identifier: Apache-2.0
//
// The jobs of a service, page by page.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/copse/client/service/service_client.hpp"

namespace copse {

// The selected jobs; "": any.
struct JobFilter {
  std::string state, user, queue;
  bool all = false;  // those that have ended as well
};

// The answers with the jobs, and each job as an object in them.
struct ListedJobs {
  std::vector<std::unique_ptr<ServiceAnswer>> answers;
  std::vector<TreeView> jobs;

  const ServiceAnswer& keep(ServiceAnswer answer) {
    return *answers.emplace_back(std::make_unique<ServiceAnswer>(std::move(answer)));
  }
};

// By id, ascending. Errors: those of ServiceClient::ask. Cost: a request for 10,000 jobs.
[[nodiscard]] Result<ListedJobs> list_jobs(const ServiceClient& service, const JobFilter& filter);

}  // namespace copse
