// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/plan/reservation_file.hpp"

#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/hostlist.hpp"
#include "files/read_file.hpp"
#include "graph/node_names.hpp"
#include "host/clock/real_clock.hpp"
#include "queue/job_queue.hpp"

namespace copse {

namespace {

// Of a queue without jobs.
class NoJobs : public queue::QueueSink {
 public:
  void started(JobId /*job*/, const Grant& /*grant*/) override {}
  void denied(JobId /*job*/, const Error& /*error*/) override {}
};

std::string loss_text(const ResourceGraph& graph, const std::string& name,
                      const queue::ReservationLoss& loss) {
  std::vector<std::string> nodes;
  nodes.reserve(loss.nodes.size());
  for (const PoolId p : loss.nodes) nodes.push_back(graph.name(p));
  return fmt::format("reservation {}: job {} keeps {} until {}", name, loss.job,
                     compress_hostlist(nodes), readable_time(loss.until_s));
}

}  // namespace

// Finds nodes by their names, which are indexed at the first call.
std::function<std::optional<PoolId>(std::string_view)> node_finder(const NodeRows& rows) {
  return [&rows, nodes = std::unordered_map<std::string_view, PoolId>()](
             std::string_view name) mutable -> std::optional<PoolId> {
    const std::uint32_t unknown = nodes.empty() ? rows.count() : 0;
    for (std::uint32_t row = 0; row < unknown; ++row) {
      nodes.emplace(rows.name(row), rows.pool(row));
    }
    const auto at = nodes.find(name);
    return at == nodes.end() ? std::nullopt : std::optional(at->second);
  };
}

Result<std::vector<queue::ReservationSpec>> read_reservation_file(
    const std::string& path, const Engine& engine, const NodeRows& rows,
    queue::ReservationReadOptions how, std::vector<SourceLocation>* places) {
  auto text = read_input(path);
  if (!text) return std::unexpected(text.error());
  const auto find = node_finder(rows);
  how.local_time = how.calendar = utc_of_local_time;
  how.clock_end_s = engine.options().horizon;
  if (rows.are_nodes()) how.nodes = rows.count();
  how.has_node = [&](std::string_view name) { return find(name).has_value(); };
  how.no_node = [&](std::string_view name) { return no_such_node(engine.graph(), name); };
  return queue::read_reservations(*text, input_name(path), how, places);
}

Result<JobNames> reserve_from_file(Engine& engine, const MachineSetup& setup,
                                   const std::string& path) {
  std::map<std::uint64_t, std::string> names;
  if (!path.empty()) {
    const NodeRows rows(engine.graph());
    std::vector<SourceLocation> places;
    const bool real = engine.now() >= kRealTime_s;
    auto specs = read_reservation_file(
        path, engine, rows,
        {.zero_s = real ? std::optional<std::int64_t>(0) : std::nullopt,
         .no_dates = "dates need a clock: give the time with --now, such as --now now"},
        &places);
    if (!specs) return std::unexpected(specs.error());
    NoJobs sink;
    queue::JobQueue queue(engine, {queue::QueueSpec{}}, sink);
    for (std::size_t i = 0; i < specs->size(); ++i) {
      queue::ReservationSpec& spec = (*specs)[i];
      queue::count_from(engine.now(), spec);
      const auto losses = queue.reserve(spec);
      if (!losses) {
        return fail(losses.error().code,
                    fmt::format("reservation \"{}\": {}", spec.name, losses.error().text),
                    places[i]);
      }
      for (const auto& loss : *losses) warn(setup, loss_text(engine.graph(), spec.name, loss));
    }
    for (const JobId id : engine.jobs()) {
      const auto owner = queue.view().reservations.table().owner(id);
      if (owner) names.emplace(id, "reservation " + owner->name);
    }
  }
  return [names = std::move(names)](std::uint64_t id) {
    const auto name = names.find(id);
    return name == names.end() ? std::to_string(id) : name->second;
  };
}

void add_reservations_option(CommandLine& line, std::string& path) {
  line.option("--reservations", path,
              "a file of reservations: nodes that other jobs must avoid for a time")
      .reads_file();
}

}  // namespace copse
