// SPDX-License-Identifier: Apache-2.0
#include "queue/config/job_limits.hpp"

#include <span>

#include <fmt/format.h>

#include "base/duration.hpp"
#include "base/saturating.hpp"
#include "text/counted.hpp"

namespace copse::queue {

namespace {

// A limit and the table that contains it.
struct Found {
  std::optional<std::int64_t> limit{};
  std::string table{};
};

void add_sizes(std::span<const Resource> resources, std::int64_t times, std::int64_t cores_a_node,
               JobSize& to) {
  auto& [nodes, cores, gpus] = to;
  for (const Resource& r : resources) {
    const std::int64_t count = saturating_product(times, r.count.min);
    if (r.type == "core") {
      cores = saturating_sum(cores, count);
    } else if (r.type == "gpu") {
      gpus = saturating_sum(gpus, count);
    } else if (r.type == "node") {
      nodes = saturating_sum(nodes, count);
    }
    const std::int64_t before = cores;
    add_sizes(r.with, count, cores_a_node, to);
    if (r.type == "node" && cores == before) {
      cores = saturating_sum(cores, saturating_product(count, cores_a_node));
    }
  }
}

std::string shown(std::int64_t count, std::size_t what) {
  constexpr std::array<std::string_view, kSizeKeys.size()> kWords{"node", "core", "gpu"};
  return counted(count, kWords.at(what));
}

}  // namespace

JobSize size_of(const Request& request, const ResourceGraph& graph) {
  const auto count = [&](const char* type) {
    const TypeId id = graph.find_type(type);
    return id == kNoType ? 0 : std::ssize(graph.of_type(id));
  };
  const std::int64_t nodes = count("node");
  const std::int64_t cores_a_node = nodes == 0 ? 0 : (count("core") + nodes / 2) / nodes;
  JobSize out{};
  add_sizes(request.resources, 1, cores_a_node, out);
  return out;
}

std::string JobLimits::broken(std::string_view queue, const JobSize& size,
                              std::int64_t duration_s) const {
  const auto all = of_queue_.find(""), own = of_queue_.find(queue);
  // A limit of the queue overrides that of all queues.
  const auto find = [&](auto limit_of) -> Found {
    if (own != of_queue_.end() && !queue.empty()) {
      if (const auto limit = limit_of(own->second)) {
        return {limit, fmt::format("queues.{}.policy.limits", queue)};
      }
    }
    if (all == of_queue_.end()) return {};
    return {limit_of(all->second), table_};
  };
  const Found longest = find([](const Stated& stated) { return stated.duration_s; });
  const bool endless = duration_s <= 0;
  if (longest.limit && *longest.limit > 0 && (endless || duration_s > *longest.limit)) {
    return fmt::format("it asks for {}, longer than the {} of {}.duration",
                       endless ? "a time without end" : duration_text(duration_s),
                       duration_text(*longest.limit), longest.table);
  }
  for (std::size_t i = 0; i < size.size(); ++i) {
    const Found most = find([&](const Stated& stated) { return stated.most.at(i); });
    if (most.limit && *most.limit != kUnlimited && size.at(i) > *most.limit) {
      return fmt::format("it asks for {}, more than the {} of {}.job-size.max.{}",
                         shown(size.at(i), i), *most.limit, most.table, kSizeKeys.at(i).name);
    }
    const Found least = find([&](const Stated& stated) { return stated.least.at(i); });
    if (least.limit && *least.limit != kUnlimited && size.at(i) < *least.limit) {
      return fmt::format("it asks for {}, fewer than the {} of {}.job-size.min.{}",
                         shown(size.at(i), i), *least.limit, least.table, kSizeKeys.at(i).name);
    }
  }
  return {};
}

std::string LimitCheck::broken(std::string_view queue, std::uint32_t number, const Request& request,
                               std::int64_t duration_s) {
  if (limits_.empty()) return {};
  auto size = sizes_.find(number);
  if (size == sizes_.end()) size = sizes_.emplace(number, size_of(request, graph_)).first;
  return limits_.broken(queue, size->second, duration_s);
}

}  // namespace copse::queue
