// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/service/job_list.hpp"

#include "text/json_writer.hpp"

namespace copse {

namespace {

std::string line_of_page(const JobFilter& filter, std::int64_t after) {
  return object_text([&](JsonWriter& json) {
    json.member("op", "jobs");
    if (filter.all) json.member("state", "all");
    if (!filter.state.empty()) json.member("state", filter.state);
    if (!filter.user.empty()) json.member("user", filter.user);
    if (!filter.queue.empty()) json.member("queue", filter.queue);
    json.member("after", after);
    json.member("limit", 10'000);
  });
}

}  // namespace

Result<ListedJobs> list_jobs(const ServiceClient& service, const JobFilter& filter) {
  ListedJobs out;
  std::int64_t after = 0;
  for (bool more = true; more;) {
    auto answer = service.ask(line_of_page(filter, after));
    if (!answer) return std::unexpected(answer.error());
    const ServiceAnswer& page = out.keep(std::move(*answer));
    const std::int64_t before = after;
    for (const TreeView job : page.top().list("jobs")) {
      out.jobs.push_back(job);
      after = job.number("id").value_or(after);
    }
    more = page.top().is_true("more") && after > before;
  }
  return out;
}

}  // namespace copse
