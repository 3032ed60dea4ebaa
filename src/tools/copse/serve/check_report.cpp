// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/serve/check_report.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "request/constraint.hpp"
#include "session/status/machine_status.hpp"
#include "text/counted.hpp"

namespace copse {

namespace {

// A line, whose first column is empty if it is that of the line before.
class Columns {
 public:
  void add(std::string_view what, std::string_view text) {
    constexpr std::size_t kWidth = 8;
    out_ += fmt::format("{:<{}} {}\n", what == last_ ? "" : what, kWidth, text);
    last_ = what;
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_, last_;
};

std::size_t nodes_of(const ResourceGraph& graph, const Constraint& wanted) {
  const TypeId node = graph.find_type("node");
  if (node == kNoType) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(graph.of_type(node), [&](PoolId p) {
    return graph.in_tree(p) && holds(wanted, {graph.name(p), graph.rank(p), graph.properties(p)});
  }));
}

void add_machine(const Engine& engine, Columns& lines) {
  const MachineStatus status = status_of(engine);
  std::size_t nodes = 0;
  for (const std::size_t one : status.nodes) nodes += one;
  lines.add("nodes", std::to_string(nodes));
  for (std::size_t type = 0; type < status.types.size(); ++type) {
    std::int64_t units = 0;
    for (const MachineStatus::Part& part : status.parts) units += part.units[type];
    const std::string& name = status.types[type];
    const std::string plural = name == "core" || name == "gpu" ? name + "s" : name;
    lines.add(plural, fmt::format("{}{}{}", units, status.unit_of[type].empty() ? "" : " ",
                                  status.unit_of[type]));
  }
  for (const LayerView& layer : engine.layers(engine.now())) {
    const std::string count =
        layer.total == kUnlimitedCount ? "no limit" : std::to_string(layer.total);
    lines.add("layers", fmt::format("{}: {} on {}", layer.resource, count, layer.nodes));
  }
}

}  // namespace

std::string check_report(const Engine& engine, const queue::QueueConfig& queues,
                         const std::string& file) {
  Columns lines;
  add_machine(engine, lines);
  for (const queue::QueueSpec& queue : queues.queues) {
    std::string text = queue.name.empty() ? "one, without a name" : queue.name;
    text += ": ";
    text += queue.parent ? "waits in " + *queue.parent : queue.discipline.name;
    text += ", " + counted(nodes_of(engine.graph(), queue.constraint), "node");
    lines.add("queues", text);
  }
  for (const std::string& key : queues.of_the_machine) {
    lines.add("ignored", fmt::format("{} in {}", key, file));
  }
  for (const std::string& table : queues.tables_of_flux) {
    lines.add("ignored", fmt::format("the table {} in {}", table, file));
  }
  return lines.take();
}

}  // namespace copse
