// SPDX-License-Identifier: Apache-2.0
#include "match/flexible/or_slots.hpp"

#include <algorithm>

#include <xxhash.h>

#include "base/saturating.hpp"

namespace copse {

void OrSlots::clear() {
  sums_.clear();
  firsts_.clear();
  divided_.clear();
  parts_.clear();
  alternatives_.clear();
  for (const Known& state : states_) table_[state.slot] = 0;
  positions_.clear();
  states_.clear();
  chosen_.clear();
  spent_ = false;
}

std::uint32_t OrSlots::add_type(std::span<const std::int64_t> sizes) {
  firsts_.push_back(static_cast<std::uint32_t>(sums_.size()));
  divided_.push_back(false);
  sums_.push_back(0);
  for (std::int64_t size : sizes) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(sums_.back(), size, &sum)) sum = INT64_MAX;
    sums_.push_back(sum);
  }
  return static_cast<std::uint32_t>(firsts_.size() - 1);
}

std::uint32_t OrSlots::add_divided_type(std::int64_t units) {
  const std::uint32_t type = add_type({&units, 1});
  divided_.back() = true;
  return type;
}

void OrSlots::add_alternative() {
  alternatives_.push_back({static_cast<std::uint32_t>(parts_.size()), 0});
}

void OrSlots::add_part(std::uint32_t type, std::int64_t units) {
  parts_.push_back({type, units});
  ++alternatives_.back().count;
}

// Removes an alternative's groups from those left in next_; false if there are not enough.
bool OrSlots::advance(std::uint32_t state, std::uint32_t alternative_number) {
  const auto from = position(state);
  next_.assign(from.begin(), from.end());
  const Alternative& alternative = alternatives_[alternative_number];
  for (std::uint32_t p = alternative.first; p < alternative.first + alternative.count; ++p) {
    const Part& part = parts_[p];
    const std::size_t end = part.type + 1 < types() ? firsts_[part.type + 1] : sums_.size();
    const auto first = sums_.begin() + firsts_[part.type];
    const auto last = sums_.begin() + static_cast<std::ptrdiff_t>(end);
    if (divided_[part.type]) {
      const auto left = static_cast<std::uint64_t>(*(last - 1)) - next_[part.type];
      if (static_cast<std::uint64_t>(part.units) > left) return false;
      next_[part.type] += static_cast<std::uint64_t>(part.units);
      continue;
    }
    const auto here = first + static_cast<std::ptrdiff_t>(next_[part.type]);
    std::int64_t wanted = 0;
    if (__builtin_add_overflow(*here, part.units, &wanted)) return false;
    const auto after = std::lower_bound(here, last, wanted);
    if (after == last) return false;
    next_[part.type] = static_cast<Position>(after - first);
  }
  return true;
}

void OrSlots::enter(std::uint32_t state) {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = states_[state].hash & mask;
  while (table_[slot] != 0) slot = (slot + 1) & mask;
  table_[slot] = state + 1;
  states_[state].slot = static_cast<std::uint32_t>(slot);
}

