// SPDX-License-Identifier: Apache-2.0
#include "queue/promises.hpp"

#include <algorithm>
#include <cassert>
#include <functional>

#include "queue/counts/node_choice.hpp"
#include "queue/refusal.hpp"

namespace copse::queue {

namespace {

constexpr std::size_t kEndsMin = 1'024;  // fewer ends are not worth cleaning up

bool not_now(const Error& error) {
  return error.code == ErrorCode::insufficient || error.code == ErrorCode::infeasible;
}

Promises::StartResult no(const NoMatch& error, std::int64_t now_s) {
  if (error.takes_nothing) return {Promises::Outcome::refused, nothing_to_take(now_s)};
  return {not_now(error) ? Promises::Outcome::waits : Promises::Outcome::refused, error};
}

NoMatch too_few() { return NoMatch(Error{ErrorCode::insufficient, "too few nodes are free", {}}); }

}  // namespace

Promises::Promises(Engine& engine, JobTable& jobs, JobKindTable& kinds, const Priorities& users,
                   RunningLimits limits)
    : engine_(engine), jobs_(jobs), kinds_(kinds), users_(users), limits_(std::move(limits)) {
  for (const JobId job : engine.jobs()) outside_grants_.insert(job);
}

Promises::Promises(const Promises& other, Engine& clone, JobTable& jobs, JobKindTable& kinds,
                   const Priorities& users)
    : engine_(clone),
      jobs_(jobs),
      kinds_(kinds),
      users_(users),
      limits_(other.limits_),
      due_(other.due_),
      counts_(other.counts_),
      needs_(other.needs_),
      busy_(other.busy_),
      reserved_(other.reserved_),
      reserved_anything_(other.reserved_anything_),
      groups_changed_(other.groups_changed_),
      too_many_groups_(other.too_many_groups_),
      uncounted_(other.uncounted_),
      changed_(other.changed_),
      ends_(other.ends_),
      running_(other.running_),
      outside_grants_(other.outside_grants_) {}

std::int64_t Promises::duration_of(const QueuedJob& job) const {
  return std::min(job.duration_s, engine_.options().horizon - engine_.now());
}

PreparedRequest& Promises::prepared(const QueuedJob& job) {
  return kinds_.prepared(job.kind, duration_of(job));
}

MatchResult Promises::ask(Operation operation, const QueuedJob& job) {
  return engine_.match(operation, prepared(job), job.id);
}

void Promises::note(Slot slot, std::int64_t start_s, std::int64_t end_s) {
  QueuedJob& job = jobs_[slot];
  job.start_s = start_s;
  job.end_s = end_s;
  count_limits(job, true);
  job.state = JobState::promised;
  due_.emplace(start_s, job.position, slot);
  changed_.push_back(slot);
}

std::string Promises::limit_reached(Slot slot) const {
  const QueuedJob& job = jobs_[slot];
  return limits_.reached(users_.name(job.user), kinds_.queue_name(job.queue),
                         kinds_[job.kind].most);
}

void Promises::count_limits(const QueuedJob& job, bool more) {
  if (!limits_.any()) return;
  const auto user = users_.name(job.user), queue = kinds_.queue_name(job.queue);
  more ? limits_.add(user, queue, kinds_[job.kind].most)
       : limits_.remove(user, queue, kinds_[job.kind].most);
}

void Promises::waits(QueuedJob& job) {
  count_limits(job, false);
  job.state = JobState::waiting;
}

void Promises::count(QueuedJob& job, CountedUse use) {
  job.counted = std::move(use);
  counts_->add(job.start_s, job.end_s, job.counted);
}

// The nodes of a running job.
std::vector<std::uint32_t> Promises::nodes_of(JobId job) const {
  const Grant* grant = engine_.grant(job);
  if (grant == nullptr) return {};
  return kinds_.nodes().of(engine_.graph(), grant->selection);
}

CountedUse Promises::use_of_running(JobId job) const {
  const Grant* grant = engine_.grant(job);
  if (grant == nullptr) return counts_->use_of({}, std::span<const LayerCharge>());
  return counts_->use_of(nodes_of(job), grant->charges.layers);
}

void Promises::set_busy(const std::vector<std::uint32_t>& nodes, bool busy) {
  for (const std::uint32_t n : nodes) {
    busy_[n] = busy;
  }
}

// All nodes but those of the one group that serves it or, of several, as many idle ones of each.
std::vector<PoolId> Promises::other_nodes(const CountedUse& use) const {
  const CountedNodes& nodes = kinds_.nodes();
  const auto& groups = counts_->groups().groups();
  NodeSet others(nodes.size(), true);
  const auto of_groups = std::ranges::count_if(
      use.parts, [&](const auto& part) { return part.first < groups.size(); });
  for (const auto& [group, amount] : use.parts) {
    if (group >= groups.size()) continue;
    std::int64_t left = of_groups == 1 ? INT64_MAX : amount;
    for (const std::uint32_t n : groups[group].nodes) {
      if (left == 0) break;
      if (of_groups > 1 && busy_[n]) continue;
      others[n] = false;
      --left;
    }
  }
  std::vector<PoolId> out;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (others[n]) out.push_back(nodes.pool(n));
  }
  return out;
}

