// SPDX-License-Identifier: Apache-2.0
#include "server/grants/used_ids.hpp"

#include <algorithm>
#include <iterator>

#include "base/idset.hpp"

namespace copse::server {

void UsedIds::add_range(JobId first, JobId last) {
  first = std::max(first, next_);
  if (first > last) return;
  auto at = ranges_.upper_bound(first);
  if (at != ranges_.begin() && std::prev(at)->second + 1 >= first) {
    --at;
    first = at->first;
  }
  while (at != ranges_.end() && at->first <= last + 1) {
    last = std::max(last, at->second);
    at = ranges_.erase(at);
  }
  if (first == next_) {
    next_ = last + 1;
  } else {
    ranges_.emplace(first, last);
  }
  if (ranges_.size() > kRangesMax) ranges_.erase(std::prev(ranges_.end()));
}

void UsedIds::add(JobId id) {
  if (id < static_cast<JobId>(kIdEnd)) add_range(id, id);
}

std::string UsedIds::text() const {
  Idset out;
  for (const auto& [first, last] : ranges_) {
    out.add_range(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last));
  }
  return out.text();
}

Result<void> UsedIds::restore(JobId next, std::string_view text) {
  if (next <= static_cast<JobId>(kIdEnd)) next_ = std::max(next_, next);
  if (text.empty()) return {};
  const auto ids = Idset::parse(text);
  if (!ids) return std::unexpected(ids.error());
  for (const auto& [first, last] : ids->ranges()) {
    if (first < 0 || last >= kIdEnd) return fail(ErrorCode::invalid, "an id is not below 2^53");
    add_range(static_cast<JobId>(first), static_cast<JobId>(last));
  }
  return {};
}

}  // namespace copse::server
