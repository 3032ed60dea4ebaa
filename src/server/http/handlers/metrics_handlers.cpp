// SPDX-License-Identifier: Apache-2.0
//
// /metrics: figures of the machine, its jobs and the service, in Prometheus' text format.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/job_id.hpp"
#include "server/http/handlers/handlers.hpp"
#include "server/http/handlers/metrics_text.hpp"
#include "session/status/machine_status.hpp"

namespace copse::server {

namespace {

// The states of `copse jobs`, and held.
constexpr std::array<std::string_view, 4> kJobStates{"pending", "planned", "held", "running"};

std::size_t state_number(const JobRow& row) {
  if (row.stage == JobStage::running) return 3;
  if (row.held) return 2;
  return row.stage == JobStage::planned ? 1 : 0;
}

struct JobFigures {
  std::array<std::uint64_t, kJobStates.size()> jobs{};
  std::map<std::string, std::int64_t> units{};  // of running jobs, by type: cores, GPUs
  std::int64_t oldest_s = -1;                   // when the job that waits longest was submitted

  void add(const JobRow& row) {
    ++jobs.at(state_number(row));
    const bool waits = row.stage != JobStage::running && !row.held;
    if (waits) oldest_s = oldest_s < 0 ? row.submitted : std::min(oldest_s, row.submitted);
  }
};

// What a grant has of a type.
std::int64_t units_of(const ResourceGraph& graph, const Grant& grant, TypeId type) {
  std::int64_t out = 0;
  for (const SelectedPools& taken : grant.selection.taken) {
    if (!taken.exclusive && !taken.whole) continue;
    for (std::uint32_t v = taken.first.v; v < taken.first.v + taken.count; ++v) {
      const PoolId pool{v};
      if (graph.type(pool) == type) out += graph.size(pool);
      if (taken.whole && !graph.leaf(pool)) out += graph.shape(pool).total(type);
    }
  }
  return out;
}

using FiguresByName = std::map<std::string, JobFigures>;

// By queue, and by user.
std::pair<FiguresByName, FiguresByName> figures_of(const Service& service) {
  std::pair<FiguresByName, FiguresByName> out;
  const Engine& engine = service.session().engine();
  const ResourceGraph& graph = engine.graph();
  const TypeId gpu = graph.find_type("gpu");
  for (const queue::QueueSpec& queue : service.jobs().queues()) out.first[queue.name];
  for (const auto& [id, row] : service.jobs().table().rows()) {
    if (row->stage == JobStage::ended) continue;
    const Grant* grant = row->stage == JobStage::running ? engine.grant(id) : nullptr;
    const std::int64_t cores =
        grant == nullptr ? 0 : units_of(graph, *grant, graph.find_type("core"));
    const std::int64_t gpus = grant == nullptr || gpu == kNoType ? 0 : units_of(graph, *grant, gpu);
    for (JobFigures* figures : {&out.first[row->queue], &out.second[row->user]}) {
      figures->add(*row);
      if (grant != nullptr) figures->units["core"] += cores;
      if (grant != nullptr && gpu != kNoType) figures->units["gpu"] += gpus;
    }
  }
  return out;
}

void append_figures(MetricsText& text, std::string_view by, const FiguresByName& figures) {
  const std::string prefix = by == "queue" ? "copse_" : "copse_user_";
  text.head(prefix + "jobs", "gauge", fmt::format("Unfinished jobs, by {} and state.", by));
  for (const auto& [name, one] : figures) {
    for (std::size_t state = 0; state < kJobStates.size(); ++state) {
      text.sample(prefix + "jobs", labels({{by, name}, {"state", kJobStates.at(state)}}),
                  one.jobs.at(state));
    }
  }
  text.head(prefix + "jobs_units", "gauge",
            fmt::format("Cores and GPUs of running jobs, by {} and type.", by));
  for (const auto& [name, one] : figures) {
    for (const auto& [type, count] : one.units) {
      text.sample(prefix + "jobs_units", labels({{by, name}, {"type", type}}),
                  static_cast<std::uint64_t>(count));
    }
  }
}

void append_jobs(MetricsText& text, const Service& service, bool shows_users) {
  const auto [by_queue, by_user] = figures_of(service);
  append_figures(text, "queue", by_queue);
  if (shows_users) append_figures(text, "user", by_user);
  text.head("copse_waiting_jobs", "gauge", "Jobs that wait, also for a promised start, by queue.");
  for (const auto& [name, one] : by_queue) {
    text.sample("copse_waiting_jobs", labels({{"queue", name}}), one.jobs[0] + one.jobs[1]);
  }
  const std::int64_t now_s = service.session().engine().now();
  text.head("copse_oldest_wait_seconds", "gauge",
            "How long the job waits that has waited longest, by queue.");
  for (const auto& [name, one] : by_queue) {
    const std::int64_t wait_s =
        one.oldest_s < 0 ? 0 : std::max<std::int64_t>(now_s - one.oldest_s, 0);
    text.sample("copse_oldest_wait_seconds", labels({{"queue", name}}),
                static_cast<std::uint64_t>(wait_s));
  }
  const JobWaits& waits = service.jobs().waits();
  text.head("copse_job_wait_seconds", "summary",
            "How long jobs waited that have started since the service did.");
  text.sample("copse_job_wait_seconds_sum", {}, waits.sum_s);
  text.sample("copse_job_wait_seconds_count", {}, waits.count);
}

void append_machine(MetricsText& text, const MachineStatus& status) {
  text.head("copse_grants", "gauge", "Grants, running and planned.");
  text.sample("copse_grants", R"({state="running"})", status.running);
  text.sample("copse_grants", R"({state="planned"})", status.planned);
  text.head("copse_nodes", "gauge", "Nodes by state; each node has one.");
  for (std::size_t state = 0; state < status.nodes.size(); ++state) {
    text.sample("copse_nodes", labels({{"state", MachineStatus::kNodeWords.at(state)}}),
                status.nodes.at(state));
  }
  text.head("copse_units", "gauge", "Cores, GPUs and others by type and state; each has one.");
  for (std::size_t state = 0; state < status.parts.size(); ++state) {
    for (std::size_t type = 0; type < status.types.size(); ++type) {
      text.sample(
          "copse_units",
          labels({{"type", status.types[type]}, {"state", MachineStatus::kWords.at(state)}}),
          static_cast<std::uint64_t>(status.parts.at(state).units[type]));
    }
  }
}

void append_levels(MetricsText& text, const MachineStatus& status) {
  if (status.levels.empty()) return;
  text.head("copse_largest_free_nodes", "gauge",
            "The most nodes that are free as a whole in one pool of a level: racks, switches.");
  for (const MachineStatus::Level& level : status.levels) {
    text.sample("copse_largest_free_nodes", labels({{"level", level.level}}),
                static_cast<std::uint64_t>(level.largest));
  }
  text.head("copse_fragmentation_ratio", "gauge",
            "The share of the nodes that are free as a whole outside of that pool.");
  for (const MachineStatus::Level& level : status.levels) {
    text.ratio("copse_fragmentation_ratio", labels({{"level", level.level}}),
               level.fragmentation());
  }
}

void append_layers(MetricsText& text, const Engine& engine) {
  const std::vector<LayerView> layers = engine.layers(engine.now());
  if (layers.empty()) return;
  const auto name = [](const LayerView& layer) {
    return labels({{"resource", layer.resource}, {"nodes", layer.nodes}});
  };
  text.head("copse_layer_total", "gauge",
            "The counts of layers of hierarchical resources; none: no limit.");
  for (const LayerView& layer : layers) {
    if (layer.total == kUnlimitedCount) continue;
    text.sample("copse_layer_total", name(layer), static_cast<std::uint64_t>(layer.total));
  }
  text.head("copse_layer_used", "gauge", "How much of them is used now.");
  for (const LayerView& layer : layers) {
    text.sample("copse_layer_used", name(layer), static_cast<std::uint64_t>(layer.used));
  }
}

}  // namespace

HttpResponse get_metrics(HttpContext& context, const HttpCall& call) {
  HttpResponse out;
  out.type = "text/plain; version=0.0.4";
  MetricsText text(out.body);
  Service& service = context.service;
  text.head("copse_build_info", "gauge", "The version of the service.");
  text.sample("copse_build_info", labels({{"version", context.version}}), 1);
  const MachineStatus& status = service.session().status();
  append_machine(text, status);
  append_levels(text, status);
  append_layers(text, service.session().engine());
  append_jobs(text, service, !service.viewer_of(call.request.caller).misses_some());
  text.counter("copse_journal_records_total", "Changes since the first state.", service.next());
  text.gauge("copse_clock_ahead_seconds",
             "By how much the clock of the state is ahead of the computer's.",
             static_cast<std::uint64_t>(service.clock_ahead_s()));
  text.gauge("copse_clock_jump_seconds",
             "By how much the computer's clock jumped ahead; the service does not follow.",
             static_cast<std::uint64_t>(service.clock_jumped_s()));
  text.head("copse_http_requests_total", "counter", "HTTP requests, by route and status.");
  for (const auto& [key, count] : context.counts) {
    text.sample("copse_http_requests_total",
                labels({{"op", key.first}, {"code", std::to_string(key.second)}}), count);
  }
  if (context.more_metrics) context.more_metrics(out.body);
  return out;
}

}  // namespace copse::server
