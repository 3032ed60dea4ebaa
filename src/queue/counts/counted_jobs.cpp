// SPDX-License-Identifier: Apache-2.0
#include "queue/counts/counted_jobs.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "queue/counts/node_choice.hpp"

namespace copse::queue {

CountedJobs::CountedJobs(const CountedJobs& other, Engine& clone, JobTable& jobs,
                         JobKindTable& kinds)
    : engine_(clone),
      jobs_(jobs),
      kinds_(kinds),
      counts_(other.counts_),
      needs_(other.needs_),
      busy_(other.busy_),
      reserved_(other.reserved_),
      outside_(other.outside_),
      outside_reserved_(other.outside_reserved_),
      outside_times_(other.outside_times_),
      outside_uses_(other.outside_uses_),
      groups_changed_(other.groups_changed_),
      uncounted_(other.uncounted_) {}

// --- What the jobs of the queue ask

void CountedJobs::joined(Slot slot) {
  const std::uint32_t kind = jobs_[slot].kind;
  if (!kinds_[kind].counted) {
    ++uncounted_;
    return;
  }
  if (!counts_) {
    groups_changed_ = groups_changed_ || kinds_[kind].jobs <= 1;
    return;
  }
  if (kind >= needs_.size()) needs_.resize(kinds_.end());
  if (kinds_[kind].jobs > 1 && needs_[kind]) return;
  needs_[kind] = counts_->need(*kinds_[kind].counted);
  groups_changed_ = groups_changed_ || !needs_[kind];
}

void CountedJobs::kinds_changed() {
  assert(!counts_);
  uncounted_ = 0;
  for (const auto& [id, slot] : jobs_.slots())
    uncounted_ += kinds_[jobs_[slot].kind].counted ? 0 : 1;
  outside_.number_again(engine_, kinds_.nodes());
}

// A time that is over leaves the groups as they are, as the outlook has planned.
void CountedJobs::set_reserved(std::optional<std::vector<ReservedTime>> times) {
  const auto over = [this](const ReservedTime& time) { return time.until_s <= engine_.now(); };
  if (reserved_) std::erase_if(*reserved_, over);
  if (times) std::erase_if(*times, over);
  if (times == reserved_) return;
  reserved_ = std::move(times);
  groups_changed_ = true;
}

bool CountedJobs::machine_allows() const {
  return reserved_ && kinds_.nodes().countable() && !engine_.next_layer_change(engine_.now());
}

bool CountedJobs::possible() const {
  return uncounted_ == 0 && !outside_.any_uncounted() && machine_allows();
}

std::optional<NodeCounts> CountedJobs::counts_without_jobs() const {
  const bool allowed = machine_allows() && !outside_.any_uncounted();
  auto groups = allowed ? make_groups() : nullptr;
  if (groups == nullptr) return std::nullopt;
  return NodeCounts(std::move(groups));
}

std::shared_ptr<const NodeGroups> CountedJobs::make_groups() const {
  NodeGroups::Requested out;
  bool first = true;
  for (std::uint32_t k = 0; k < kinds_.end(); ++k) {
    if (kinds_[k].jobs == 0 || !kinds_[k].counted) continue;
    const CountedRequest& request = *kinds_[k].counted;
    if (std::ranges::find(out.sets, *request.among) == out.sets.end()) {
      if (out.sets.size() == NodeGroups::kGroupsMax) return nullptr;
      out.sets.push_back(*request.among);
    }
    for (const CountedRequest::Amount& each : request.amounts) {
      if (std::ranges::find(out.resources, each.resource) == out.resources.end())
        out.resources.push_back(each.resource);
      if (first && each.each_node) out.by_all = each;
    }
    first = false;
    if (!out.by_all) continue;
    const auto same = std::ranges::find(request.amounts, *out.by_all);
    if (same == request.amounts.end()) out.by_all.reset();
  }
  auto times = outside_.times_of(kinds_.nodes(), outside_.to_come(engine_));
  times.insert(times.end(), reserved_->begin(), reserved_->end());
  return NodeGroups::make(engine_, kinds_.nodes(), out, times);
}

// --- Counts

bool CountedJobs::begin(std::span<const Slot> promised, std::span<const Nodes> nodes) {
  auto groups = make_groups();
  if (groups == nullptr) return false;
  groups_changed_ = false;
  counts_.emplace(std::move(groups));
  needs_.assign(kinds_.end(), std::nullopt);
  for (std::uint32_t k = 0; k < kinds_.end(); ++k) {
    if (kinds_[k].jobs > 0 && kinds_[k].counted) needs_[k] = counts_->need(*kinds_[k].counted);
  }
  busy_.assign(kinds_.nodes().size(), false);
  for (const auto& [id, slot] : jobs_.slots()) {
    QueuedJob& job = jobs_[slot];
    job.counted = {};
    if (job.state == JobState::running && engine_.grant(id) != nullptr) add_running(job);
  }
  outside_reserved_ = outside_.to_come(engine_);
  outside_times_.clear();
  outside_uses_.clear();
  count_outside(outside_.nodes());
  for (std::size_t n = 0; n < promised.size(); ++n) {
    QueuedJob& job = jobs_[promised[n]];
    add(job, promised_use(counts_->groups(), nodes[n], need(job.kind)));
  }
  return true;
}

void CountedJobs::add(QueuedJob& job, CountedUse use) {
  job.counted = std::move(use);
  counts_->add(job.start_s, job.end_s, job.counted);
}

void CountedJobs::add_running(QueuedJob& job) {
  const Nodes nodes = nodes_of(job.id);
  if (!counts_->groups().is_one()) set_busy(nodes, true);
  add(job, running_use(counts_->groups(), nodes, engine_.grant(job.id)->charges.layers));
}

// A search of its nodes would cost more than the start.
void CountedJobs::add_started(QueuedJob& job) {
  if (!counts_->groups().is_one()) return add_running(job);
  add(job, {.nodes = need(job.kind).nodes});
}

void CountedJobs::remove_running(const QueuedJob& job) {
  remove(job);
  if (!counts_->groups().is_one()) set_busy(nodes_of(job.id), false);
}

// --- Grants outside the queue

void CountedJobs::outside_changed(JobId id) {
  const Nodes nodes = outside_.put(engine_, kinds_.nodes(), id);
  if (!counts_ || outside_reserved_.contains(id)) groups_changed_ = true;
  if (counts_) count_outside(nodes);
}

// One that has ended by itself leaves the groups as they are, as the outlook has planned.
void CountedJobs::outside_ended(JobId id, bool early) {
  if (!outside_.contains(id)) return;
  const Nodes nodes = outside_.remove(id);
  const bool reserved = outside_reserved_.erase(id) > 0;
  if (!counts_ || (early && reserved)) groups_changed_ = true;
  if (counts_) count_outside(nodes);
}

void CountedJobs::forget_ended_outside() {
  const Nodes nodes = outside_.remove_ended(engine_);
  if (counts_) count_outside(nodes);
}

// Of a node that another grant has, only the time after that is more in use.
bool CountedJobs::outside_fits(const Match& match) {
  const ResourceGraph& graph = engine_.graph();
  if (!takes_nodes_only(graph, match.selection, match.charges)) return false;
  std::map<std::int64_t, Nodes> more;
  for (const std::uint32_t n : kinds_.nodes().of(graph, match.selection)) {
    const auto held = outside_times_.find(n);
    const std::int64_t now_s = engine_.now();
    const std::int64_t free_s =
        held == outside_times_.end() ? now_s : std::max(now_s, held->second.until_s);
    if (free_s < match.end) more[free_s].push_back(n);
  }
  std::vector<NodeCounts::Start> added;
  bool fits = true;
  for (const auto& [from_s, nodes] : more) {
    auto use = use_of_outside(nodes);
    if (!use) continue;
    fits = fits && counts_->fits(from_s, match.end, *use);
    if (!fits) break;
    counts_->add(from_s, match.end, *use);
    added.push_back({from_s, match.end, std::move(*use)});
  }
  for (const NodeCounts::Start& each : added) counts_->remove(each.start_s, each.end_s, each.use);
  return fits;
}

// A node that they have as long as before is left alone.
void CountedJobs::count_outside(const Nodes& nodes) {
  NodesByTime less, more;
  for (const std::uint32_t n : nodes) {
    auto until_s = outside_.until(n, outside_reserved_);
    if (until_s && *until_s <= engine_.now()) until_s.reset();
    const auto had = outside_times_.find(n);
    if (had != outside_times_.end()) {
      if (until_s == had->second.until_s) continue;
      less[had->second].push_back(n);
      outside_times_.erase(had);
    }
    if (until_s) {
      const OutsideTime time{engine_.now(), *until_s};
      more[time].push_back(n);
      outside_times_.emplace(n, time);
    }
  }
  for (const auto& [time, of] : less) change_outside(time, of, -1);
  for (const auto& [time, of] : more) change_outside(time, of, 1);
}

// Nodes of one time are one use: a use can only be removed as it was added.
void CountedJobs::change_outside(const OutsideTime& time, const Nodes& nodes, int sign) {
  const auto change = use_of_outside(nodes);
  if (!change) return;
  CountedUse& use = outside_uses_[time];
  if (use.nodes > 0) counts_->remove(time.from_s, time.until_s, use);
  use.nodes += sign * change->nodes;
  for (const auto& [group, amount] : change->parts) {
    const auto at =
        std::ranges::lower_bound(use.parts, group, {}, [](const auto& part) { return part.first; });
    if (at != use.parts.end() && at->first == group) {
      at->second += sign * amount;
    } else {
      use.parts.emplace(at, group, sign * amount);
    }
  }
  std::erase_if(use.parts, [](const auto& part) { return part.second == 0; });
  if (use.nodes > 0) {
    counts_->add(time.from_s, time.until_s, use);
  } else {
    outside_uses_.erase(time);
  }
}

// nullopt: none of the nodes is usable, so that nothing is counted.
std::optional<CountedUse> CountedJobs::use_of_outside(const Nodes& nodes) const {
  CountedUse use = running_use(counts_->groups(), nodes, {});
  if (use.nodes == 0) return std::nullopt;
  return use;
}

std::vector<NodeCounts::Start> CountedJobs::outside_use() const {
  std::vector<NodeCounts::Start> out;
  out.reserve(outside_uses_.size());
  for (const auto& [time, use] : outside_uses_) out.push_back({time.from_s, time.until_s, use});
  return out;
}

MatchResult CountedJobs::start(const QueuedJob& job, PreparedRequest& request,
                               const CountedUse& use) const {
  if (counts_->groups().sets()[need(job.kind).set].groups.size() == 1)
    return engine_.match(Operation::allocate, request, job.id);
  auto restricted = on_nodes(request, idle_nodes(use));
  if (!restricted) return std::unexpected(NoMatch(restricted.error()));
  return engine_.match(Operation::allocate, *restricted, job.id);
}

bool CountedJobs::layers_serve(const QueuedJob& job, std::int64_t end_s,
                               std::span<const PoolId> nodes) const {
  if (counts_->groups().layers().empty()) return true;
  Nodes numbers;
  for (const PoolId node : nodes) numbers.push_back(kinds_.nodes().number(node));
  return counts_->layers_serve(engine_.now(), end_s, need(job.kind), numbers);
}

void CountedJobs::check() const {
  outside_.check();
  std::vector<NodeCounts::Start> all;
  jobs_.each([&](const QueuedJob& job) {
    const bool runs = job.state == JobState::running;
    if (!runs && job.state != JobState::promised) return;
    assert(counts_->groups().is_one() || job.counted.runs() == runs);
    if (!runs || engine_.grant(job.id) != nullptr)
      all.push_back({job.start_s, job.end_s, job.counted});
  });
  for (NodeCounts::Start& use : outside_use()) all.push_back(std::move(use));
  NodesByTime by_time;
  for (const auto& [node, time] : outside_times_) {
    assert(outside_.until(node, outside_reserved_).value_or(time.until_s) == time.until_s);
    by_time[time].push_back(node);
  }
  for ([[maybe_unused]] const auto& [time, nodes] : by_time) {
    [[maybe_unused]] const auto use = outside_uses_.find(time);
    assert(use == outside_uses_.end() ? !use_of_outside(nodes)
                                      : use->second == use_of_outside(nodes));
  }
  counts_->check(all);
}

// --- Nodes

CountedJobs::Nodes CountedJobs::nodes_of(JobId job) const {
  const Grant* grant = engine_.grant(job);
  if (grant == nullptr) return {};
  return kinds_.nodes().of(engine_.graph(), grant->selection);
}

void CountedJobs::set_busy(const Nodes& nodes, bool busy) {
  for (const std::uint32_t n : nodes) busy_[n] = busy;
}

// Those of the one group that serves it or, of several, the lowest idle ones of each.
CountedJobs::Nodes CountedJobs::idle_nodes(const CountedUse& use) const {
  const auto& groups = counts_->groups().groups();
  const auto of_groups = std::ranges::count_if(
      use.parts, [&](const auto& part) { return part.first < groups.size(); });
  Nodes out;
  for (const auto& [group, amount] : use.parts) {
    if (group >= groups.size()) continue;
    std::int64_t left = amount;
    for (const std::uint32_t n : groups[group].nodes) {
      if (of_groups == 1) {
        out.push_back(n);  // the policy chooses
      } else if (left > 0 && !busy_[n] && !outside_times_.contains(n)) {
        out.push_back(n);
        --left;
      }
    }
  }
  return out;
}

std::vector<CountedJobs::Nodes> CountedJobs::nodes_of_promised(
    std::span<const Slot> promised) const {
  if (counts_->groups().merged()) return {};
  std::vector<BusyNode> busy;
  for (const auto& [id, slot] : jobs_.slots()) {
    if (jobs_[slot].state != JobState::running) continue;
    for (const std::uint32_t n : nodes_of(id)) busy.push_back({n, jobs_[slot].end_s});
  }
  for (const auto& [node, time] : outside_times_) busy.push_back({node, time.until_s});
  std::vector<NodeCounts::Start> starts;
  for (const Slot slot : promised) {
    starts.push_back({jobs_[slot].start_s, jobs_[slot].end_s, jobs_[slot].counted});
  }
  return choose_nodes(counts_->groups(), busy, starts);
}

Result<PreparedRequest> CountedJobs::on_nodes(PreparedRequest& request, const Nodes& nodes) const {
  NodeSet others(kinds_.nodes().size(), true);
  for (const std::uint32_t n : nodes) others[n] = false;
  std::vector<PoolId> out;
  for (std::uint32_t n = 0; n < others.size(); ++n) {
    if (others[n]) out.push_back(kinds_.nodes().pool(n));
  }
  return engine_.without_nodes(request, out);
}

}  // namespace copse::queue
