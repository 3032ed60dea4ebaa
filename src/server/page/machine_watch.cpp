// SPDX-License-Identifier: Apache-2.0
#include "server/page/machine_watch.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/hostlist.hpp"
#include "base/job_id.hpp"

namespace copse::server {

namespace {

constexpr std::uint16_t kWhole = NodeRange::kWhole;

bool node_usable(const Engine& engine, PoolId node) {
  const ResourceGraph& graph = engine.graph();
  for (PoolId p = node; p != kNoPool; p = graph.parent(p)) {
    if (!usable(engine.status(p))) return false;
  }
  return true;
}

std::int64_t cores_in(const ResourceGraph& graph, TypeId core, PoolId top) {
  if (core == kNoType) return 0;
  const std::int64_t own = graph.type(top) == core ? graph.size(top) : 0;
  return own + (graph.leaf(top) ? 0 : graph.shape(top).total(core));
}

}  // namespace

void MachineWatch::begin(const Engine& engine, journal::Sequence next) {
  const ResourceGraph& graph = engine.graph();
  if (lanes_ == nullptr) {
    since_ = next;
    since_s_ = engine.now();
  }
  ++generation_;
  graph_ = &graph;
  pools_ = graph.pool_count();
  removed_ = graph.removed_count();
  lanes_ = std::make_unique<NodeRows>(graph);
  nodes_.assign(lanes_->count(), {});
  changed_.assign(lanes_->count(), next);
  cores_.clear();
  for (std::uint32_t lane = 0; lane < lanes_->count(); ++lane) {
    cores_.push_back(cores_in(graph, graph.find_type("core"), lanes_->pool(lane)));
  }
  allocations_.clear();  // node numbers may have changed
  past_.clear();
  past_ranges_ = 0;
}

void MachineWatch::update(const Engine& engine, journal::Sequence next, const IsDrained& drained) {
  const ResourceGraph& graph = engine.graph();
  const bool same = graph_ == &graph && pools_ == graph.pool_count() &&
                    removed_ == graph.removed_count() && lanes_ != nullptr;
  if (same && seen_ == next && seen_s_ == engine.now()) return;
  if (!same) begin(engine, next);
  seen_ = next;
  seen_s_ = engine.now();
  update_allocations(engine);
  update_nodes(engine, drained);
}

void MachineWatch::end(AllocatedNodes gone, std::int64_t now_s) {
  if (!gone.runs || is_reservation(gone.job)) return;
  gone.end_s = std::min(gone.end_s, now_s);
  past_ranges_ += gone.nodes.size();
  past_.push_back(std::move(gone));
  while (past_.size() > limits_.past || past_ranges_ > limits_.past_ranges) {
    past_ranges_ -= past_.front().nodes.size();
    past_.pop_front();
  }
}

void MachineWatch::restore_past(std::span<const EndedJob> ended) {
  std::unordered_map<std::string_view, std::uint32_t> lane_of;
  for (std::uint32_t lane = 0; lane < lanes_->count(); ++lane)
    lane_of.emplace(lanes_->name(lane), lane);
  past_.clear();
  past_ranges_ = 0;
  for (const EndedJob& each : ended) {
    AllocatedNodes gone{
        .job = each.job, .start_s = each.start_s, .end_s = each.end_s, .runs = true};
    for (const auto& [names, share] : each.placement.nodes) {
      const auto hosts = expand_hostlist(names);
      if (!hosts) continue;
      for (const std::string& host : *hosts) {
        const auto at = lane_of.find(host);
        if (at == lane_of.end()) continue;
        NodeRange* last = gone.nodes.empty() ? nullptr : &gone.nodes.back();
        if (last != nullptr && last->share == share && last->first + last->count == at->second) {
          ++last->count;
        } else {
          gone.nodes.push_back({at->second, 1, share, 0});
        }
      }
    }
    gone.draws = each.placement.draws;
    since_s_ = std::min(since_s_, each.start_s);
    end(std::move(gone), seen_s_);
  }
}

namespace {

// FNV-1a over numbers.
std::uint64_t digest_of(const Selection& selection) {
  std::uint64_t out = UINT64_C(14695981039346656037);
  const auto add = [&out](std::uint64_t number) { out = (out ^ number) * UINT64_C(1099511628211); };
  for (const SelectedPools& pools : selection.taken) {
    add(pools.first.v);
    add(pools.count);
    add(pools.exclusive ? 1 : 0);
  }
  return out;
}

}  // namespace

// Sets the nodes of a grant and, for shared nodes, its number of cores.
void MachineWatch::set_nodes(const Grant& grant, AllocatedNodes& out) const {
  const ResourceGraph& graph = *graph_;
  const TypeId core = graph.find_type("core");
  (void)lanes_->taken(grant.selection, out.nodes);
  out.draws = grant.charges.layers;
  auto entry = grant.selection.taken.begin();
  for (const NodeRange& run : out.nodes) {
    if (run.share >= kWhole) continue;
    for (std::uint32_t lane = run.first; lane < run.first + run.count; ++lane) {
      const PoolId node = lanes_->pool(lane);
      const auto end = grant.selection.taken.end();
      while (entry != end && entry->first < node) ++entry;
      std::int64_t cores = 0;
      std::uint32_t covered = 0;
      for (; entry != end && graph.below(entry->first, node); ++entry) {
        if (entry->hidden || !(entry->exclusive || entry->whole)) continue;
        if (entry->first.v < covered) continue;
        covered = entry->count > 1 ? entry->first.v + entry->count : graph.end(entry->first).v;
        cores += cores_in(graph, core, entry->first) * entry->count;
      }
      out.shared.emplace_back(lane, cores);
    }
  }
}

void MachineWatch::update_allocations(const Engine& engine) {
  const std::int64_t now_s = engine.now();
  auto known = allocations_.begin();
  const auto erase_current = [&] {
    end(std::move(known->second), now_s);
    known = allocations_.erase(known);
  };
  for (const JobId job : engine.jobs()) {  // ascending, as allocations_
    while (known != allocations_.end() && known->first < job) erase_current();
    const Grant& grant = *engine.grant(job);
    AllocatedNodes made{.job = job, .start_s = grant.start, .end_s = grant.end};
    made.digest = digest_of(grant.selection);
    if (known != allocations_.end() && known->first == job) {
      AllocatedNodes& old = known->second;
      // The id was reused by another grant.
      if (old.runs && old.start_s != made.start_s) end(old, now_s);
      if (old.start_s != made.start_s || old.digest != made.digest) {
        set_nodes(grant, made);
        old = std::move(made);
      } else if (old.draws != grant.charges.layers) {  // layers changed
        old.draws = grant.charges.layers;
      }
      old.runs = grant.start <= now_s;
      old.end_s = grant.end;
      ++known;
    } else {
      set_nodes(grant, made);
      made.runs = grant.start <= now_s;
      known = std::next(allocations_.emplace_hint(known, job, std::move(made)));
    }
  }
  while (known != allocations_.end()) erase_current();
}

void MachineWatch::update_nodes(const Engine& engine, const IsDrained& drained) {
  struct Sum {
    std::int64_t cores = 0, most = -1;
    JobId job = 0;
    bool whole = false, reserved = false;
  };
  std::vector<Sum> sums(nodes_.size());
  for (const auto& [job, allocated] : allocations_) {
    if (!allocated.runs) continue;
    const bool reserves = is_reservation(job);
    for (const NodeRange& run : allocated.nodes) {
      for (std::uint32_t lane = run.first; lane < run.first + run.count; ++lane) {
        sums[lane].reserved |= reserves;
        if (reserves || run.share < kWhole) continue;
        sums[lane].whole = true;
        sums[lane].job = job;
      }
    }
    if (reserves) continue;
    for (const auto& [lane, cores] : allocated.shared) {
      Sum& sum = sums[lane];
      sum.cores += cores;
      if (cores <= sum.most || sum.whole) continue;
      sum.most = cores;
      sum.job = job;
    }
  }
  for (std::uint32_t lane = 0; lane < nodes_.size(); ++lane) {
    const Sum& sum = sums[lane];
    const bool full = sum.whole || (sum.cores > 0 && sum.cores >= cores_[lane]);
    NodeSummary made{.job = sum.job};
    made.state = full ? NodeSummary::full : sum.job != 0 ? NodeSummary::partly : NodeSummary::free;
    made.share = full                ? 255
                 : cores_[lane] == 0 ? std::uint8_t{0}
                                     : static_cast<std::uint8_t>(sum.cores * 255 / cores_[lane]);
    if (sum.reserved) made.state |= NodeSummary::kReserved;
    const PoolId node = lanes_->pool(lane);
    if (!node_usable(engine, node)) {
      made.state |= NodeSummary::kDown;
      if (drained && drained(node)) made.state |= NodeSummary::kDrained;
    }
    if (made == nodes_[lane]) continue;
    nodes_[lane] = made;
    changed_[lane] = seen_;
  }
}

}  // namespace copse::server
