// SPDX-License-Identifier: Apache-2.0
#include "state/hold_lists.hpp"

#include <algorithm>

namespace copse {

namespace {
// The first hold that ends after `time`.
std::vector<Hold>::const_iterator after(const std::vector<Hold>& holds, std::int64_t time) {
  return std::partition_point(holds.begin(), holds.end(),
                              [&](const Hold& h) { return h.end <= time; });
}
}  // namespace

bool HoldLists::overlaps(PoolId p, std::int64_t start, std::int64_t end) const {
  const Record& r = records_[record_[p.v] - 1];
  if (!r.more) return r.first.start < end && start < r.first.end;
  auto it = after(*r.more, start);
  return it != r.more->end() && it->start < end;
}

std::span<const Hold> HoldLists::all(PoolId p) const {
  if (!marked(p)) return {};
  const Record& r = records_[record_[p.v] - 1];
  return !r.more ? std::span<const Hold>(&r.first, 1) : std::span<const Hold>(*r.more);
}

void HoldLists::Record::add(const Hold& hold) {
  if (!more) more = Shared<std::vector<Hold>>::make(std::size_t{1}, first);
  std::vector<Hold>& all = more.own();
  all.insert(after(all, hold.start), hold);
}

void HoldLists::Record::remove(const Hold& hold) {
  std::vector<Hold>& all = more.own();
  const auto it =
      std::lower_bound(all.begin(), all.end(), hold.start,
                       [](const Hold& h, std::int64_t start) { return h.start < start; });
  assert(it != all.end() && *it == hold);
  all.erase(it);
  if (all.size() > 1) return;
  first = all.front();
  more.reset();
}

// Pools from `first` on, before `end`, that share a record, or have none.
HoldLists::Run HoldLists::run_at(std::uint32_t first, std::uint32_t end) const {
  Run run{first, first + 1, record_[first]};
  while (run.end < end && record_[run.end] == run.record) ++run.end;
  return run;
}

std::uint32_t HoldLists::make_record(Record record) {
  if (free_.empty()) {
    records_.add();
    free_.push_back(static_cast<std::uint32_t>(records_.size()));
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  records_.own(number - 1) = std::move(record);
  return number;
}

void HoldLists::give(const Run& run, std::uint32_t record) {
  record_.fill(run.first, run.end, record);
  records_.own(record - 1).pools += run.end - run.first;
}

// The record of these pools and no others: what they share with more is copied.
HoldLists::Record& HoldLists::alone(const Run& run) {
  Record& shared = records_.own(run.record - 1);
  if (shared.pools == run.end - run.first) return shared;
  shared.pools -= run.end - run.first;
  const std::uint32_t made = make_record({shared.first, 0, shared.more});
  give(run, made);
  return records_.own(made - 1);
}

void HoldLists::add(PoolId p, const Hold& hold, std::uint32_t count) {
  std::uint32_t fresh = 0;  // of those that have no other hold
  for (std::uint32_t v = p.v; v < p.v + count;) {
    assert(!held(PoolId{v}, hold.start, hold.end));
    const Run run = run_at(v, p.v + count);
    v = run.end;
    if (run.record != 0) {
      alone(run).add(hold);
      continue;
    }
    if (fresh == 0) fresh = make_record({hold, 0, {}});
    give(run, fresh);
    for (std::uint32_t q = run.first; q < run.end; ++q) {
      marks_[q / 64].held |= UINT64_C(1) << (q % 64);
    }
  }
  if (covers_now(hold)) begin(p, count);
}

void HoldLists::begin(PoolId p, std::uint32_t count) {
  for (std::uint32_t v = p.v; v < p.v + count; ++v) {
    assert(marked(PoolId{v}) && overlaps(PoolId{v}, now_, now_ + 1));
    marks_[v / 64].begun |= UINT64_C(1) << (v % 64);
  }
}

void HoldLists::remove(PoolId p, const Hold& hold, std::uint32_t count) {
  if (covers_now(hold)) {
    for (std::uint32_t v = p.v; v < p.v + count; ++v) {
      marks_[v / 64].begun &= ~(UINT64_C(1) << (v % 64));
    }
  }
  for (std::uint32_t v = p.v; v < p.v + count;) {
    assert(marked(PoolId{v}));
    const Run run = run_at(v, p.v + count);
    v = run.end;
    if (records_[run.record - 1].more) {
      alone(run).remove(hold);
      continue;
    }
    Record& record = records_.own(run.record - 1);
    assert(record.first == hold);
    record.pools -= run.end - run.first;
    if (record.pools == 0) free_.push_back(run.record);
    record_.fill(run.first, run.end, 0);
    for (std::uint32_t q = run.first; q < run.end; ++q) {
      marks_[q / 64].held &= ~(UINT64_C(1) << (q % 64));
    }
  }
}

std::uint64_t HoldLists::bytes() const {
  std::uint64_t n =
      record_.bytes() + marks_.capacity() * sizeof(Marks) + free_.capacity() * 4 + records_.bytes();
  for (std::size_t r = 0; r < records_.size(); ++r) {
    const auto& more = records_[r].more;
    if (more) n += sizeof(std::vector<Hold>) + more->capacity() * sizeof(Hold);
  }
  return n;
}

bool HoldLists::check() const {
  std::vector<std::uint32_t> pools(records_.size(), 0);
  for (std::uint32_t v = 0; v < record_.size(); ++v) {
    const PoolId p{v};
    if (marked(p) != (record_[v] != 0) || record_[v] > pools.size()) return false;
    if (begun(p) != (marked(p) && overlaps(p, now_, now_ + 1))) return false;
    if (record_[v] != 0) ++pools[record_[v] - 1];
  }
  std::size_t unused = 0;
  for (std::size_t r = 0; r < pools.size(); ++r) {
    const Record& record = records_[r];
    unused += pools[r] == 0 ? 1 : 0;
    if (record.pools != pools[r] || (record.more && record.more->size() < 2)) return false;
    for (std::size_t h = 1; record.more && h < record.more->size(); ++h) {
      if ((*record.more)[h - 1].end > (*record.more)[h].start) return false;
    }
  }
  return unused == free_.size() && record_.check() && records_.check();
}

}  // namespace copse
