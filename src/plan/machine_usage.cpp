// SPDX-License-Identifier: Apache-2.0
#include "plan/machine_usage.hpp"

#include <algorithm>
#include <bit>

namespace copse::plan {

MachineUsage::MachineUsage(const NodeRows& rows, std::int64_t first_s)
    : first_s_(first_s),
      on_row_(rows.count(), 0),
      tracks_used_(rows.count(), 0),
      placement_(rows) {}

void MachineUsage::occupy(UsedRows& job) {
  split_.clear();
  for (const NodeRange& run : job.ranges) {
    for (std::uint32_t row = run.first; row < run.first + run.count; ++row) {
      std::uint64_t& used = tracks_used_[row];
      const auto track = static_cast<std::uint16_t>(std::min<std::uint32_t>(
          static_cast<std::uint32_t>(std::countr_one(used)), kTracksMax - 1));
      used |= UINT64_C(1) << track;
      tracks_max_ = std::max(tracks_max_, track + 1U);
      if (on_row_[row]++ == 0) {
        ++busy_nodes_;
        placement_.take(row);
      }
      if (!split_.empty() && split_.back().first + split_.back().count == row &&
          split_.back().share == run.share && split_.back().track == track) {
        ++split_.back().count;
      } else {
        split_.push_back({row, 1, run.share, track});
      }
    }
  }
  job.ranges.assign(split_.begin(), split_.end());
  cores_ += job.cores;
}

void MachineUsage::release(const UsedRows& job) {
  for (const NodeRange& run : job.ranges) {
    for (std::uint32_t row = run.first; row < run.first + run.count; ++row) {
      tracks_used_[row] &= ~(UINT64_C(1) << run.track);
      if (--on_row_[row] > 0) continue;
      --busy_nodes_;
      placement_.give(row);
    }
  }
  cores_ -= job.cores;
}

void MachineUsage::pass_to(std::int64_t time_s) {
  const auto passed_s =
      static_cast<double>(std::max<std::int64_t>(time_s - std::max(time_s_, first_s_), 0));
  node_seconds_ += passed_s * busy_nodes_;
  core_seconds_ += passed_s * static_cast<double>(cores_);
  placement_.pass(passed_s);
  time_s_ = time_s;
}

double MachineUsage::fragmentation() {
  const std::size_t levels = placement_.levels();
  return levels == 0 ? 0 : placement_.fragmentation(levels - 1);
}

}  // namespace copse::plan
