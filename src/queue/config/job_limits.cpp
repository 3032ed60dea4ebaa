// SPDX-License-Identifier: Apache-2.0
#include "queue/config/job_limits.hpp"

#include <span>

#include <fmt/format.h>

#include "base/duration.hpp"
#include "base/saturating.hpp"
#include "text/counted.hpp"

namespace copse::queue {

namespace {

// Calls `read` for every member of a table; unknown keys are errors.
template <class Read>
Result<void> for_each_key(TreeView node, std::string_view what, KnownKeys keys, Read read) {
  const auto table = node.read_table(what);
  if (!table) return std::unexpected(table.error());
  for (const auto& [key, value] : table->members()) {
    if (find_key(keys, key.text()) == nullptr) {
      return value.fail(unknown_key("key", key.text(), keys));
    }
    if (Result<void> ok = read(key.text(), value); !ok) return ok;
  }
  return {};
}

// Refuses a minimum above the maximum, which no job could meet.
Result<void> check_sizes(TreeView sizes, const JobLimits::Stated& stated) {
  for (std::size_t i = 0; i < kSizeKeys.size(); ++i) {
    const auto least = stated.least.at(i), most = stated.most.at(i);
    if (!least || !most || *most == JobLimits::kUnlimited || *least <= *most) continue;
    return sizes.fail(fmt::format("min.{0} {1} is more than max.{0} {2}: no job could be submitted",
                                  kSizeKeys.at(i).name, *least, *most));
  }
  return {};
}

Result<void> read_sizes(TreeView sizes, std::string_view bound,
                        decltype(JobLimits::Stated::most)& to) {
  return for_each_key(
      sizes, bound, kSizeKeys, [&](std::string_view key, TreeView value) -> Result<void> {
        const auto number = value.integer();
        if (!number || *number < JobLimits::kUnlimited) {
          return value.fail(
              fmt::format("{} must be a whole number of 0 or more, or -1 for unlimited", key));
        }
        to.at(static_cast<std::size_t>(find_key(kSizeKeys, key) - kSizeKeys.data())) = number;
        return {};
      });
}

Result<void> read_duration(TreeView value, JobLimits::Stated& to) {
  if (!value.is_quoted_string() && !value.integer()) {
    return value.fail("duration must be a text, such as \"4h\", or a number of seconds");
  }
  const auto duration_s = parse_duration(value.text());
  if (!duration_s) return value.fail("duration: " + duration_s.error().text);
  to.duration_s = *duration_s;
  return {};
}

Result<void> read_limits(TreeView limits, JobLimits::Stated& to) {
  return for_each_key(limits, "limits", kLimitKeys, [&](std::string_view key, TreeView value) {
    if (key == "duration") return read_duration(value, to);
    auto read = for_each_key(value, key, kJobSizeKeys, [&](std::string_view bound, TreeView sizes) {
      return read_sizes(sizes, bound, bound == "max" ? to.most : to.least);
    });
    return read ? check_sizes(value, to) : read;
  });
}

}  // namespace

Result<void> read_policy(TreeView policy, JobLimits::Stated& to) {
  return for_each_key(policy, "policy", kPolicyKeys,
                      [&](std::string_view key, TreeView value) -> Result<void> {
                        if (key == "limits") return read_limits(value, to);
                        if (value.is_mapping()) return {};
                        return value.fail(fmt::format("{} must be a table", key));
                      });
}

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
    return {limit_of(all->second), "policy.limits"};
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