// Starts a counted job now, which gets `use`.
MatchResult Promises::ask_counted(const QueuedJob& job, const CountedUse& use) {
  if (counts_->groups().sets()[need(job.kind).set].groups.size() == 1)
    return ask(Operation::allocate, job);
  auto request = engine_.without_nodes(prepared(job), other_nodes(use));
  if (!request) return std::unexpected(NoMatch(request.error()));
  return engine_.match(Operation::allocate, *request, job.id);
}

Promises::StartResult Promises::begun(Slot slot, const Grant& grant) {
  QueuedJob& job = jobs_[slot];
  job.start_s = grant.start;
  job.end_s = grant.end;
  if (counts_ && counts_->groups().is_one()) {
    count(job, {.nodes = need(job.kind).nodes});
  } else if (counts_) {
    set_busy(nodes_of(job.id), true);
    count(job, use_of_running(job.id));
  }
  runs(slot);
  return {Outcome::started, {}};
}

void Promises::runs(Slot slot) {
  QueuedJob& job = jobs_[slot];
  if (job.state != JobState::promised) count_limits(job, true);
  job.state = JobState::running;
  ++running_;
  note_end(slot);
}

void Promises::note_end(Slot slot) {
  const auto over = [this](const std::pair<std::int64_t, JobId>& end) {
    const Slot of = jobs_.find(end.second);
    return of == kNoSlot || jobs_[of].state != JobState::running || jobs_[of].end_s != end.first;
  };
  if (ends_.size() > kEndsMin && ends_.size() > 4 * running_) {
    std::erase_if(ends_, over);
    std::ranges::make_heap(ends_, std::greater<>());
  }
  const QueuedJob& job = jobs_[slot];
  if (job.end_s >= engine_.options().horizon) return;
  ends_.emplace_back(job.end_s, job.id);
  std::ranges::push_heap(ends_, std::greater<>());
}

void Promises::resume_running(Slot slot, std::int64_t start_s, std::int64_t end_s) {
  assert(!counts_);
  QueuedJob& job = jobs_[slot];
  const Grant* grant = engine_.grant(job.id);
  job.start_s = grant != nullptr ? grant->start : start_s;
  job.end_s = grant != nullptr ? grant->end : end_s;
  runs(slot);
}

