// SPDX-License-Identifier: Apache-2.0
#include "queue/config/limits_reader.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/duration.hpp"

namespace copse::queue {

namespace {

constexpr std::size_t kRunningLimitsMax = 1'000;
constexpr std::int64_t kDefaultMemoryMax_mb = INT64_C(1) << 40;

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

Result<void> read_job_size(TreeView size, JobLimits::Stated& to) {
  auto read =
      for_each_key(size, "job-size", kJobSizeKeys, [&](std::string_view bound, TreeView sizes) {
        return read_sizes(sizes, bound, bound == "max" ? to.most : to.least);
      });
  return read ? check_sizes(size, to) : read;
}

Result<void> read_limits(TreeView limits, JobLimits::Stated& to) {
  return for_each_key(limits, "limits", kLimitKeys, [&](std::string_view key, TreeView value) {
    return key == "duration" ? read_duration(value, to) : read_job_size(value, to);
  });
}

Result<void> read_names(TreeView names, std::string_view key, std::vector<std::string>& to) {
  if (!names.is_sequence()) return names.fail(fmt::format("{} must be an array of names", key));
  for (const TreeView name : names.entries()) {
    auto text = name.read_text("a name");
    if (!text) return std::unexpected(text.error());
    to.push_back(std::move(*text));
  }
  return {};
}

Result<void> read_access(TreeView access, const std::string& queue, QueueAccess& to) {
  QueueAccess::Stated stated;
  auto read = for_each_key(access, "access", kAccessKeys, [&](std::string_view key, TreeView list) {
    return read_names(list, key, key == "allow-user" ? stated.users : stated.groups);
  });
  if (read) to.set(queue, std::move(stated));
  return read;
}

// Memory of the cpus and of the nodes exclude each other, as Slurm's settings do.
Result<void> read_memory(TreeView system, const std::string& queue, JobDefaults& to) {
  DefaultMemory memory;
  bool stated = false;
  for (const auto& [key, amount] :
       {std::pair{"memory-per-cpu", &memory.of_cpu_mb}, {"memory-per-node", &memory.of_node_mb}}) {
    const auto value = system.find(key);
    if (!value) continue;
    const auto number = value->read_whole(key, 0, kDefaultMemoryMax_mb);
    if (!number) return std::unexpected(number.error());
    *amount = *number;
    if (memory.of_cpu_mb > 0 && memory.of_node_mb > 0) {
      return value->fail("memory-per-cpu and memory-per-node exclude each other");
    }
    stated = true;
  }
  if (stated) to.memory[queue] = memory;
  return {};
}

// Other defaults (of a shell, say) have no effect here.
Result<void> read_jobspec(TreeView jobspec, const std::string& queue, JobDefaults& to) {
  const auto table = jobspec.read_table("jobspec");
  if (!table) return std::unexpected(table.error());
  const auto defaults = table->find("defaults");
  const auto system = defaults ? defaults->find("system") : std::nullopt;
  if (!system || !system->is_mapping()) return {};
  if (const auto name = system->find("queue"); name && queue.empty()) {
    auto text = name->read_text("queue");
    if (!text) return std::unexpected(text.error());
    to.queue = std::move(*text);
  }
  if (auto ok = read_memory(*system, queue, to); !ok) return ok;
  if (const auto whole = system->find("whole-nodes")) {
    const auto truth = whole->read_truth("whole-nodes");
    if (!truth) return std::unexpected(truth.error());
    to.whole_nodes[queue] = *truth;
  }
  const auto duration = system->find("duration");
  if (!duration) return {};
  JobLimits::Stated stated;
  if (auto ok = read_duration(*duration, stated); !ok) return ok;
  to.duration_s[queue] = stated.duration_s.value_or(0);
  return {};
}

Result<void> read_running_limit(TreeView limit, RunningLimit& to) {
  bool any = false;
  auto read = for_each_key(
      limit, "running-limits", kRunningLimitKeys,
      [&](std::string_view key, TreeView value) -> Result<void> {
        const auto which =
            static_cast<std::size_t>(find_key(kRunningLimitKeys, key) - kRunningLimitKeys.data());
        if (which < 3) {
          auto text = value.read_text(key);
          if (!text) return std::unexpected(text.error());
          if (text->empty()) {
            return value.fail(fmt::format("{} is empty: leave it out for all together", key));
          }
          (which == 0 ? to.user : which == 1 ? to.group : to.queue) = std::move(*text);
          return {};
        }
        const auto number = value.integer();
        if (!number || *number < 0) {
          return value.fail(fmt::format("{} must be a whole number of 0 or more", key));
        }
        to.most.at(which - 3) = number;
        any = true;
        return {};
      });
  if (!read || any) return read;
  return limit.fail("a limit of running-limits needs nnodes, ncores, ngpus or njobs");
}

}  // namespace

Result<void> read_policy(TreeView policy, const std::string& queue, PolicyParts to) {
  JobLimits::Stated& stated = to.limits.of(queue);
  return for_each_key(policy, "policy", kPolicyKeys,
                      [&](std::string_view key, TreeView value) -> Result<void> {
                        if (key == "limits") return read_limits(value, stated);
                        if (key == "access") return read_access(value, queue, to.access);
                        return read_jobspec(value, queue, to.defaults);
                      });
}

Result<void> read_running_limits(TreeView limits, std::vector<RunningLimit>& to) {
  if (!limits.is_sequence()) {
    return limits.fail("running-limits must be an array of tables: [[running-limits]]");
  }
  for (const TreeView limit : limits.entries()) {
    if (to.size() == kRunningLimitsMax) {
      return limit.fail(fmt::format("there are more than {} running-limits", kRunningLimitsMax),
                        ErrorCode::limit);
    }
    if (auto ok = read_running_limit(limit, to.emplace_back()); !ok) return ok;
  }
  return {};
}

Result<void> read_grants(TreeView grants, GrantBounds& to) {
  to.stated = true;
  JobLimits::Stated& limits = to.limits.of("");
  auto read = for_each_key(grants, "grants", kGrantKeys, [&](std::string_view key, TreeView value) {
    if (key == "duration") return read_duration(value, limits);
    return key == "queues" ? read_names(value, key, to.queues) : read_job_size(value, limits);
  });
  if (!read || limits.duration_s) return read;
  return grants.fail("grants needs a duration: the longest time that users may take");
}

}  // namespace copse::queue