// The number of the state next_.
std::uint32_t OrSlots::intern_next() {
  const std::uint64_t hash = XXH3_64bits(next_.data(), next_.size() * sizeof(Position));
  const std::size_t mask = table_.size() - 1;
  for (std::size_t slot = hash & mask; table_[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t state = table_[slot] - 1;
    if (states_[state].hash == hash && std::ranges::equal(next_, position(state))) return state;
  }
  const auto number = static_cast<std::uint32_t>(states_.size());
  states_.push_back({.hash = hash});
  positions_.insert(positions_.end(), next_.begin(), next_.end());
  if (2 * states_.size() > table_.size()) {
    table_.assign(2 * table_.size(), 0);
    for (std::uint32_t state = 0; state < number; ++state) enter(state);
  }
  enter(number);
  return number;
}

// An upper bound on the number of slots: by the units left of a type that every alternative lists,
// and by how often each alternative could be formed without the others.
std::int64_t OrSlots::bound(std::uint32_t state) const {
  std::int64_t least = INT64_MAX;
  for (std::uint32_t t = 0; t < types(); ++t) {
    std::int64_t units = INT64_MAX;
    for (const Alternative& alternative : alternatives_) {
      std::int64_t own = 0;
      for (const Part& part : parts(alternative)) {
        if (part.type == t) own = part.units;
      }
      units = std::min(units, own);
    }
    if (units > 0) least = std::min(least, most_of(state, {t, units}));
  }
  std::int64_t sum = 0;
  for (const Alternative& alternative : alternatives_) {
    std::int64_t alone = INT64_MAX;
    for (const Part& part : parts(alternative)) alone = std::min(alone, most_of(state, part));
    sum = saturating_sum(sum, alone);
  }
  return std::min(least, sum);
}

// How many slots could have this part of what is left, at most.
std::int64_t OrSlots::most_of(std::uint32_t state, const Part& part) const {
  const std::size_t end = part.type + 1 < types() ? firsts_[part.type + 1] : sums_.size();
  if (divided_[part.type]) {
    return (sums_[end - 1] - static_cast<std::int64_t>(position(state)[part.type])) / part.units;
  }
  const std::size_t here = firsts_[part.type] + position(state)[part.type];
  const auto groups = static_cast<std::int64_t>(end - 1 - here);
  return std::min(groups, (sums_[end - 1] - sums_[here]) / part.units);
}

// The number of slots after next_ if the first alternative that fits is always taken.
std::int64_t OrSlots::greedy(std::int64_t most) {
  std::int64_t formed = 0;
  positions_.insert(positions_.end(), next_.begin(), next_.end());
  const auto scratch = static_cast<std::uint32_t>(positions_.size() / types() - 1);
  for (std::uint32_t a = 0; a < alternatives_.size() && formed < most;) {
    if (!advance(scratch, a)) {
      ++a;  // an alternative that does not fit never fits later
      continue;
    }
    std::copy(next_.begin(), next_.end(), positions_.end() - static_cast<std::ptrdiff_t>(types()));
    ++formed;
  }
  positions_.resize(positions_.size() - types());
  return formed;
}

void OrSlots::open(std::uint32_t state, std::int64_t most) {
  frames_.push_back({state, 0, most, bound(state), 0, 0});
}

void OrSlots::close(const Frame& frame) {
  Known& state = states_[frame.state];
  if (frame.best < state.value) return;
  state.value = frame.best;
  state.first = frame.best_alternative;
  state.exact = !spent_ && (frame.best < frame.most || frame.best == frame.bound);
}

// Tries the next alternative of a frame, or pushes the state that must be solved first.
void OrSlots::step(Frame& frame) {
  const std::int64_t rest = frame.most - 1;
  if (!advance(frame.state, frame.alternative)) {
    ++frame.alternative;
    return;
  }
  std::int64_t below = 0;
  if (rest > 0) {
    const std::uint32_t next = intern_next();
    if (!known(next, rest)) {
      spent_ |= states_.size() >= kStatesMax;
      if (!spent_) return open(next, rest);
      below = greedy(rest);
    }
    below = std::min(std::max(below, states_[next].value), rest);
  }
  if (1 + below > frame.best) {
    frame.best = 1 + below;
    frame.best_alternative = frame.alternative;
  }
  ++frame.alternative;
}

// How many slots, at most `most`, can be formed from a state.
std::int64_t OrSlots::solve(std::uint32_t start, std::int64_t most) {
  if (most <= 0) return 0;
  if (known(start, most)) return std::min(states_[start].value, most);
  frames_.clear();
  open(start, most);
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    const bool enough = frame.best >= std::min(frame.most, frame.bound);
    if (enough || (spent_ && frame.best > 0) || frame.alternative == alternatives_.size()) {
      close(frame);
      frames_.pop_back();
      continue;
    }
    step(frame);
  }
  return std::min(states_[start].value, most);
}

// The first alternative after which as many slots can be formed as from the state itself.
std::uint32_t OrSlots::first_best(std::uint32_t state, std::int64_t most) {
  const auto none = static_cast<std::uint32_t>(alternatives_.size());
  const std::int64_t target = spent_ ? 0 : solve(state, most);
  for (std::uint32_t a = 0; a < none; ++a) {
    if (!advance(state, a)) continue;
    if (spent_ || most == 1 || 1 + solve(intern_next(), most - 1) >= target) return a;
  }
  return none;
}

std::span<const std::uint32_t> OrSlots::choose(std::int64_t most) {
  chosen_.clear();
  next_.assign(types(), 0);
  std::uint32_t state = intern_next();
  for (std::int64_t left = most; left > 0; --left) {
    std::uint32_t best = first_best(state, left);
    if (spent_ && states_[state].value > 0) best = states_[state].first;
    if (best == alternatives_.size() || !advance(state, best)) break;
    chosen_.push_back(best);
    state = intern_next();
  }
  return chosen_;
}

}  // namespace copse
