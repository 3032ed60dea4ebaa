// SPDX-License-Identifier: Apache-2.0
//
// The reference for the loop-aware traverser: the oracle tries all placements of each list of a
// request, pool by pool; it only remembers which pool serves which vertex.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "property/oracle.hpp"

namespace copse::property {

bool Oracle::above(Number a, Number b) const {
  for (; b != UINT32_MAX; b = vertices_[b].parent) {
    if (a == b) return true;
  }
  return false;
}

Score Oracle::term_below(Number v, Score term) const {
  const Vertex& u = vertices_[v];
  if (!node_centric_ || u.type != node_) return term;
  return (u.id + 2) * 10'000 + std::abs(static_cast<Score>(v % 10'000) - 1);
}

// Whether v, of the right type, may be chosen for a vertex, with all that is needed below it.
bool Oracle::serves(Number v, const Want& want, bool exclusive, Score term) {
  const auto known = served_.find({v, &want});
  if (known != served_.end()) return known->second;
  const Vertex& u = vertices_[v];
  const bool x = exclusive || want.exclusive == Exclusivity::yes;
  bool good = passes(u) && score(v) + term > 0 && !(x && want.exclusive == Exclusivity::no);
  if (x && mode_ != Mode::empty && !u.divisible) good &= !overlaps(u.touched, start_, end_);
  if (x && only_ != nullptr) good &= only_->contains(v) && only_->at(v);
  good = good && place(want.with, v, false, x, term_below(v, term));
  served_[{v, &want}] = good;
  return good;
}

// The highest pools from v down with the contents of a slot.
void Oracle::places(Number v, const Want& slot, std::vector<Number>& out) const {
  if (!passes(vertices_[v])) return;
  if (resolves(vertices_[v], slot)) {
    out.push_back(v);
    return;
  }
  for (Number child : vertices_[v].children) places(child, slot, out);
}

std::vector<Number> Oracle::candidates(const Task& task) const {
  std::vector<Number> out;
  if (task.want->slot) {
    if (task.at == UINT32_MAX) {
      places(root_, *task.want, out);
    } else if (resolves(vertices_[task.at], *task.want)) {
      out.push_back(task.at);
    } else {
      for (Number child : vertices_[task.at].children) places(child, *task.want, out);
    }
    return out;
  }
  if (task.at != UINT32_MAX) {
    for (Number child : vertices_[task.at].children) {
      if (vertices_[child].type == task.want->type) out.push_back(child);
    }
    return out;
  }
  for (Number v = 0; v < vertices_.size(); ++v) {
    bool open = vertices_[v].type == task.want->type && above(root_, v);
    for (Number up = vertices_[v].parent; up != UINT32_MAX && open; up = vertices_[up].parent) {
      open = passes(vertices_[up]);
    }
    if (open) out.push_back(v);
  }
  return out;
}

// What a given answer has of a divisible pool, at most as much as is free.
std::int64_t Oracle::units_given(Number v) const {
  const auto given = only_amounts_->find(v);
  return std::min(units_here(vertices_[v]), given == only_amounts_->end() ? 0 : given->second);
}

// Finds pools for tasks[task …), where the first has `have` units already; `chosen` has the pools
// chosen for the list so far.
bool Oracle::go_on(const std::vector<Task>& tasks, std::size_t task, std::size_t from,
                   std::int64_t have, std::vector<Item>& chosen) {
  if (task == tasks.size()) return true;
  const Task& t = tasks[task];
  const std::vector<Number> pools = candidates(t);
  if (t.want->slot) {
    for (Number v : pools) {
      Score term = 0;  // that of the nearest node, v included
      std::vector<Number> way;
      for (Number up = v; up != UINT32_MAX; up = vertices_[up].parent) way.push_back(up);
      for (std::size_t i = way.size(); i-- > 0;) term = term_below(way[i], term);
      std::vector<Task> more(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(task));
      for (const Want& w : t.want->with) more.push_back({&w, v, true, term});
      more.insert(more.end(), tasks.begin() + static_cast<std::ptrdiff_t>(task) + 1, tasks.end());
      if (go_on(more, task, 0, 0, chosen)) return true;
    }
    return false;
  }
  for (std::size_t i = from; i < pools.size(); ++i) {
    const Number v = pools[i];
    const Vertex& u = vertices_[v];
    const bool meets =
        !u.divisible && std::any_of(chosen.begin(), chosen.end(), [&](const Item& c) {
          return above(c.vertex, v) || above(v, c.vertex);
        });
    std::int64_t some = u.size;
    if (u.divisible) {
      some = only_amounts_ == nullptr ? units_here(u) : units_given(v);
      for (const Item& c : chosen) some -= c.vertex == v ? c.units : 0;
      some = std::min(some, t.want->count.min - have);
      if (some <= 0) continue;
    }
    Score term = t.term;
    for (Number up = vertices_[v].parent; t.at == UINT32_MAX && up != UINT32_MAX;
         up = vertices_[up].parent) {
      if (vertices_[up].type != node_ || !node_centric_) continue;
      term = term_below(up, 0);
      break;
    }
    if (meets || !serves(v, *t.want, t.exclusive, term)) continue;
    const std::int64_t units = have + some;
    chosen.push_back({v, true, {}, some});
    if (units >= t.want->count.min ? go_on(tasks, task + 1, 0, 0, chosen)
                                   : go_on(tasks, task, i + 1, units, chosen)) {
      return true;
    }
    chosen.pop_back();
  }
  return false;
}

