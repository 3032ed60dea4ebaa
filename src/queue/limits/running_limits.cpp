// SPDX-License-Identifier: Apache-2.0
#include "queue/limits/running_limits.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/saturating.hpp"
#include "text/counted.hpp"

namespace copse::queue {

namespace {

constexpr std::array<std::string_view, 4> kWords{"node", "core", "gpu", "job"};

struct NodeAverage {
  std::int64_t cores = 0, gpus = 0;  // of a node of the machine, rounded up
};

void add_sizes(std::span<const Resource> resources, std::int64_t times, const NodeAverage& average,
               RunningSize& to) {
  for (const Resource& r : resources) {
    const std::int64_t count = saturating_product(times, r.count.most());
    RunningSize inner{};
    add_sizes(r.with, count, average, inner);
    if (r.type == "core") inner[1] = saturating_sum(inner[1], count);
    if (r.type == "gpu") inner[2] = saturating_sum(inner[2], count);
    if (r.type == "node") {
      inner[0] = saturating_sum(inner[0], count);
      const bool whole = r.with.empty() || r.exclusive == Exclusivity::yes;
      if (whole) inner[1] = std::max(inner[1], saturating_product(count, average.cores));
      if (whole) inner[2] = std::max(inner[2], saturating_product(count, average.gpus));
    }
    for (std::size_t i = 0; i < to.size(); ++i) to.at(i) = saturating_sum(to.at(i), inner.at(i));
  }
}

std::string words_of(const std::string& user, const std::string& group, const std::string& queue) {
  std::string out = "all jobs together";
  if (!user.empty()) out = "user " + user;
  if (!group.empty()) out = fmt::format("{}group {}", user.empty() ? "" : out + " of ", group);
  if (queue.empty()) return out;
  return fmt::format("{} in queue \"{}\"",
                     user.empty() && group.empty() ? std::string("all jobs") : out, queue);
}

}  // namespace

RunningSize running_size(const Request& request, const ResourceGraph& graph) {
  const auto count = [&](const char* type) {
    const TypeId id = graph.find_type(type);
    return id == kNoType ? std::int64_t{0} : std::int64_t{std::ssize(graph.of_type(id))};
  };
  const std::int64_t nodes = std::max<std::int64_t>(count("node"), 1);
  RunningSize out{};
  add_sizes(request.resources, 1,
            {(count("core") + nodes - 1) / nodes, (count("gpu") + nodes - 1) / nodes}, out);
  out = {std::min(out[0], count("node")), std::min(out[1], count("core")),
         std::min(out[2], count("gpu")), 1};
  return out;
}

const std::vector<std::string>& RunningLimits::groups(std::string_view user) const {
  auto known = groups_.find(user);
  if (known == groups_.end()) {
    known = groups_
                .emplace(user, groups_of_ && !user.empty() ? groups_of_(user)
                                                           : std::vector<std::string>())
                .first;
  }
  return known->second;
}

std::vector<RunningLimits::Account> RunningLimits::accounts(std::string_view user,
                                                            std::string_view queue) const {
  std::vector<Account> out;
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const RunningLimit& limit = limits_[i];
    const auto meets = [](const std::string& wanted, std::string_view is) {
      return wanted.empty() || wanted == kEach || wanted == is;
    };
    if (!meets(limit.user, user) || !meets(limit.queue, queue)) continue;
    Account account{i,
                    limit.user.empty() ? "" : std::string(user),
                    {},
                    limit.queue.empty() ? "" : std::string(queue)};
    if (limit.group.empty()) {
      out.push_back(std::move(account));
      continue;
    }
    for (const std::string& group : groups(user)) {
      if (!meets(limit.group, group)) continue;
      account.group = group;
      out.push_back(account);
    }
  }
  return out;
}

std::string RunningLimits::reached(std::string_view user, std::string_view queue,
                                   const RunningSize& size) const {
  for (const Account& account : accounts(user, queue)) {
    const auto used = used_.find(account);
    for (std::size_t i = 0; used != used_.end() && i < size.size(); ++i) {
      const auto most = limits_[account.limit].most.at(i);
      if (!most || saturating_sum(used->second.at(i), size.at(i)) <= *most) continue;
      return fmt::format(
          "{} may have {} at once (running-limits): {} run or are promised a start, "
          "and it needs {}",
          words_of(account.user, account.group, account.queue), counted(*most, kWords.at(i)),
          used->second.at(i), size.at(i));
    }
  }
  return {};
}

std::string RunningLimits::never(std::string_view user, std::string_view queue,
                                 const RunningSize& size) const {
  for (const Account& account : accounts(user, queue)) {
    for (std::size_t i = 0; i < size.size(); ++i) {
      const auto most = limits_[account.limit].most.at(i);
      if (!most || size.at(i) <= *most) continue;
      return fmt::format(
          "it may get {}, more than the {} that {} may have at once "
          "(running-limits)",
          counted(size.at(i), kWords.at(i)), *most,
          words_of(account.user, account.group, account.queue));
    }
  }
  return {};
}

void RunningLimits::count(std::string_view user, std::string_view queue, const RunningSize& size,
                          std::int64_t times) {
  for (Account& account : accounts(user, queue)) {
    RunningSize& used = used_[account];
    for (std::size_t i = 0; i < size.size(); ++i) {
      used.at(i) = saturating_sum(used.at(i), times * size.at(i));
    }
    if (std::ranges::all_of(used, [](std::int64_t one) { return one <= 0; })) used_.erase(account);
  }
}

void RunningLimits::add(std::string_view user, std::string_view queue, const RunningSize& size) {
  count(user, queue, size, 1);
}

void RunningLimits::remove(std::string_view user, std::string_view queue, const RunningSize& size) {
  count(user, queue, size, -1);
}

}  // namespace copse::queue
