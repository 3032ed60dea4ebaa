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
  if (r.more.empty()) return r.first.start < end && start < r.first.end;
  auto it = after(r.more, start);
  return it != r.more.end() && it->start < end;
}

const Hold* HoldLists::at(PoolId p, std::int64_t time) const {
  if (!marked(p)) return nullptr;
  const Record& r = records_[record_[p.v] - 1];
  if (r.more.empty()) return r.first.start <= time && time < r.first.end ? &r.first : nullptr;
  auto it = after(r.more, time);
  return it != r.more.end() && it->start <= time ? &*it : nullptr;
}

std::span<const Hold> HoldLists::all(PoolId p) const {
  if (!marked(p)) return {};
  const Record& r = records_[record_[p.v] - 1];
  return r.more.empty() ? std::span<const Hold>(&r.first, 1) : std::span<const Hold>(r.more);
}

void HoldLists::add(PoolId p, const Hold& hold) {
  assert(!held(p, hold.start, hold.end));
  if (!marked(p)) {
    marks_[p.v / 64] |= UINT64_C(1) << (p.v % 64);
    if (free_.empty()) {
      records_.emplace_back();
      free_.push_back(static_cast<std::uint32_t>(records_.size()));
    }
    record_[p.v] = free_.back();
    free_.pop_back();
    records_[record_[p.v] - 1].first = hold;
    return;
  }
  Record& r = records_[record_[p.v] - 1];
  if (r.more.empty()) r.more.push_back(r.first);
  r.more.insert(after(r.more, hold.start), hold);
}

void HoldLists::remove(PoolId p, const Hold& hold) {
  assert(marked(p));
  Record& r = records_[record_[p.v] - 1];
  if (r.more.empty()) {
    assert(r.first == hold);
    free_.push_back(record_[p.v]);
    record_[p.v] = 0;
    marks_[p.v / 64] &= ~(UINT64_C(1) << (p.v % 64));
    return;
  }
  auto it = std::find(r.more.begin(), r.more.end(), hold);
  assert(it != r.more.end());
  r.more.erase(it);
  if (r.more.size() == 1) {
    r.first = r.more[0];
    r.more = {};
  }
}

std::uint64_t HoldLists::bytes() const {
  std::uint64_t n = record_.capacity() * 4 + marks_.capacity() * 8 + free_.capacity() * 4 +
                    records_.capacity() * sizeof(Record);
  for (const Record& r : records_) n += r.more.capacity() * sizeof(Hold);
  return n;
}

}  // namespace copse
