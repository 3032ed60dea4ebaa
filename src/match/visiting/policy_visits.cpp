// SPDX-License-Identifier: Apache-2.0
#include "match/visiting/policy_visits.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/saturating.hpp"
#include "match/policy/graph_view.hpp"

namespace copse {

const Visit::Functions PolicyVisits::kFunctions{
    .below = [](void* walk) { return static_cast<PolicyVisits*>(walk)->below(); },
    .found = [](void* walk) { return static_cast<PolicyVisits*>(walk)->found(); },
    .choose = [](void* walk,
                 std::size_t number) { return static_cast<PolicyVisits*>(walk)->choose(number); },
    .above = [](void* walk) { return static_cast<PolicyVisits*>(walk)->above(); },
    .jobs = [](void* walk, PoolId on) { return static_cast<PolicyVisits*>(walk)->jobs(on); }};

Score PolicyVisits::call(Visit::Values values) {
  found_known_ = below_known_ = above_known_ = false;
  picked_.clear();
  is_picked_.clear();
  pool_ = values.pool;
  values.prefer_high = policy_.prefer_high;
  values.start = eligibility_.start;
  values.end = eligibility_.end;
  values.context = policy_.context.get();
  if (sources_ != nullptr) values.job = sources_->job;
  values.user = eligibility_.request->user;
  Visit visit(view_of(graph_), values, this, kFunctions);
  try {
    return eligibility_.scores.guarded([&] { return policy_.visit(visit); });
  } catch (const PolicyFailure& failure) {
    throw VisitFailure(failure.what());
  }
}

Score PolicyVisits::pool(PoolId u, const Level& level, std::span<const Level> below,
                         std::size_t first) {
  levels_ = below;
  first_ = first;
  of_slot_ = false;
  return call({.event = Visit::Event::pool,
               .pool = u,
               .wanted = wanted_of(level),
               .score = eligibility_.scores.own(u)});
}

bool PolicyVisits::slot(PoolId place, const Level& level, SlotPacker& packer) {
  levels_ = std::span(eligibility_.request->levels).subspan(level.first, level.children);
  in_slot_ = packer.used();
  of_slot_ = true;
  const Score score = call({.event = Visit::Event::slot,
                            .pool = place,
                            .wanted = wanted_of(level),
                            .score = packer.score()});
  score > 0 ? packer.set_score(score) : packer.refuse();
  return score > 0;
}

Score PolicyVisits::request(std::span<const Level> top) {
  levels_ = top;
  first_ = 0;
  of_slot_ = false;
  const PoolId root = graph_.root();
  return call(
      {.event = Visit::Event::request, .pool = root, .score = eligibility_.scores.own(root)});
}

void PolicyVisits::order_picked(TypeId type, std::vector<std::uint32_t>& order) const {
  const auto of_type = [&](std::uint32_t group) { return arena_.groups[group].type == type; };
  if (std::ranges::none_of(picked_, of_type)) return;
  order.clear();
  std::ranges::copy_if(picked_, std::back_inserter(order), of_type);
}

bool PolicyVisits::enough() {
  return of_slot_ || std::ranges::all_of(below(), [](const auto& w) { return w.takes > 0; });
}

std::string_view PolicyVisits::type_name(TypeId type, bool slot) const {
  return slot ? std::string_view("slot") : std::string_view(graph_.type_name(type));
}

WantedPools PolicyVisits::wanted_of(const Level& level) const {
  return {.type = type_name(level.type, level.slot),
          .least = level.count.min,
          .most = level.most,
          .takes = 0,
          .label = eligibility_.request->labels[level.label]};
}

// --- What the policy asks for

std::span<const WantedPools> PolicyVisits::below() {
  if (std::exchange(below_known_, true)) return below_;
  below_.clear();
  const auto all = found();
  for (const Level& level : levels_) {
    WantedPools wanted = wanted_of(level);
    std::int64_t units = 0;
    for (const FoundPools& f : all) {
      if (f.type == wanted.type) units = saturating_sum(units, f.units);
    }
    wanted.takes = level.count.effective(units);
    below_.push_back(wanted);
  }
  return below_;
}

std::span<const FoundPools> PolicyVisits::found() {
  if (std::exchange(found_known_, true)) return found_;
  found_.clear();
  const TypeId slot = graph_.find_type("slot");
  const std::size_t count = of_slot_ ? in_slot_.size() : arena_.groups.size() - first_;
  for (std::size_t i = 0; i < count; ++i) {
    const ChoiceGroup& group = arena_.groups[of_slot_ ? in_slot_[i].group : first_ + i];
    const bool is_slot = group.type == slot;
    found_.push_back({is_slot ? PoolId{group.place} : arena_.items[group.first].pool,
                      type_name(group.type, is_slot), group.score,
                      of_slot_ ? in_slot_[i].units : group.size});
  }
  return found_;
}

bool PolicyVisits::choose(std::size_t number) {
  if (of_slot_ || number >= found().size()) return false;
  is_picked_.resize(found_.size(), false);
  if (is_picked_[number]) return false;
  is_picked_[number] = true;
  picked_.push_back(static_cast<std::uint32_t>(first_ + number));
  return true;
}

// The amounts of a pool on the way up: those of the pools that only hang from it there, or its own. A pool of
// size 1 without such pools has no capacity, as for channels: then the size is 0.
PoolAbove PolicyVisits::above_at(PoolId p, SubsystemId s) const {
  PoolAbove out{.subsystem = graph_.subsystem_name(s), .pool = p};
  const bool empty = eligibility_.view == StateView::empty;
  const auto free = [&](PoolId capacity) {
    const std::int64_t used =
        empty ? 0
              : sources_->channels->most_charged(capacity, eligibility_.start, eligibility_.end);
    return graph_.size(capacity) - used;
  };
  bool hanging = false;
  for (const PoolId child : graph_.children(p, s)) {
    if (graph_.in_tree(child) || !graph_.children(child, s).empty()) continue;
    hanging = true;
    out.size = saturating_sum(out.size, graph_.size(child));
    out.free = saturating_sum(out.free, free(child));
  }
  if (hanging || graph_.size(p) <= 1) return out;
  out.size = graph_.size(p);
  out.free = free(p);
  return out;
}

std::span<const PoolAbove> PolicyVisits::above() {
  if (std::exchange(above_known_, true)) return above_;
  above_.clear();
  if (sources_ == nullptr || sources_->channels == nullptr) return above_;
  for (const SubsystemId s : sources_->channels->auxiliary()) {
    PoolId p = pool_;
    const auto in = [&](PoolId q) {
      return graph_.parent_in(q, s) != kNoPool || graph_.subsystem_root(s) == q;
    };
    while (p != kNoPool && !in(p)) p = graph_.parent(p);
    for (; p != kNoPool; p = graph_.parent_in(p, s)) {
      if (const PoolAbove above = above_at(p, s); above.size > 0) above_.push_back(above);
    }
  }
  return above_;
}

void PolicyVisits::note_jobs(PoolId p) {
  for (const ExclusiveSpan& span : eligibility_.state.exclusive_spans().all(p)) {
    if (span.start >= eligibility_.end || span.end <= eligibility_.start) continue;
    const JobId job = (*sources_->grants)[span.grant].job;
    if (job == sources_->job || std::ranges::find(jobs_, job, &JobOnPool::job) != jobs_.end())
      continue;
    const auto user = sources_->users->find(job);
    jobs_.push_back({job, user == sources_->users->end() ? std::string_view()
                                                         : std::string_view(user->second)});
  }
}

std::span<const JobOnPool> PolicyVisits::jobs(PoolId on) {
  jobs_.clear();
  if (sources_ == nullptr || sources_->grants == nullptr || on.v >= graph_.pool_count() ||
      eligibility_.view == StateView::empty || !graph_.in_tree(on)) {
    return {};
  }
  for (PoolId up = graph_.parent(on); up != kNoPool; up = graph_.parent(up)) note_jobs(up);
  graph_.preorder(on, [&](PoolId p) {
    note_jobs(p);
    return graph_.leaf(p) || eligibility_.state.touched(p, eligibility_.start, eligibility_.end);
  });
  return jobs_;
}

}  // namespace copse
