// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace copse::bench {

WholeNodeJob whole_node_job(const Engine& engine, const Match& match, std::int64_t nodes_wanted) {
  WholeNodeJob job{nodes_wanted, match.start, match.end};
  std::vector<ExpandedPool> expanded;
  expand(engine.graph(), match.selection, expanded);
  for (const ExpandedPool& e : expanded) {
    if (engine.graph().type_name(e.pool) != "node" || !e.exclusive) continue;
    job.nodes.push_back(static_cast<std::uint32_t>(engine.graph().id(e.pool)));
  }
  return job;
}

namespace {

struct Interval {
  std::int64_t start, end;
};
using Busy = std::vector<Interval>;  // of one node, ascending

// A node is free for a duration if it starts at any time of [from, until].
struct Window {
  std::int64_t from, until;
};

// The windows of all nodes that begin before `before`.
void windows(const std::vector<Busy>& nodes, std::int64_t duration, std::int64_t before,
             std::vector<std::int64_t>& from, std::vector<std::int64_t>& until) {
  from.clear();
  until.clear();
  for (const Busy& busy : nodes) {
    std::int64_t free_from = 0;
    for (const Interval& i : busy) {
      if (free_from >= before) break;
      if (i.start - free_from >= duration) {
        from.push_back(free_from);
        until.push_back(i.start - duration);
      }
      free_from = i.end;
    }
    if (free_from < before) {
      from.push_back(free_from);
      until.push_back(INT64_MAX);
    }
  }
  std::sort(from.begin(), from.end());
  std::sort(until.begin(), until.end());
}

// The first time before `before` at which `wanted` nodes are free for the duration; -1: none.
std::int64_t first_fit(const std::vector<Busy>& nodes, const WholeNodeJob& job,
                       std::vector<std::int64_t>& from, std::vector<std::int64_t>& until) {
  windows(nodes, job.end - job.start, job.start, from, until);
  std::int64_t open = 0;
  std::size_t closed = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    while (until[closed] < from[i]) {
      ++closed;
      --open;
    }
    if (++open >= job.nodes_wanted) return from[i];
  }
  return -1;
}

}  // namespace

std::string check_queue(const std::vector<WholeNodeJob>& jobs, std::int64_t nodes) {
  std::vector<Busy> busy(static_cast<std::size_t>(nodes));
  std::vector<std::int64_t> from, until;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const WholeNodeJob& job = jobs[i];
    if (static_cast<std::int64_t>(job.nodes.size()) != job.nodes_wanted) {
      return fmt::format("job {} wanted {} nodes and has {}", i + 1, job.nodes_wanted,
                         job.nodes.size());
    }
    if (const std::int64_t t = first_fit(busy, job, from, until); t >= 0) {
      return fmt::format("job {} starts at {}, and could at {}", i + 1, job.start, t);
    }
    for (std::uint32_t node : job.nodes) {
      Busy& of_node = busy.at(node);
      const auto next =
          std::lower_bound(of_node.begin(), of_node.end(), job.start,
                           [](const Interval& a, std::int64_t t) { return a.end <= t; });
      if (next != of_node.end() && next->start < job.end) {
        return fmt::format("job {} shares node {} with another", i + 1, node);
      }
      of_node.insert(next, {job.start, job.end});
    }
  }
  return "ok";
}

}  // namespace copse::bench
