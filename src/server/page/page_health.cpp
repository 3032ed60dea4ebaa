// SPDX-License-Identifier: Apache-2.0
//
// For operators: nodes that are down and the jobs on them, the journal, and latencies.
#include <algorithm>
#include <ranges>
#include <set>

#include "base/hostlist.hpp"
#include "server/http/handlers/handlers.hpp"
#include "server/page/page_handlers.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kDrainsMax = 500, kJobsOfDrainMax = 20;

// A range of neighbours with the same status and reason, and the jobs on them.
struct DownNodes {
  std::uint32_t first = 0, count = 0;
  std::string_view status;
  DrainRow row{};  // with its reason, user and time; by "": no user set them down
  std::set<JobId> jobs{};
};

bool same_reason(const DrainRow& a, const DrainRow& b) {
  return a.reason == b.reason && a.by == b.by && a.at == b.at;
}

std::vector<DownNodes> drains_of(HttpContext& context) {
  const MachineWatch& machine = context.page->machine();
  const LiveDrains& drains = context.service.jobs().drains();
  std::vector<DownNodes> out;
  for (std::uint32_t lane = 0; lane < machine.nodes().size(); ++lane) {
    const NodeSummary& look = machine.nodes()[lane];
    if ((look.state & NodeSummary::kDown) == 0) continue;
    const PoolId node = machine.node_rows().pool(lane);
    const std::string_view status = drains.only_drained(node) ? "drained" : "down";
    const DrainRow* known = drains.row_of(node);
    const DrainRow row = known == nullptr ? DrainRow{} : *known;
    const bool more = !out.empty() && out.back().first + out.back().count == lane &&
                      out.back().status == status && same_reason(out.back().row, row);
    if (!more) out.push_back({lane, 0, status, row});
    ++out.back().count;
    if (look.job != 0) out.back().jobs.insert(look.job);
  }
  return out;
}

void append_latency(JsonWriter& json, std::string_view name, const LatencyHistogram& latency) {
  json.object(name, [&] {
    json.member("count", latency.count());
    json.member("p50_us", latency.percentile_us(50));
    json.member("p90_us", latency.percentile_us(90));
    json.member("p99_us", latency.percentile_us(99));
    json.member("largest_us", latency.largest_us());
  });
}

}  // namespace

HttpResponse get_page_health(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  const std::vector<DownNodes> drains = drains_of(context);
  const NodeRows& lanes = context.page->machine().node_rows();
  return page_object(call, [&](JsonWriter& json) {
    json.member("now", context.service.session().engine().now());
    write_clock_warnings(json, context.service);
    json.member("drains_total", drains.size());
    json.array("drains", std::span(drains).first(std::min(drains.size(), kDrainsMax)),
               [&](const DownNodes& drain) {
                 std::string names;
                 lanes.append_names(names, {NodeRange{.first = drain.first, .count = drain.count}});
                 json.object([&] {
                   json.member("nodes", names);
                   json.member("count", drain.count);
                   const bool runs = drain.status == "drained" && !drain.jobs.empty();
                   json.member("status", runs ? std::string_view("draining") : drain.status);
                   if (!drain.row.reason.empty()) json.member("reason", drain.row.reason);
                   if (!drain.row.by.empty()) {
                     json.member("by", drain.row.by);
                     json.member("at", drain.row.at);
                   }
                   json.member("jobs_total", drain.jobs.size());
                   json.array("jobs", drain.jobs | std::views::take(kJobsOfDrainMax),
                              [&](JobId job) { json.value(std::to_string(job)); });
                 });
               });
    json.object("journal", [&] {
      json.member("records", context.service.next());
      json.member("incarnation", context.service.incarnation());
      json.member("kept_since", context.events.first());
      json.member("disk_space", context.service.has_disk_space());
    });
    append_latency(json, "commits", context.page->commits);
    append_latency(json, "requests", context.page->requests);
    if (context.page->more_health) context.page->more_health(json);
    json.array("counts", context.counts, [&](const auto& counted) {
      json.object([&] {
        json.member("op", counted.first.first);
        json.member("status", counted.first.second);
        json.member("count", counted.second);
      });
    });
  });
}

}  // namespace copse::server
