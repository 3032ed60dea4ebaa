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
  if (r.more == nullptr) return r.first.start < end && start < r.first.end;
  auto it = after(*r.more, start);
  return it != r.more->end() && it->start < end;
}

const Hold* HoldLists::at(PoolId p, std::int64_t time) const {
  if (!marked(p)) return nullptr;
  const Record& r = records_[record_[p.v] - 1];
  if (r.more == nullptr) return r.first.start <= time && time < r.first.end ? &r.first : nullptr;
  auto it = after(*r.more, time);
  return it != r.more->end() && it->start <= time ? &*it : nullptr;
}

std::span<const Hold> HoldLists::all(PoolId p) const {
  if (!marked(p)) return {};
  const Record& r = records_[record_[p.v] - 1];
  return r.more == nullptr ? std::span<const Hold>(&r.first, 1) : std::span<const Hold>(*r.more);
}

std::uint32_t HoldLists::make_record(const Hold& hold) {
  if (free_.empty()) {
    records_.emplace_back();
    free_.push_back(static_cast<std::uint32_t>(records_.size()));
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Record& record = records_[number - 1];
  record.first = hold;
  record.pools = 0;
  return number;
}

// A hold more of a pool that has one.
void HoldLists::add_further(PoolId p, const Hold& hold) {
  Record* r = &records_[record_[p.v] - 1];
  if (r->pools > 1) {  // no more than the others share
    --r->pools;
    record_[p.v] = make_record(Hold(r->first));
    r = &records_[record_[p.v] - 1];
    r->pools = 1;
  }
  if (r->more == nullptr) r->more = std::make_unique<std::vector<Hold>>(1, r->first);
  r->more->insert(after(*r->more, hold.start), hold);
}

void HoldLists::add(PoolId p, const Hold& hold, std::uint32_t count) {
  std::uint32_t shared = 0;
  for (std::uint32_t v = p.v; v < p.v + count; ++v) {
    assert(!held(PoolId{v}, hold.start, hold.end));
    if (marked(PoolId{v})) {
      add_further(PoolId{v}, hold);
      continue;
    }
    if (shared == 0) shared = make_record(hold);
    marks_[v / 64] |= UINT64_C(1) << (v % 64);
    record_[v] = shared;
    ++records_[shared - 1].pools;
  }
}

// Of a record with several holds, one less; false if it is not such a record.
bool HoldLists::remove_further(Record& r, const Hold& hold) {
  if (r.more == nullptr) return false;
  auto it = std::find(r.more->begin(), r.more->end(), hold);
  assert(it != r.more->end());
  r.more->erase(it);
  if (r.more->size() == 1) {
    r.first = r.more->front();
    r.more.reset();
  }
  return true;
}

void HoldLists::remove(PoolId p, const Hold& hold, std::uint32_t count) {
  for (std::uint32_t v = p.v; v < p.v + count; ++v) {
    assert(marked(PoolId{v}));
    Record& r = records_[record_[v] - 1];
    if (remove_further(r, hold)) continue;
    assert(r.first == hold);
    if (--r.pools == 0) free_.push_back(record_[v]);
    record_[v] = 0;
    marks_[v / 64] &= ~(UINT64_C(1) << (v % 64));
  }
}

std::uint64_t HoldLists::bytes() const {
  std::uint64_t n = record_.capacity() * 4 + marks_.capacity() * 8 + free_.capacity() * 4 +
                    records_.capacity() * sizeof(Record);
  for (const Record& r : records_) {
    if (r.more != nullptr) n += sizeof(std::vector<Hold>) + r.more->capacity() * sizeof(Hold);
  }
  return n;
}

}  // namespace copse
