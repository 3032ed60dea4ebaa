// SPDX-License-Identifier: Apache-2.0
#include "state/grants.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace copse {

namespace {
constexpr std::size_t kKeptMax = 8;  // entries of a selection whose memory is reused
}

std::size_t Grants::place_of(JobId job) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = home(job);
  while (table_[at].number != kNone && table_[at].job != job) at = (at + 1) & mask;
  return at;
}

std::optional<std::uint32_t> Grants::number_of(JobId job) const {
  if (table_.empty()) return {};
  const std::uint32_t number = table_[place_of(job)].number;
  return number == kNone ? std::nullopt : std::optional(number);
}

const Grant* Grants::find(JobId job) const {
  const auto number = number_of(job);
  return number ? &grants_[*number] : nullptr;
}

// At most three of four places are used.
void Grants::widen() {
  const std::size_t places = table_.empty() ? kLeast : 2 * table_.size();
  const auto old = std::exchange(table_, SharedChunks<Entry, 256>(places));
  shift_ = 65 - static_cast<int>(std::bit_width(places));
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].number != kNone) table_.own(place_of(old[i].job)) = old[i];
  }
}

std::uint32_t Grants::add(JobId job, std::int64_t start, std::int64_t end) {
  assert(!contains(job));
  if (4 * (size() + 1) > 3 * table_.size()) widen();
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(grants_.size()));
    grants_.add();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Grant& grant = grants_.own(number);
  grant.job = job;
  grant.start = start;
  grant.end = end;
  table_.own(place_of(job)) = {job, number};
  return number;
}

void Grants::drop(std::uint32_t number) {
  Grant& grant = grants_.own(number);
  const std::size_t mask = table_.size() - 1;
  std::size_t hole = place_of(grant.job);
  assert(table_[hole].number == number);
  // Entries after the hole move up, unless their home is after the hole.
  for (std::size_t at = (hole + 1) & mask; table_[at].number != kNone; at = (at + 1) & mask) {
    if (((at - home(table_[at].job)) & mask) < ((at - hole) & mask)) continue;
    table_.own(hole) = table_[at];
    hole = at;
  }
  table_.own(hole) = {};
  grant.job = 0;
  grant.start = grant.end = 0;
  grant.nslots = 0;
  grant.selection.taken.clear();
  grant.selection.moved.clear();
  grant.charges.clear();
  // Otherwise a number would keep the memory of the largest grant that it ever had.
  if (grant.selection.taken.capacity() > kKeptMax) grant.selection.taken.shrink_to_fit();
  free_.push_back(number);
}

void Grants::restore(std::size_t numbers, std::vector<std::uint32_t> free) {
  assert(grants_.empty());
  grants_ = SharedChunks<Grant, 32>(numbers);
  free_ = std::move(free);
  while (4 * size() > 3 * table_.size()) widen();
}

bool Grants::put(std::uint32_t number, Grant grant) {
  if (contains(grant.job)) return false;
  table_.own(place_of(grant.job)) = {grant.job, number};
  grants_.own(number) = std::move(grant);
  return true;
}

std::vector<JobId> Grants::jobs() const {
  std::vector<JobId> out;
  out.reserve(size());
  for_each([&](std::uint32_t, const Grant& grant) { out.push_back(grant.job); });
  // Usually they are sorted already.
  if (!std::is_sorted(out.begin(), out.end())) std::sort(out.begin(), out.end());
  return out;
}

bool Grants::check() const {
  std::size_t there = 0, listed = 0;
  for (std::uint32_t n = 0; n < grants_.size(); ++n) {
    if (is_free(n)) continue;
    if (number_of(grants_[n].job) != n) return false;
    ++there;
  }
  for (std::size_t i = 0; i < table_.size(); ++i) listed += table_[i].number != kNone ? 1 : 0;
  return there == size() && listed == size() && grants_.check() && table_.check();
}

}  // namespace copse
