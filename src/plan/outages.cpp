// SPDX-License-Identifier: Apache-2.0
#include "plan/outages.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace copse::plan {

namespace {

// The lanes that are not up, and since when; and all times that are over.
class OutageBook {
 public:
  void change(std::uint32_t lane, std::int64_t time_s, Event::What what) {
    if (const auto since = since_.find(lane); since != since_.end()) {
      if (time_s > since->second.time_s) add(lane, since->second, time_s);
      since_.erase(since);
    }
    if (what != Event::What::up) since_[lane] = {time_s, what == Event::What::drain};
  }

  std::vector<Outage> finish() {
    for (const auto& [lane, since] : since_) add(lane, since, INT64_MAX);
    std::vector<Outage> out;
    for (auto& [times, lanes] : lanes_of_) {
      std::ranges::sort(lanes);
      const auto [start_s, end_s, drained] = times;
      Outage& outage = out.emplace_back(Outage{start_s, end_s, drained});
      for (const std::uint32_t lane : lanes) {
        std::vector<LaneRun>& runs = outage.lanes;
        if (!runs.empty() && runs.back().first + runs.back().count == lane) {
          ++runs.back().count;
        } else {
          runs.push_back({lane, 1});
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
  void add(std::uint32_t lane, const Since& since, std::int64_t end_s) {
    lanes_of_[{since.time_s, end_s, since.drained}].push_back(lane);
  }

  std::unordered_map<std::uint32_t, Since> since_;
  std::map<std::tuple<std::int64_t, std::int64_t, bool>, std::vector<std::uint32_t>> lanes_of_;
};

}  // namespace

std::vector<Outage> outages(const Jobs& jobs, const Lanes& lanes,
                            const std::vector<std::uint32_t>& down_at_first) {
  OutageBook book;
  for (const std::uint32_t lane : down_at_first) book.change(lane, 0, Event::What::down);
  if (std::ranges::none_of(jobs.events, &Event::of_nodes)) return book.finish();
  std::unordered_map<std::uint32_t, std::uint32_t> lane_of;
  for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) {
    lane_of.emplace(lanes.pool(lane).v, lane);
  }
  for (const Event& event : jobs.events) {
    if (!event.of_nodes()) continue;
    for (const PoolId node : jobs.nodes_of(event)) {
      const auto lane = lane_of.find(node.v);
      if (lane != lane_of.end()) book.change(lane->second, event.time_s, event.what);
    }
  }
  return book.finish();
}

}  // namespace copse::plan
