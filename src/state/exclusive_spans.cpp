// SPDX-License-Identifier: Apache-2.0
#include "state/exclusive_spans.hpp"

#include <cassert>

namespace copse {

namespace {
// The first span that ends after `time`.
std::vector<ExclusiveSpan>::const_iterator after(const std::vector<ExclusiveSpan>& exclusive_spans,
                                                 std::int64_t time) {
  return std::partition_point(exclusive_spans.begin(), exclusive_spans.end(),
                              [&](const ExclusiveSpan& h) { return h.end <= time; });
}
}  // namespace

bool ExclusiveSpans::overlaps(PoolId p, std::int64_t start, std::int64_t end) const {
  const Record& r = records_[record_[p.v] - 1];
  if (!r.more) return r.first.start < end && start < r.first.end;
  auto it = after(*r.more, start);
  return it != r.more->end() && it->start < end;
}

std::span<const ExclusiveSpan> ExclusiveSpans::all(PoolId p) const {
  if (!marked(p)) return {};
  const Record& r = records_[record_[p.v] - 1];
  return !r.more ? std::span<const ExclusiveSpan>(&r.first, 1)
                 : std::span<const ExclusiveSpan>(*r.more);
}

void ExclusiveSpans::Record::add(const ExclusiveSpan& span) {
  if (!more) more = Shared<std::vector<ExclusiveSpan>>::make(std::size_t{1}, first);
  std::vector<ExclusiveSpan>& all = more.own();
  all.insert(after(all, span.start), span);
}

void ExclusiveSpans::Record::remove(const ExclusiveSpan& span) {
  std::vector<ExclusiveSpan>& all = more.own();
  const auto it =
      std::lower_bound(all.begin(), all.end(), span.start,
                       [](const ExclusiveSpan& h, std::int64_t start) { return h.start < start; });
  assert(it != all.end() && *it == span);
  all.erase(it);
  if (all.size() > 1) return;
  first = all.front();
  more.reset();
}

// Pools from `first` on, before `end`, that share a record, or have none.
ExclusiveSpans::Run ExclusiveSpans::run_at(std::uint32_t first, std::uint32_t end) const {
  Run run{first, first + 1, record_[first]};
  while (run.end < end && record_[run.end] == run.record) ++run.end;
  return run;
}

std::uint32_t ExclusiveSpans::make_record(Record record) {
  if (free_.empty()) {
    records_.add();
    free_.push_back(static_cast<std::uint32_t>(records_.size()));
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  records_.own(number - 1) = std::move(record);
  return number;
}

void ExclusiveSpans::give(const Run& run, std::uint32_t record) {
  record_.fill(run.first, run.end, record);
  records_.own(record - 1).pools += run.end - run.first;
}

// Removes these pools from their record.
void ExclusiveSpans::leave(const Run& run) {
  Record& record = records_.own(run.record - 1);
  record.pools -= run.end - run.first;
  if (record.pools > 0) return;
  record.more.reset();
  free_.push_back(run.record);
}

// Changes the record of these pools; it is copied if other pools share it. Pools that shared a
// record before a change share the copy.
template <class Change>
void ExclusiveSpans::change(const Run& run, Copied& copied, Change change_record) {
  if (copied.from == run.record) {
    leave(run);
    give(run, copied.to);
    return;
  }
  Record& shared = records_.own(run.record - 1);
  if (shared.pools == run.end - run.first) {
    change_record(shared);
    return;
  }
  copied = {run.record, make_record({shared.first, 0, shared.more})};
  leave(run);
  give(run, copied.to);
  change_record(records_.own(copied.to - 1));
}

void ExclusiveSpans::add(std::span<const Range> ranges, const ExclusiveSpan& span) {
  std::uint32_t fresh = 0;  // for pools that have no other span
  Copied copied;
  for (const Range& range : ranges) {
    const std::uint32_t end = range.first.v + range.count;
    for (std::uint32_t v = range.first.v; v < end;) {
      assert(!allocated(PoolId{v}, span.start, span.end));
      const Run run = run_at(v, end);
      v = run.end;
      if (run.record != 0) {
        change(run, copied, [&](Record& record) { record.add(span); });
        continue;
      }
      if (fresh == 0) fresh = make_record({span, 0, {}});
      give(run, fresh);
      for (std::uint32_t q = run.first; q < run.end; ++q) {
        marks_[q / 64].allocated |= UINT64_C(1) << (q % 64);
      }
    }
  }
  if (covers_now(span)) begin(ranges);
}

void ExclusiveSpans::begin(std::span<const Range> ranges) {
  for (const Range& range : ranges) {
    for (std::uint32_t v = range.first.v; v < range.first.v + range.count; ++v) {
      assert(marked(PoolId{v}) && overlaps(PoolId{v}, now_, now_ + 1));
      marks_[v / 64].active |= UINT64_C(1) << (v % 64);
    }
  }
}

void ExclusiveSpans::remove(std::span<const Range> ranges, const ExclusiveSpan& span) {
  const bool now = covers_now(span);
  Copied copied;
  for (const Range& range : ranges) {
    const std::uint32_t end = range.first.v + range.count;
    for (std::uint32_t v = range.first.v; v < end;) {
      assert(marked(PoolId{v}));
      const Run run = run_at(v, end);
      v = run.end;
      const bool others = static_cast<bool>(records_[run.record - 1].more);
      if (others) {
        change(run, copied, [&](Record& record) { record.remove(span); });
      } else {
        assert(records_[run.record - 1].first == span);
        leave(run);
        record_.fill(run.first, run.end, 0);
      }
      for (std::uint32_t q = run.first; q < run.end; ++q) {
        const std::uint64_t bit = UINT64_C(1) << (q % 64);
        if (!others) marks_[q / 64].allocated &= ~bit;
        if (now) marks_[q / 64].active &= ~bit;
      }
    }
  }
}

std::uint64_t ExclusiveSpans::bytes() const {
  std::uint64_t n =
      record_.bytes() + marks_.capacity() * sizeof(Marks) + free_.capacity() * 4 + records_.bytes();
  for (std::size_t r = 0; r < records_.size(); ++r) {
    const auto& more = records_[r].more;
    if (more) n += sizeof(std::vector<ExclusiveSpan>) + more->capacity() * sizeof(ExclusiveSpan);
  }
  return n;
}

bool ExclusiveSpans::check() const {
  std::vector<std::uint32_t> pools(records_.size(), 0);
  for (std::uint32_t v = 0; v < record_.size(); ++v) {
    const PoolId p{v};
    if (marked(p) != (record_[v] != 0) || record_[v] > pools.size()) return false;
    if (active(p) != (marked(p) && overlaps(p, now_, now_ + 1))) return false;
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
