// SPDX-License-Identifier: Apache-2.0
#include "engine/prepared_cache.hpp"

#include <cassert>
#include <iterator>
#include <utility>

namespace copse {

PreparedRequest* PreparedCache::find(std::string_view text) {
  if (!entries_.empty() && entries_.front().text == text) return &entries_.front().request;
  auto it = index_.find(text);
  if (it == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, it->second);
  return &entries_.front().request;
}

PreparedRequest* PreparedCache::insert(std::string_view text, PreparedRequest request,
                                       std::size_t pools) {
  assert(!index_.contains(text));
  constexpr std::size_t kBitsInByte = 8;
  const bool constrained = !request.request().constraint.empty();
  const std::size_t bytes = text.size() + (constrained ? pools / kBitsInByte : 0);
  std::list<Entry> spare;
  while (!entries_.empty() && (entries_.size() >= entries_max_ || bytes_ + bytes > bytes_max_)) {
    bytes_ -= entries_.back().bytes;
    index_.erase(entries_.back().text);
    spare.splice(spare.begin(), entries_, std::prev(entries_.end()));
  }
  if (spare.empty()) spare.emplace_front();
  Entry& entry = spare.front();
  entry.text = text;
  entry.request = std::move(request);
  entry.bytes = bytes;
  entries_.splice(entries_.begin(), spare, spare.begin());
  index_.emplace(entry.text, entries_.begin());
  bytes_ += bytes;
  return &entry.request;
}

}  // namespace copse