bool Promises::resume_promised(Slot slot, std::int64_t start_s) {
  QueuedJob& job = jobs_[slot];
  const Grant* grant = engine_.grant(job.id);
  if (counts_) {
    if (grant != nullptr) (void)engine_.cancel(job.id);
    const std::int64_t horizon_s = engine_.options().horizon;
    const std::int64_t end_s = start_s + std::min(duration_of(job), horizon_s - start_s);
    auto use = counts_->use(start_s, end_s, need(job.kind));
    auto found = use ? NodeCounts::Start{start_s, end_s, std::move(*use)}
                     : counts_->earliest(engine_.now(), duration_of(job), horizon_s, need(job.kind))
                           .value_or(NodeCounts::Start{INT64_MAX});
    if (found.start_s > start_s) return false;
    note(slot, found.start_s, found.end_s);
    count(jobs_[slot], std::move(found.use));
    return true;
  }
  if (grant == nullptr) {
    auto match = engine_.match_between(prepared(job), job.id, start_s, start_s + 1);
    if (!match) match = engine_.match_between(prepared(job), job.id, engine_.now(), start_s);
    if (!match) return false;
    grant = engine_.grant(job.id);
  }
  note(slot, grant->start, grant->end);
  return true;
}

Slot Promises::overdue(std::int64_t now_s) {
  while (!ends_.empty() && ends_.front().first <= now_s) {
    std::ranges::pop_heap(ends_, std::greater<>());
    const auto [end_s, job] = ends_.back();
    ends_.pop_back();
    const Slot slot = jobs_.find(job);
    if (slot == kNoSlot || jobs_[slot].end_s != end_s) continue;
    if (jobs_[slot].state == JobState::running && engine_.grant(job) != nullptr) return slot;
  }
  return kNoSlot;
}

bool Promises::layers_serve(Slot slot, std::int64_t end_s, std::span<const PoolId> nodes) const {
  if (!counts_ || counts_->groups().layers().empty()) return true;
  std::vector<std::uint32_t> numbers;
  for (const PoolId node : nodes) numbers.push_back(kinds_.nodes().number(node));
  return counts_->layers_serve(engine_.now(), end_s, need(jobs_[slot].kind), numbers);
}

Promises::StartResult Promises::start(Slot slot) {
  const QueuedJob& job = jobs_[slot];
  std::optional<CountedUse> use;
  if (counts_) {
    const std::int64_t now_s = engine_.now();
    use = counts_->use(now_s, now_s + duration_of(job), need(job.kind));
    if (!use) {
      const bool by_numbers = !counts_->use(now_s, now_s + 1, need(job.kind));
      StartResult answer = no(too_few(), engine_.now());
      answer.error.visits = by_numbers ? 0 : 1;
      return answer;
    }
  }
  const auto match = use ? ask_counted(job, *use) : ask(Operation::allocate, job);
  return match ? begun(slot, *engine_.grant(job.id)) : no(match.error(), engine_.now());
}

Promises::StartResult Promises::promise(Slot slot) {
  const QueuedJob& job = jobs_[slot];
  if (!counts_) {
    const auto match = ask(Operation::allocate_orelse_reserve, job);
    if (!match) return no(match.error(), engine_.now());
    const Grant& grant = *engine_.grant(job.id);
    if (grant.start <= engine_.now()) return begun(slot, grant);
    note(slot, grant.start, grant.end);
    return {Outcome::promised, {}};
  }
  const std::int64_t now_s = engine_.now(), horizon_s = engine_.options().horizon;
  auto at = counts_->earliest(now_s, duration_of(job), horizon_s, need(job.kind));
  if (!at) return no(too_few(), engine_.now());
  if (at->start_s > now_s) {
    note(slot, at->start_s, at->end_s);
    count(jobs_[slot], std::move(at->use));
    return {Outcome::promised, {}};
  }
  const auto match = ask_counted(job, at->use);
  return match ? begun(slot, *engine_.grant(job.id)) : no(match.error(), engine_.now());
}

bool Promises::move_earlier(Slot slot) {
  QueuedJob& job = jobs_[slot];
  assert(job.state == JobState::promised && counts_);
  const NodeCounts::Start was{job.start_s, job.end_s, job.counted};
  auto to = counts_->earlier(engine_.now(), was, duration_of(job), engine_.options().horizon,
                             need(job.kind));
  if (!to) return false;
  counts_->move(was, *to);
  job.start_s = to->start_s;
  job.end_s = to->end_s;
  job.counted = std::move(to->use);
  note_moved(slot, was.start_s);
  return true;
}