bool Oracle::place(const Wants& list, Number at, bool in_slot, bool exclusive, Score term) {
  std::vector<Task> tasks;
  for (const Want& w : list) {
    if (w.count.min < 1) return false;
    if (!w.slot) {
      tasks.push_back({&w, at, exclusive, term});
      continue;
    }
    if (in_slot || w.with.empty()) return false;
    for (const Want& in : w.with) {
      if (in.slot || in.count.min < 1) return false;
    }
    if (w.count.min > 100) return false;  // more than the number of pools
    for (std::int64_t i = 0; i < w.count.min; ++i) tasks.push_back({&w, at, exclusive, term});
  }
  std::vector<Item> chosen;
  return go_on(tasks, 0, 0, 0, chosen);
}

bool Oracle::placeable(Mode mode, std::int64_t start, std::int64_t end) {
  mode_ = mode;
  start_ = start;
  end_ = end;
  served_.clear();
  return passes(vertices_[root_]) && place(wants_, UINT32_MAX, false, false, 0);
}

bool Oracle::placeable_at(const Request& request, std::int64_t start) {
  if (fits_at(request, start)) return true;
  const std::int64_t duration_s = request.duration_s == 0 ? horizon_ - now_ : request.duration_s;
  return placeable(Mode::granting, start, std::min(start + duration_s, horizon_));
}

std::string Oracle::settle(Operation operation, JobId job, const Answer& given) {
  const bool looks_only = operation == Operation::without_allocating ||
                          operation == Operation::without_allocating_future;
  if (!looks_only) commit(job, given);
  if (first_) reweigh(given, !looks_only);
  return "";
}

namespace {

std::string differs(const char* expected) { return fmt::format("expected: {}", expected); }

}  // namespace

std::string Oracle::judge(Operation operation, const Request& request, JobId job,
                          const Answer& given) {
  begin(request);
  const std::int64_t window = horizon_ - now_;
  const std::int64_t duration_s = request.duration_s == 0 ? window : request.duration_s;
  const bool may_wait = operation == Operation::allocate_orelse_reserve ||
                        operation == Operation::without_allocating_future;
  const bool ask = operation == Operation::allocate_with_satisfiability;
  const bool grants = may_wait ? operation == Operation::allocate_orelse_reserve
                               : operation == Operation::allocate || ask;
  auto error = [&](ErrorCode code) { return given.error == code ? "" : differs(word(code)); };
  if (request.duration_invalid || request.duration_s > window) return error(ErrorCode::invalid);
  if (grants && jobs_.contains(job)) return error(ErrorCode::exists);
  auto satisfiable = [&] {
    Answer unused;
    return select(Mode::empty, now_, now_ + duration_s, unused) ||
           placeable(Mode::empty, now_, now_ + duration_s);
  };
  if (operation == Operation::satisfiability) {
    if (!satisfiable()) return error(ErrorCode::infeasible);
    return given.error ? differs("satisfiable") : "";
  }
  if (!enough_nodes(operation, duration_s)) {
    return error(ask ? ErrorCode::infeasible : ErrorCode::insufficient);
  }
  std::vector<std::int64_t> times{now_};
  if (may_wait) {
    const auto later = candidate_times();
    times.insert(times.end(), later.begin(), later.end());
  }
  for (std::int64_t start : times) {
    const std::int64_t end = std::min(start + duration_s, horizon_);
    Answer simple;
    if (select(Mode::granting, start, end, simple)) {
      simple.start = start;
      simple.end = end;
      if (simple.pools.empty()) return error(ErrorCode::insufficient);
      return given == simple ? settle(operation, job, given)
                             : differs("the answer of the simple walk");
    }
    if (!placeable(Mode::granting, start, end)) continue;
    if (given.error) return fmt::format("expected: some placing at {}", start);
    if (given.start != start || given.end != end)
      return fmt::format("expected: [{}, {})", start, end);
    only_ = &given.pools;
    only_amounts_ = &given.amounts;
    const bool valid = placeable(Mode::granting, start, end);
    only_ = nullptr;
    only_amounts_ = nullptr;
    return valid ? settle(operation, job, given) : differs("a placing; this is none");
  }
  return error((may_wait || ask) && !satisfiable() ? ErrorCode::infeasible
                                                   : ErrorCode::insufficient);
}

}  // namespace copse::property
