// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/default_requests.hpp"

#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "text/counted.hpp"

namespace copse::plan {

namespace {

// The request of the jobs of one queue that had this one.
struct Given {
  std::uint32_t request = 0;
  bool shares_nodes = false;  // it names none, and its queue gives whole nodes
};

Result<Given> give(Requests& requests, std::uint32_t number, const queue::QueueDefaults& defaults,
                   const std::string& queue) {
  RequestDefaults added = that_apply(defaults.of(queue), requests[number]);
  if (added.empty()) return Given{number};
  Given out{number};
  Request changed = requests[number];
  if (auto ok = add_defaults(changed, added, queue); !ok) {
    out.shares_nodes = std::exchange(added.whole_nodes, false);
    if (added.empty()) return out;
    if (ok = add_defaults(changed, added, queue); !ok) return std::unexpected(ok.error());
  }
  const auto made = requests.add(fmt::format("{} with the defaults of {}", number, queue), changed);
  if (!made) return std::unexpected(made.error());
  out.request = *made;
  return out;
}

}  // namespace

Result<void> add_queue_defaults(Jobs& jobs, const queue::QueueDefaults& defaults) {
  jobs.requests.also({}, {});
  jobs.requests.constrain({}, {});
  const std::uint32_t queue_of_others = jobs.word(defaults.queue());
  std::map<std::pair<std::uint32_t, std::uint32_t>, Given> given;
  std::map<std::uint32_t, std::uint64_t> sharing;  // jobs, by queue
  for (Job& job : jobs.jobs) {
    const std::uint32_t queue = job.queue == 0 ? queue_of_others : job.queue;
    auto known = given.find({job.request, queue});
    if (known == given.end()) {
      const auto made = give(jobs.requests, job.request, defaults, jobs.words[queue]);
      if (!made) return std::unexpected(made.error());
      known = given.emplace(std::pair(job.request, queue), *made).first;
    }
    job.request = known->second.request;
    if (known->second.shares_nodes) ++sharing[queue];
  }
  for (const auto& [queue, count] : sharing) {
    const std::string of = queue == 0 ? "" : fmt::format(" of queue {}", jobs.words[queue]);
    jobs.remarks.push_back(fmt::format(
        "{}{} {} no nodes: {} nodes, though the queue gives whole ones", counted(count, "job"), of,
        count == 1 ? "names" : "name", count == 1 ? "it shares" : "they share"));
  }
  return {};
}

}  // namespace copse::plan