bool Promises::move_earlier(Slot slot, std::int64_t from_s, std::int64_t before_s) {
  QueuedJob& job = jobs_[slot];
  assert(job.state == JobState::promised && !counts_);
  const std::int64_t old_s = job.start_s;
  from_s = std::max(from_s, engine_.now());
  before_s = std::min(before_s, old_s);
  if (from_s >= before_s) return false;
  const auto moved = engine_.move_earlier(job.id, prepared(job), from_s, before_s);
  if (!moved || !*moved) return false;
  job.start_s = engine_.grant(job.id)->start;
  job.end_s = engine_.grant(job.id)->end;
  note_moved(slot, old_s);
  return true;
}

void Promises::note_moved(Slot slot, std::int64_t old_s) {
  const QueuedJob& job = jobs_[slot];
  changed_.push_back(slot);
  auto due = due_.extract({old_s, job.position, slot});
  std::get<0>(due.value()) = job.start_s;
  due_.insert(std::move(due));
}

void Promises::reorder(Slot slot, const QueuePosition& position) {
  QueuedJob& job = jobs_[slot];
  due_.erase({job.start_s, job.position, slot});
  job.position = position;
  due_.emplace(job.start_s, position, slot);
}

void Promises::drop(Slot slot) {
  QueuedJob& job = jobs_[slot];
  assert(job.state == JobState::promised);
  due_.erase({job.start_s, job.position, slot});
  if (counts_) {
    counts_->remove(job.start_s, job.end_s, job.counted);
  } else {
    [[maybe_unused]] const auto gone =
        engine_.cancel(job.id);  // no grant, if its nodes were removed from the machine
  }
  waits(job);
  changed_.push_back(slot);
}

void Promises::end(Slot slot) {
  const QueuedJob& job = jobs_[slot];
  assert(job.state == JobState::running);
  if (counts_) counts_->remove(job.start_s, job.end_s, job.counted);
  if (counts_ && !counts_->groups().is_one()) set_busy(nodes_of(job.id), false);
  count_limits(job, false);
  --running_;
  if (engine_.grant(job.id) == nullptr) return;
  [[maybe_unused]] const auto cancelled = engine_.cancel(job.id);
  assert(cancelled);
}

Result<bool> Promises::end_part(Slot slot, std::span<const PoolId> pools) {
  QueuedJob& job = jobs_[slot];
  assert(job.state == JobState::running);
  const bool several = counts_ && !counts_->groups().is_one();
  const std::vector<std::uint32_t> before =
      several ? nodes_of(job.id) : std::vector<std::uint32_t>();
  auto gone = engine_.cancel_part(job.id, pools);
  if (!gone) return gone;
  if (several) set_busy(before, false);
  if (*gone) return gone;
  if (counts_) {
    if (several) set_busy(nodes_of(job.id), true);
    counts_->remove(job.start_s, job.end_s, job.counted);
    count(job, use_of_running(job.id));
  }
  return gone;
}

Result<void> Promises::set_end(Slot slot, std::int64_t end_s) {
  QueuedJob& job = jobs_[slot];
  assert(job.state == JobState::running);
  const std::int64_t old_s = job.end_s;
  // Where no promise is in its way, the engine decides: a running job may overdraw layers.
  const bool longer = end_s > old_s && end_s <= engine_.options().horizon;
  const bool before_promises = due_.empty() || end_s <= std::get<0>(*due_.begin());
  if (counts_ && longer && !before_promises && !counts_->fits(old_s, end_s, job.counted)) {
    return std::unexpected(too_few());
  }
  if (auto ok = engine_.set_end(job.id, end_s); !ok) return ok;
  if (counts_) counts_->remove(job.start_s, old_s, job.counted);
  job.end_s = end_s;
  if (counts_) counts_->add(job.start_s, job.end_s, job.counted);
  note_end(slot);
  return {};
}

