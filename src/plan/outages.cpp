// SPDX-License-Identifier: Apache-2.0
#include "plan/outages.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace copse::plan {

namespace {

// The rows that are not up, with the times since when; and all outages that have ended.
class OutageBuilder {
 public:
  void change(std::uint32_t row, std::int64_t time_s, Event::Type type) {
    if (const auto since = since_.find(row); since != since_.end()) {
      if (time_s > since->second.time_s) add(row, since->second, time_s);
      since_.erase(since);
    }
    if (type != Event::Type::up) since_[row] = {time_s, type == Event::Type::drain};
  }

  std::vector<Outage> finish() {
    for (const auto& [row, since] : since_) add(row, since, INT64_MAX);
    std::vector<Outage> out;
    for (auto& [times, rows] : rows_of_) {
      std::ranges::sort(rows);
      const auto [start_s, end_s, drained] = times;
      Outage& outage = out.emplace_back(Outage{start_s, end_s, drained});
      for (const std::uint32_t row : rows) {
        std::vector<NodeRange>& runs = outage.nodes;
        if (!runs.empty() && runs.back().first + runs.back().count == row) {
          ++runs.back().count;
        } else {
          runs.push_back({row, 1});
        }
      }
    }
    return out;
  }

 private:
  struct Since {
    std::int64_t time_s = 0;
    bool drained = false;
  };
  void add(std::uint32_t row, const Since& since, std::int64_t end_s) {
    rows_of_[{since.time_s, end_s, since.drained}].push_back(row);
  }

  std::unordered_map<std::uint32_t, Since> since_;
  std::map<std::tuple<std::int64_t, std::int64_t, bool>, std::vector<std::uint32_t>> rows_of_;
};

}  // namespace

std::vector<Outage> outages(const Jobs& jobs, const NodeRows& rows,
                            const std::vector<std::uint32_t>& down_at_first) {
  OutageBuilder builder;
  for (const std::uint32_t row : down_at_first) builder.change(row, 0, Event::Type::down);
  if (std::ranges::none_of(jobs.events, &Event::of_nodes)) return builder.finish();
  std::unordered_map<std::uint32_t, std::uint32_t> row_of;
  for (std::uint32_t row = 0; row < rows.count(); ++row) {
    row_of.emplace(rows.pool(row).v, row);
  }
  for (const Event& event : jobs.events) {
    if (!event.of_nodes()) continue;
    for (const PoolId node : jobs.nodes_of(event)) {
      const auto row = row_of.find(node.v);
      if (row != row_of.end()) builder.change(row->second, event.time_s, event.type);
    }
  }
  return builder.finish();
}

}  // namespace copse::plan