Slot Promises::start_due() {
  if (!any_due()) return kNoSlot;
  const Slot slot = std::get<2>(*due_.begin());
  QueuedJob& job = jobs_[slot];
  due_.erase(due_.begin());
  if (!counts_) {
    if (engine_.grant(job.id) != nullptr) {
      runs(slot);  // its reservation became an allocation when the clock moved
    } else {
      waits(job);
    }
    return slot;
  }
  counts_->remove(job.start_s, job.end_s, job.counted);
  const std::int64_t now_s = engine_.now();
  const auto use = counts_->use(now_s, now_s + duration_of(job), need(job.kind));
  if (use && ask_counted(job, *use)) {
    (void)begun(slot, *engine_.grant(job.id));
  } else {
    waits(job);
  }
  return slot;
}

// --- The form of promises

void Promises::joined(Slot slot) {
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

// Without jobs whose kind cannot be counted there may still be too many groups.
bool Promises::choose_form() {
  while (!outside_grants_.empty() && engine_.grant(*outside_grants_.begin()) == nullptr) {
    outside_grants_.erase(outside_grants_.begin());
  }
  const bool count = uncounted_ == 0 && reserved_ && outside_grants_.empty() &&
                     kinds_.nodes().countable() && !engine_.next_layer_change(engine_.now());
  if (!count) {
    if (counts_) begin_pinning();
    return false;
  }
  if (!groups_changed_ && (counts_ || too_many_groups_)) return false;
  counts_ ? group_again() : begin_counting();
  return counting();
}

void Promises::set_reserved(std::optional<std::vector<ReservedTime>> times) {
  // A time that is over leaves the groups as they are, as the outlook has planned.
  const auto over = [this](const ReservedTime& time) { return time.until_s <= engine_.now(); };
  if (reserved_) std::erase_if(*reserved_, over);
  if (times) std::erase_if(*times, over);
  if (times == reserved_) return;
  reserved_ = std::move(times);
  reserved_anything_ = !reserved_ || !reserved_->empty();
  groups_changed_ = true;
  if (!reserved_ && counts_) begin_pinning();
}

std::shared_ptr<const NodeGroups> Promises::make_groups() const {
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
  return NodeGroups::make(engine_, kinds_.nodes(), out, *reserved_);
}

std::optional<NodeCounts> Promises::counts_without_them() const {
  const bool possible = reserved_ && outside_grants_.empty() && kinds_.nodes().countable() &&
                        !engine_.next_layer_change(engine_.now());
  auto groups = possible ? make_groups() : nullptr;
  if (groups == nullptr) return std::nullopt;
  return NodeCounts(std::move(groups));
}

// False: there are too many groups, and the old ones stay.
bool Promises::make_counts() {
  groups_changed_ = false;
  auto groups = make_groups();
  too_many_groups_ = groups == nullptr;
  if (too_many_groups_) return false;
  counts_.emplace(std::move(groups));
  needs_.assign(kinds_.end(), std::nullopt);
  for (std::uint32_t k = 0; k < kinds_.end(); ++k) {
    if (kinds_[k].jobs > 0 && kinds_[k].counted) needs_[k] = counts_->need(*kinds_[k].counted);
  }
  return true;
}

void Promises::count_running() {
  busy_.assign(kinds_.nodes().size(), false);
  for (const auto& [id, slot] : jobs_.slots()) {
    QueuedJob& job = jobs_[slot];
    job.counted = {};
    if (job.state != JobState::running || engine_.grant(id) == nullptr) continue;
    set_busy(nodes_of(id), true);
    count(job, use_of_running(id));
  }
}

void Promises::begin_counting() {
  if (!make_counts()) return;
  std::vector<std::vector<std::uint32_t>> nodes;
  for (const auto& [start_s, position, slot] : due_) {
    nodes.push_back(nodes_of(jobs_[slot].id));
    [[maybe_unused]] const auto cancelled = engine_.cancel(jobs_[slot].id);
    assert(cancelled);
  }
  count_running();
  std::size_t n = 0;
  for (const auto& [start_s, position, slot] : due_) {
    count(jobs_[slot], counts_->use_of(nodes[n++], need(jobs_[slot].kind)));
  }
}

// By the order of due_, the nodes that each promise gets.
std::vector<std::vector<std::uint32_t>> Promises::choose_promised_nodes() const {
  std::vector<BusyNode> busy;
  for (const auto& [id, slot] : jobs_.slots()) {
    if (jobs_[slot].state != JobState::running) continue;
    for (const std::uint32_t n : nodes_of(id)) busy.push_back({n, jobs_[slot].end_s});
  }
  std::vector<NodeCounts::Start> starts;
  for (const auto& [start_s, position, slot] : due_) {
    const QueuedJob& job = jobs_[slot];
    starts.push_back({job.start_s, job.end_s, job.counted});
  }
  return choose_nodes(counts_->groups(), busy, starts);
}

// With merged layers, only a match can tell which nodes go together.
void Promises::group_again() {
  if (counts_->groups().merged()) {
    begin_pinning();
    begin_counting();
    return;
  }
  const std::vector<std::vector<std::uint32_t>> nodes = choose_promised_nodes();
  if (!make_counts()) {
    begin_pinning();
    return;
  }
  count_running();
  std::size_t n = 0;
  for (const auto& [start_s, position, slot] : due_) {
    count(jobs_[slot], counts_->use_of(nodes[n++], need(jobs_[slot].kind)));
  }
}

// The engine searches only times at which a planned amount changes. If none changes at the promised
// start, freed resources allow an earlier start. Jobs after it, in the order of starts, do not
// conflict.
void Promises::begin_pinning() {
  const bool several = !counts_->groups().is_one() && !counts_->groups().merged();
  std::vector<std::vector<std::uint32_t>> nodes;
  if (several) nodes = choose_promised_nodes();
  counts_.reset();
  const std::set<Due> promised = std::move(due_);
  due_.clear();
  std::size_t n = 0;
  for (const auto& [start_s, position, slot] : promised) {
    QueuedJob& job = jobs_[slot];
    PreparedRequest request = prepared(job);
    if (several) {
      NodeSet chosen(kinds_.nodes().size(), false);
      for (const std::uint32_t node : nodes[n++]) chosen[node] = true;
      std::vector<PoolId> others;
      for (std::uint32_t node = 0; node < chosen.size(); ++node) {
        if (!chosen[node]) others.push_back(kinds_.nodes().pool(node));
      }
      if (auto only = engine_.without_nodes(request, others)) request = std::move(*only);
    }
    auto match = engine_.match_between(request, job.id, start_s, start_s + 1);
    if (!match) match = engine_.match_between(prepared(job), job.id, engine_.now(), start_s);
    if (match) job.end_s = (*match)->end;
    job.start_s = match ? (*match)->start : engine_.now();
    due_.emplace(job.start_s, position, slot);
    if (job.start_s != start_s) changed_.push_back(slot);
  }
}

void Promises::forget_counts() {
  assert(due_.empty());
  counts_.reset();
  groups_changed_ = true;
}

void Promises::machine_changed() {
  forget_counts();
  uncounted_ = 0;
  for (const auto& [id, slot] : jobs_.slots())
    uncounted_ += kinds_[jobs_[slot].kind].counted ? 0 : 1;
  (void)choose_form();
}

void Promises::count_again() {
  kinds_.count_again();
  machine_changed();
}

void Promises::recount() {
  assert(due_.empty());
  groups_changed_ = true;
  if (!counts_) return;
  counts_.reset();
  (void)choose_form();
}

}  // namespace copse::queue
